//! Patterns of commands and code that run something.

use super::{Pattern, Signal, pattern};

/// An interpreter after a pipe, which runs its input.
macro_rules! shell {
    () => {
        r"(?:(?:sudo|env|nohup|exec|command|time|builtin)\s+(?:-\w+\s+|\w+=\S+\s+){0,3}){0,3}(?:/[\w./]{1,30}/)?(?:(?:ba|z|da|k|a|fi|tc|c)?sh\b|(?:python[\d.]*|perl|ruby|node|php|bun|deno|osascript|pwsh|powershell)(?:\s+-)?\s*(?:$|[\n\x22'`;&|)])|source\s+/dev/stdin|iex\b|xargs\s+(?:-\S+\s+){0,3}(?:ba|z)?sh\b)"
    };
}

/// Words of download commands: every match contains at least one of them.
const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "aria2c",
    "invoke-webrequest",
    "invoke-restmethod",
    "downloadstring",
    "iwr ",
    "irm ",
    "start-bitstransfer",
    "downloadfile",
];

pub(super) const PATTERNS: &[Pattern] = &[
    pattern(
        Signal::FetchRun,
        &["curl", "wget", "aria2c"],
        concat!(
            r"(?i-u)(?:\b|\\n)(?:curl|wget|aria2c)(?:\.exe)?\b(?:[^\n|]|\\\n){0,400}(?:\|\s*[a-z]\w{1,12}\b[^|\n]{0,80}){0,3}\|\s*",
            shell!()
        ),
    ).needs(&[&["|"]]),
    pattern(
        Signal::FetchRun,
        &["curl", "wget"],
        r#"(?i-u)(?:\b(?:ba|z|da|k)?sh\b|\bsource|\beval|\bexec|\bpython[\d.]*|\bnode|(?:^|[\s;&|"'`(])\.)\s+(?:-\w+\s+){0,3}["']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b"#,
    ).rest(300),
    pattern(
        Signal::FetchRun,
        &["iex", "invoke-expression"],
        r"(?i-u)(?:\biex\b|invoke-expression)[^\n]{0,160}(?:downloadstring|invoke-webrequest|invoke-restmethod|\biwr\b|\birm\b|webclient|\bcurl\b)",
    ).rest(200),
    pattern(
        Signal::FetchRun,
        &[
            "iwr",
            "irm",
            "invoke-webrequest",
            "invoke-restmethod",
            "downloadstring",
        ],
        r"(?i-u)(?:\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|downloadstring)[^\n]{0,300}\|\s*(?:iex|invoke-expression)",
    ),
    pattern(
        Signal::FetchRun,
        &[
            "requests.get",
            "urlopen",
            "httpx.get",
            "urllib",
            "uri.open",
            "net::http",
            "lwp::",
            "eval get",
        ],
        r"(?i-u)\b(?:exec|eval|os\.system|os\.popen|compile|subprocess\.\w+)\s*\(?\s*[^\n]{0,100}(?:requests\.get|urlopen|httpx\.get|urllib|\buri\.open|net::http|\bget\s*\()",
    ).needs(&[&["exec", "eval", "os.system", "os.popen", "compile", "subprocess."]]).rest(240),
    pattern(
        Signal::FetchRun,
        &["fetch(", "axios", "https.get", "http.get"],
        r"(?i-u)\b(?:eval|new Function|vm\.run\w*)\s*\(\s*[^\n]{0,100}(?:fetch\(|axios|https?\.get)",
    ).needs(&[&["eval", "new function", "vm.run"]]).rest(200),
    pattern(
        Signal::FetchRun,
        &["<<<", "then(", "import(", "deno run", "uvx", "execsync"],
        r#"(?i-u)(?:\b(?:(?:ba|z|da)?sh|python3?|node|perl|ruby|php)\b[^\n]{0,40}<<<\s*["']?(?:\$\(|`)\s*(?:curl|wget)[^\n]{0,200}|\b(?:fetch|axios[\w.]*)\([^\n]{0,200}\.then\(\s*(?:eval|function)\b|\bimport\(\s*["']https?://[^\n]{0,120}|\bdeno\s+run\s+[^\n]{0,80}https?://\S+|\buvx\s+--from\s+(?:git\+)?https?://\S+|\beval\([^\n]{0,80}execsync\(\s*["'`](?:curl|wget)[^\n]{0,160})"#,
    ).needs(&[&["<<<", ".then(", "import(", "deno", "uvx", "execsync("]]),
    pattern(
        Signal::DecodeRun,
        &["txt"],
        concat!(
            r"(?i-u)\b(?:dig|nslookup|host|drill)\b[^\n|]{0,120}\btxt\b[^\n|]{0,120}(?:\|[^\n|]{0,80}){0,3}\|\s*",
            shell!()
        ),
    ).needs(&[&["|"], &["dig", "nslookup", "host", "drill"]]),
    pattern(
        Signal::FetchRun,
        &["http"],
        r#"(?i-u)https?://[^\s"'`|]{4,200}["']?\s*\|\s*["']?(?:\$\(|\$\{?\w+)"#,
    )
    .also(&["| $", "|$(", "|${", "| \"$", "|\"$", "| '$", "|'$", "|$s", "|$b", "|$p", "|$i", "|$e", "|$r", "|$c", "|$x", "|$_"])
    .far()
    .rest(80),
    pattern(
        Signal::FetchRun,
        &[
            "claude",
            "codex",
            "gemini",
            "openclaw",
            "aider",
            "cursor-agent",
        ],
        r"(?i-u)\b(?:claude|codex|gemini|openclaw|aider|cursor-agent)\s[^\n]{0,120}(?:\$\(|`)\s*(?:curl|wget)\b",
    ).rest(200).also(&["curl", "wget"]).far(),
    pattern(
        Signal::FetchRun,
        &["mshta", "regsvr32", "rundll32"],
        r#"(?i-u)(?:mshta(?:\.exe)?\s+["']?(?:https?:|vbscript|javascript)|regsvr32[^\n]{0,60}/i:https?|rundll32[^\n]{0,80}(?:javascript:|https?:))"#,
    ).rest(200),
    pattern(
        Signal::FetchRun,
        &[".sh", ".py", ".ps1", ".bat"],
        r"(?i-u)https?://[^\s)\x22'`\]]{4,200}\.(?:sh|py|ps1|bat|pl)\b[^\n]{0,60}\b(?:then|and|&&|;)\s+(?:\w+\s+){0,2}?(?:bash|sh|zsh|python3?|run|execute|source)\b",
    ).rest(60).also(&["http"]).far(),
    pattern(
        Signal::Fetch,
        FETCHERS,
        r"(?i-u)\b(?:curl|wget|aria2c|invoke-webrequest|invoke-restmethod|iwr|irm|start-bitstransfer|downloadfile)\b",
    ).rest(300),
    pattern(
        Signal::Fetch,
        &["certutil", "bitsadmin"],
        r"(?i-u)\b(?:certutil(?:\.exe)?\b[^\n]{0,60}-urlcache|bitsadmin\b[^\n]{0,40}/transfer)",
    ).rest(240),
    pattern(
        Signal::Fetch,
        &[
            "urlretrieve",
            "requests.",
            "urlopen",
            "httpx.",
            "session.get",
            "urllib",
            "fetch(",
            "axios",
            ".get(",
            "xmlhttp",
            "winhttp",
            "webclient",
            "downloadstring",
            "downloaddata",
            "open-uri",
            "http::get",
        ],
        r"(?i-u)(?:\b(?:urlretrieve|(?:requests|httpx|session)\.(?:get|request)|urlopen|fetch|axios(?:\.get)?|https?\.get|got)\s*\(|require\(.https?.\)\.get\(|net\.webclient|msxml2\.(?:server)?xmlhttp|winhttprequest|download(?:string|data|file)\s*\()",
    ),
    pattern(
        Signal::Decode,
        &[
            "b64decode",
            "a85decode",
            "b85decode",
            "unhexlify",
            "fromhex",
            "decompress",
            "base64",
            "atob",
            "fromcharcode",
            "frombase64string",
            "codecs.decode",
            "xxd",
            "marshal.loads",
            "chr(",
        ],
        r"(?i-u)(?:\b(?:b64|a85|b85|b32|b16|urlsafe_b64)decode\s*\(|unhexlify\s*\(|fromhex\s*\(|zlib\.decompress\s*\(|base64\s+(?:-d|-D|--decode|-di)\b|\batob\s*\(|fromcharcode\s*\(|frombase64string\s*\(|buffer\.from\([^\n]{0,200},\s*.(?:base64|hex)|codecs\.decode\s*\(|xxd\s+-r|\bchr\(\s*ord\(\s*\w+\s*\)\s*[\^+-])",
    ),
    pattern(
        Signal::ReverseShell,
        &["/dev/tcp", "/dev/udp"],
        r#"(?i-u)[^\n]{0,80}/dev/(?:tcp|udp)/[^\s"']{1,120}"#,
    ).rest(60),
    pattern(
        Signal::ReverseShell,
        &["nc ", "ncat", "netcat", "nc.exe"],
        r"(?i-u)\b(?:nc|ncat|netcat|nc\.traditional)(?:\.exe)?(?:\s[^\n|]{0,80})?\s-{1,2}(?:\w{0,3}e\w{0,3}|c|exec|sh-exec)\s*=?\s*(?:/\S{0,20}/)?(?:(?:ba|z)?sh|cmd|powershell)\b",
    ).rest(60),
    pattern(
        Signal::ReverseShell,
        &["nc ", "ncat", "netcat", "telnet"],
        r"(?i-u)(?:mkfifo|mknod)[^\n]{0,160}\|\s*(?:nc|ncat|netcat|telnet|openssl)\b",
    ).rest(80).also(&["mkfifo", "mknod"]).far(),
    pattern(
        Signal::ReverseShell,
        &["/bin/sh", "/bin/bash"],
        r"(?i-u)\|\s*(?:/bin/)?(?:ba)?sh(?:\s+-i)?[^\n|]{0,30}\|\s*(?:nc|ncat|telnet)\b[^\n]{0,60}|(?:nc|ncat|telnet)\s+\S+\s+\d+\s*\|\s*(?:/bin/)?(?:ba)?sh\b[^\n]{0,60}",
    ).needs(&[&["|"], &["nc", "telnet"]]),
    pattern(
        Signal::ReverseShell,
        &["dup2"],
        r"(?is-u)socket.{0,500}dup2",
    ).beyond(160),
    pattern(
        Signal::ReverseShell,
        &["pty.spawn"],
        r"(?is-u)socket.{0,500}pty\.spawn",
    ).beyond(60),
    pattern(
        Signal::ReverseShell,
        &["socket"],
        r"(?is-u)\.connect\(.{0,500}(?:subprocess\.\w+\(|os\.popen\(|exec\().{0,200}\.send",
    ).also(&[".connect("]).far(),
    pattern(
        Signal::ReverseShell,
        &["tcpsocket", "fsockopen"],
        r"(?is-u)(?:tcpsocket\.(?:new|open)\s*\(?|fsockopen\s*\().{0,200}(?:exec|popen|proc_open|shell|system)",
    ).beyond(80),
    pattern(
        Signal::ReverseShell,
        &["use socket"],
        r"(?is-u)use socket.{0,300}exec",
    ).beyond(60),
    pattern(
        Signal::ReverseShell,
        &[
            "net.socket",
            "net.connect",
            "createconnection",
            "require('net')",
            "require(\"net\")",
        ],
        r"(?is-u)(?:net\.socket|net\.connect|createconnection|require\(.net.\)).{0,400}(?:spawn|exec)\(.{0,300}(?:pipe|stdin|stdout)",
    ),
    pattern(
        Signal::ReverseShell,
        &["spawn"],
        r"(?is-u)(?:spawn|exec)\(.{0,120}(?:sh|cmd).{0,240}(?:net\.connect|net\.socket|\.connect\().{0,300}pipe",
    ).needs(&[&["net.connect", "net.socket", ".connect("], &["pipe"]]),
    pattern(
        Signal::ReverseShell,
        &["tcpclient"],
        r"(?is-u)net\.sockets\.tcpclient.{0,700}(?:iex|invoke-expression|cmd)",
    ),
    pattern(
        Signal::ReverseShell,
        &["net.dial"],
        r"(?is-u)net\.dial\(.{0,300}exec\.command\(.{0,300}std(?:in|out)\s*=",
    ),
    pattern(Signal::Fetch, &[".recv("], r"(?i-u)\b\w{1,20}\.recv\("),
    pattern(
        Signal::ReverseShell,
        &["ngrok", "ssh -", "autossh"],
        r"(?i-u)\bngrok\s+tcp\s+22\b[^\n]{0,60}|\b(?:auto)?ssh\s+[^\n]{0,60}-\w*R\s*\S*:(?:localhost|127\.0\.0\.1):22\s[^\n]{0,80}",
    ).needs(&[&["22"]]),
    pattern(
        Signal::ReverseShell,
        &["socat"],
        r"(?i-u)\bsocat\b[^\n]{0,120}exec:",
    ).rest(80),
    pattern(
        Signal::ReverseShell,
        &["/inet/tcp"],
        r"(?i-u)/inet/tcp/",
    ).rest(120),
    pattern(
        Signal::ReverseShell,
        &["bash -i", "sh -i", "zsh -i"],
        r"(?i-u)\b(?:ba|z)?sh -i\s*(?:>&|<&|\d?>)",
    ).rest(80),
    pattern(
        Signal::DecodeRun,
        &["base64", "base32", "openssl", "xxd"],
        concat!(
            r"(?i-u)(?:base(?:64|32)\s+(?:-d|-D|--decode|-di)|openssl\s+(?:enc\s+)?-?(?:base64|enc)\s[^\n|]{0,30}-d|xxd\s+-r)[^\n|]{0,60}(?:\|\s*(?:gunzip|zcat|tr|rev|base64|xxd)\b[^|\n]{0,40}){0,2}\|\s*",
            shell!()
        ),
    ).needs(&[&["|"], &["-d", "-r"]]),
    pattern(
        Signal::DecodeRun,
        &["base64"],
        r#"(?i-u)(?:\b(?:ba|z)?sh\s+-c|\beval|\bexec|\bsource)\s*["']?(?:<\(|\$\(|`)[^\n)]{0,300}base64\s+(?:-d|-D|--decode)"#,
    ).needs(&[&["-d"], &["<(", "$(", "`"]]),
    pattern(
        Signal::DecodeRun,
        &[
            "b64decode",
            "b85decode",
            "b32decode",
            "a85decode",
            "unhexlify",
            "fromhex",
            "decompress",
            "marshal.loads",
            "codecs.decode",
        ],
        r"(?is-u)\b(?:exec|eval|os\.system|os\.popen|subprocess\.\w+|compile|__import__\([^)]{0,20}\)\.\w+)\s*\(.{0,160}(?:b64decode|a85decode|b85decode|b32decode|unhexlify|fromhex|decompress|marshal\.loads|codecs\.decode)\s*\(",
    ).also(&["exec", "eval", "os.system", "os.popen", "subprocess", "compile", "__import__"]).far(),
    pattern(
        Signal::DecodeRun,
        &["atob", "fromcharcode", "base64"],
        r"(?is-u)\b(?:eval|new\s+function|execsync|exec|settimeout|vm\.run\w*)\s*\([^)]{0,120}(?:\batob\s*\(|fromcharcode|buffer\.from\([^)]{0,4000},\s*.(?:base64|hex))",
    ).needs(&[&["atob", "fromcharcode", "buffer.from("], &["eval", "function", "exec", "settimeout", "vm.run"]]),
    pattern(
        Signal::DecodeRun,
        &["frombase64string"],
        r"(?is-u)(?:iex|invoke-expression|&\s*\(|\[scriptblock\]).{0,200}frombase64string|frombase64string.{0,300}(?:\|\s*iex|invoke-expression|\.invoke)",
    ),
    pattern(
        Signal::DecodeRun,
        &["-enc", "-e "],
        r"(?i-u)\b(?:powershell|pwsh)(?:\.exe)?\s[^\n]{0,120}-e(?:nc|ncodedcommand|c)?\s+[A-Za-z0-9+/=]{16,}",
    ).needs(&[&["powershell", "pwsh"]]),
    pattern(
        Signal::DecodeRun,
        &["pickle", "marshal", "dill"],
        r"(?is-u)\b(?:pickle|marshal|dill)\.loads\s*\(\s*(?:base64|b64decode|bytes|b['\x22]|zlib|codecs|requests|[\w.]{0,30}urlopen|[\w.]{0,20}get\()",
    ).needs(&[&[".loads"]]).beyond(120),
    pattern(
        Signal::DecodeRun,
        &["rot13", "tr 'a-z", "tr a-z", "tr '[a-z"],
        concat!(r"(?i-u)\btr\s+\S{3,40}\s+\S{3,40}\s*\|\s*", shell!()),
    ),
    pattern(
        Signal::DecodeRun,
        &["chr"],
        r"(?i-u)\b(?:exec|eval|os\.system)\s*\([^\n]{0,60}join\(\s*[\[(]?\s*(?:map\(\s*)?chr\b",
    ).rest(80).also(&["exec", "eval", "os.system"]),
    pattern(
        Signal::DecodeRun,
        &["eval("],
        r"(?i-u)\beval\(\s*(?:gzinflate|gzuncompress|str_rot13|base64_decode)\(",
    ).also(&["gzinflate", "gzuncompress", "str_rot13", "base64_decode"]),
    pattern(
        Signal::ReverseShell,
        &["s_client", "sh -i", "bash -i"],
        r"(?i-u)\b(?:ba|z|da)?sh\s+-i\b[^\n]{0,60}\|[^\n|]{0,30}(?:openssl\s+s_client|ncat|nc|socat|telnet)\b",
    ).rest(100),
    pattern(
        Signal::ReverseShell,
        &["websocket", "wss://", "ws://"],
        r"(?is-u)\.on\(\s*.message.{0,80}(?:exec(?:file)?|spawn|eval)(?:sync)?\s*\(.{0,120}|on_?message\s*[=(].{0,120}(?:subprocess\.|os\.system|os\.popen|exec\(|eval\().{0,120}",
    ).needs(&[&["message"], &["exec", "spawn", "eval", "subprocess.", "os.system", "os.popen"]]).far(),
    pattern(
        Signal::FetchRun,
        &["iwr ", "irm ", "invoke-webrequest", "invoke-restmethod"],
        r"(?i-u)\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n]{0,200}scriptblock\]::create",
    ).rest(60),
    pattern(
        Signal::FetchRun,
        &["certutil", "bitsadmin"],
        r"(?i-u)\b(?:certutil(?:\.exe)?\b[^\n]{0,60}-urlcache|bitsadmin\b[^\n]{0,40}/transfer)[^\n]{0,200}(?:&&?|;)\s*(?:start\s+|call\s+)?[^\s;&]{1,80}\.(?:exe|bat|ps1|vbs|cmd|hta)\b",
    ),
    pattern(
        Signal::ReverseShell,
        &[".recv("],
        r"(?is-u)\.connect\(.{0,500}\.recv\(.{0,300}(?:subprocess\.|os\.popen|os\.system|getoutput|\bexec\(|\beval\()",
    ).also(&[".connect("]).far(),
    pattern(
        Signal::ReverseShell,
        &["while", "loop", "setinterval"],
        r"(?is-u)(?:os\.(?:system|popen)|subprocess\.\w+|execsync|exec)\(\s*(?:requests\.get|urlopen|urllib\.request\.urlopen|httpx\.get|fetch)\(",
    ).needs(&[&["requests.get(", "urlopen(", "httpx.get(", "fetch("], &["exec", "os.system", "os.popen", "subprocess."]]).beyond(160),
    pattern(
        Signal::LoadCode,
        &[
            "cfunctype",
            "virtualalloc",
            "createthread",
            "executeglobal",
            "responsetext",
            "exec_module",
            "cp.exec",
            "child.exec",
            "proc.exec",
            "child_process.exec",
            "spec_from_file_location",
            "scriptblock",
            "groovyshell",
            "instance_eval",
            "class_eval",
            "runpy",
            "new function",
            "runinthiscontext",
            "runinnewcontext",
            "invoke-expression",
            "iex",
            "dofile",
            "loadstring",
            "reflection.assembly",
            "assembly.load",
            "zipimport",
            "ctypes.cdll",
            "execfile(",
            "plugin.open",
            "class.forname",
            "defineclass",
        ],
        r"(?i-u)(?:\bexecute(?:global)?\s+\w+\.responsetext|\bcfunctype\s*\(|\bvirtualalloc\w*\s*\(|\.exec_module\s*\(|\[scriptblock\]::create\s*\(|groovyshell\(\)\.evaluate\s*\(|\b(?:instance|class)_eval\b|runpy\.run_\w+\s*\(|\bnew\s+function\s*\(\s*[a-z_$][\w$.]*\s*\)|\b(?:cp|child|proc|child_process)\.exec(?:sync)?\(\s*[a-z_]\w{0,12}\s*[,)]|runin\w+context\s*\(|\binvoke-expression\b|\biex\b|\bloadstring\s*\(|assembly\]?(?:::|\.)load\w*\s*\(|zipimport\.|\bexecfile\(\s*[\x22'](?:ba)?sh[\x22']\s*,\s*\[\s*[\x22']-c[\x22']\s*,\s*\w+|plugin\.open\(|\.defineclass\()",
    ).beside(&[Signal::Fetch, Signal::Send]),
    pattern(
        Signal::Miner,
        &[
            "xmrig",
            "stratum",
            "minerd",
            "cpuminer",
            "ethminer",
            "nicehash",
            "monero",
            "minexmr",
            "cryptonight",
            "randomx",
            "phoenixminer",
            "coinhive",
            "t-rex",
        ],
        r"(?i-u)(?:\bxmrig\S*|stratum\+(?:tcp|ssl)://\S+|\bminerd\b|\bcpuminer\b|\bethminer\b|minexmr\S*|coinhive|phoenixminer|cryptonight\w*|supportxmr\S*|nanopool\.org\S*|2miners\.com\S*|--donate-level\b)",
    ),
    // The options of any miner: an algorithm, a pool and a wallet.
    pattern(
        Signal::Mining,
        &["--algo", "-a ", "algo", "-o pool", "mining.s", "stratum", "hashrate", "--pool", "-p x"],
        r"(?i-u)(?:(?:--algo(?:rithm)?|-a)[= ]\s*[\x22']?(?:kawpow|randomx|rx/\w+|ethash|etchash|autolykos2?|octopus|cryptonight\S*|cn/\w+|equihash\S*|verushash|ghostrider|kheavyhash|blake3\w*|sha256d|scrypt|yescrypt\w*|progpow\w*|beamhash\w*|zelhash|firopow)\b[^\n]{0,120}(?:-o|--url|--pool|-u|--user|--wallet)\b[^\n]{0,120}|[\x22']mining\.(?:subscribe|submit|authorize)[\x22']|(?:-o|--url|--pool)[= ]\s*[\x22']?(?:stratum\+\w+://)?[\w.-]+:\d{2,5}[^\n]{0,20}\s(?:-u|--user|--wallet)[= ]\s*\S{16,}[^\n]{0,60})",
    ),
    pattern(
        Signal::Clone,
        &["git clone"],
        r"(?i-u)\bgit\s+clone\s",
    ).rest(200),
];
