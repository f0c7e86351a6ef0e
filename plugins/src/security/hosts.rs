//! Where an address leads: to a known vendor, a paste site, a bare number, a placeholder.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// What kind of destination a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostKind {
    /// This machine or its own network.
    Local,
    /// `example.com`, `<your-host>`, `attacker.com` of a textbook.
    Placeholder,
    /// A vendor or registry that skills name every day.
    Known,
    /// Any other host.
    Other,
    /// A site where anybody publishes a text, a file or a short address without an account of the author.
    Anonymous,
    /// A service that shows what was sent to it: request catchers, tunnels, chat webhooks.
    Catcher,
    /// A public address without a name.
    Number,
    /// A name that says what it is for: `evil`, `exfil`, `payload`.
    Hostile,
}

impl HostKind {
    /// Returns whether no honest installer or interface is there.
    pub(crate) const fn is_suspect(self) -> bool {
        matches!(
            self,
            Self::Anonymous | Self::Catcher | Self::Number | Self::Hostile
        )
    }

    /// Returns the words for a message.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Local => "this machine",
            Self::Placeholder => "a placeholder",
            Self::Known => "a known vendor",
            Self::Other => "an unrelated host",
            Self::Anonymous => "a site for anonymous pastes and files",
            Self::Catcher => "a service that collects requests",
            Self::Number => "a bare IP address",
            Self::Hostile => "a host named for an attack",
        }
    }
}

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) kind: HostKind,
    /// Whether it begins with `http:`.
    pub(crate) is_plain: bool,
    pub(crate) start: usize,
}

impl Address {
    /// Returns whether it leads to a machine or paste of an attacker, not to one that documentation makes up.
    pub(crate) fn is_live(&self) -> bool {
        const MADE_UP: [&str; 3] = ["192.0.2.", "198.51.100.", "203.0.113."];
        match self.kind {
            HostKind::Number => !MADE_UP.iter().any(|start| self.host.starts_with(start)),
            HostKind::Anonymous | HostKind::Catcher => self.path.len() > 4,
            _ => false,
        }
    }
}

/// The most addresses of the web that are read in a text.
pub(crate) const MOST_ADDRESSES: usize = 200;

/// How addresses of the web begin.
const SCHEMES: [&str; 8] = [
    "https",
    "http",
    "ftp",
    "wss",
    "ws",
    "tcp",
    "smtp",
    "stratum+tcp",
];

/// The longest host, and the longest path that is kept, in bytes.
const LONGEST: usize = 200;

/// A mail address, or the user and host of `scp` and `ssh`.
static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:^|[\s\x22'`(<:,])[\w.+-]{1,60}@((?:[\w-]{1,60}\.){1,5}[a-z]{2,18}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\b").expect("a pattern")
});

/// A host and its port as a program has them: `("203.0.113.9", 4444)`.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)[\x22'](\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,4}\.[a-z]{2,18})[\x22']\s*,\s*\d{2,5}\b").expect("a pattern")
});

/// Returns the addresses in a text: those of the web, then those of mail.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    let mut found = web_addresses(text);
    if memchr::memchr(b'@', text.as_bytes()).is_some() {
        found.extend(
            MAIL.captures_iter(text.as_bytes())
                .take(50)
                .filter_map(|found| {
                    let host =
                        String::from_utf8_lossy(found.get(1)?.as_bytes()).to_ascii_lowercase();
                    let start = found.get(0)?.start();
                    Some(Address {
                        kind: kind(&host, ""),
                        is_plain: false,
                        path: String::new(),
                        host,
                        start,
                    })
                }),
        );
    }
    // Behind the quote comes a comma.
    let mut quotes = memchr::memchr2_iter(b'"', b'\'', text.as_bytes());
    let is_argument = |quote: usize| text[quote + 1..].trim_start().starts_with(',');
    if !quotes.any(is_argument) {
        return found;
    }
    found.extend(
        PAIR.captures_iter(text.as_bytes())
            .take(50)
            .filter_map(|pair| {
                let host = String::from_utf8_lossy(pair.get(1)?.as_bytes()).to_ascii_lowercase();
                let start = pair.get(0)?.start();
                Some(Address {
                    kind: kind(&host, ""),
                    is_plain: false,
                    path: String::new(),
                    host,
                    start,
                })
            }),
    );
    found
}

fn web_addresses(text: &str) -> Vec<Address> {
    let bytes = text.as_bytes();
    // An address in the path of another belongs to that.
    let mut done = 0;
    let all = memchr::memmem::find_iter(bytes, b"://").filter_map(|at| {
        let letters = bytes[..at].iter().rev().take(12);
        let length = letters
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+')
            .count();
        let before = &text[at - length..at];
        let scheme = SCHEMES.iter().rev().find(|scheme| {
            let rest = before.len().checked_sub(scheme.len());
            rest.is_some_and(|rest| {
                before[rest..].eq_ignore_ascii_case(scheme)
                    && (rest == 0 || before.as_bytes()[rest - 1] == b'+')
            })
        })?;
        let start = at - scheme.len();
        if start < done {
            return None;
        }
        let rest = &bytes[at + 3..];
        // A user before the host.
        let user = rest.iter().take(81).position(|byte| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'@' | b'`')
        });
        let user = user.filter(|end| *end > 0 && rest[*end] == b'@');
        let rest = &rest[user.map_or(0, |end| end + 1)..];
        let (host, rest) = part(rest, |byte| {
            matches!(
                byte,
                b'/' | b'"'
                    | b'\''
                    | b'<'
                    | b'>'
                    | b'`'
                    | b')'
                    | b']'
                    | b'}'
                    | b','
                    | b';'
                    | b'|'
                    | b'\\'
            )
        });
        let (path, after) = part(rest, |byte| {
            matches!(
                byte,
                b'"' | b'\'' | b'<' | b'>' | b'`' | b')' | b']' | b'}' | b'|'
            )
        });
        if host.is_empty() {
            return None;
        }
        done = bytes.len() - after.len();
        let host = String::from_utf8_lossy(host);
        let host = host.trim_end_matches(['.', ':', '*']).to_ascii_lowercase();
        let path = String::from_utf8_lossy(path).into_owned();
        Some(Address {
            kind: kind(&host, &path),
            is_plain: *scheme == "http",
            host,
            path,
            start,
        })
    });
    all.take(MOST_ADDRESSES).collect()
}

/// Splits off the first bytes up to a blank or another byte that ends a part of an address.
fn part(bytes: &[u8], ends: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let mut known = bytes.iter().take(LONGEST);
    let end = known.position(|byte| byte.is_ascii_whitespace() || *byte == 0x0b || ends(*byte));
    bytes.split_at(end.unwrap_or(bytes.len().min(LONGEST)))
}

/// Says what a host is, `path` being what follows it.
pub(crate) fn kind(host: &str, path: &str) -> HostKind {
    let name = host.split(':').next().unwrap_or(host);
    if is_placeholder(host) {
        return HostKind::Placeholder;
    }
    if let Some(number) = number(name) {
        return number;
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    if matches!(last, "localhost" | "local" | "internal") || !name.contains('.') {
        return HostKind::Local;
    }
    if is_hostile(name) {
        return HostKind::Hostile;
    }
    let is_below = |list: &[&str]| list.iter().any(|domain| is_below(name, domain));
    if is_below(CATCHERS)
        || is_below(&["discord.com", "discordapp.com"]) && path.contains("/webhooks/")
        || name == "api.telegram.org" && path.starts_with("/bot")
        || name == "hooks.slack.com"
    {
        return HostKind::Catcher;
    }
    if is_below(ANONYMOUS)
        || name == "gist.githubusercontent.com"
        || name.starts_with("paste.")
        || name.starts_with("pastebin.")
        || is_below(&["t.me"])
    {
        return HostKind::Anonymous;
    }
    if is_below(KNOWN) {
        return HostKind::Known;
    }
    HostKind::Other
}

fn is_below(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Says whether a name is one to be filled in, or reserved for examples.
fn is_placeholder(host: &str) -> bool {
    const RESERVED: [&str; 6] = [
        "example.com",
        "example.org",
        "example.net",
        "yourdomain.com",
        "yoursite.com",
        "mydomain.com",
    ];
    let is_sign = |c: char| matches!(c, '$' | '{' | '<' | '[' | '%' | '(' | '*');
    let name = host.split(':').next().unwrap_or(host);
    host.contains(is_sign)
        || host.contains("...")
        || RESERVED.iter().any(|domain| is_below(name, domain))
        || is_reserved(name)
        || [
            "your-",
            "your_",
            "yourserver",
            "your.",
            "my-server",
            "mysite",
            "acme.",
            "company.com",
            "mycompany",
            "example-",
        ]
        .iter()
        .any(|sign| name.contains(sign))
}

/// Says whether a name below a reserved domain is one that documentation uses: `api.example`, `registry.example`.
fn is_reserved(name: &str) -> bool {
    const USUAL: [&str; 24] = [
        "api", "your", "my", "www", "acme", "company", "corp", "app", "host", "server", "registry",
        "mail", "internal", "db", "auth", "cdn", "git", "docs", "test", "service", "site", "web",
        "demo", "staging",
    ];
    let below = [".example", ".test", ".invalid"]
        .iter()
        .find_map(|domain| name.strip_suffix(domain));
    below.is_some_and(|rest| rest.split(['.', '-']).any(|label| USUAL.contains(&label)))
}

/// Says what a host without a name is.
fn number(name: &str) -> Option<HostKind> {
    let parts: Vec<Option<u8>> = name.split('.').map(|part| part.parse().ok()).collect();
    let parts: Option<Vec<u8>> = parts.into_iter().collect();
    let parts = if let Some([a, b, c, d]) = parts.as_deref() {
        [*a, *b, *c, *d]
    } else {
        // One number, decimal or hex, is an address too.
        let whole = match name.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => name
                .parse()
                .ok()
                .filter(|number: &u32| *number > 0x0100_0000),
        };
        whole?.to_be_bytes()
    };
    Some(match parts {
        [127 | 0 | 10, ..]
        | [192, 168, ..]
        | [172, 16..=31, ..]
        | [169, 254, ..]
        | [100, 64..=127, ..] => HostKind::Local,
        [1, 2, 3, 4] | [8, 8, ..] | [1, 1, 1, 1] => HostKind::Placeholder,
        _ => HostKind::Number,
    })
}

/// Says whether a word of a name says what it is for.
fn is_hostile(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "evil",
        "attacker",
        "malicious",
        "malware",
        "exfil",
        "hacker",
        "payload",
        "stealer",
        "steal",
        "c2",
        "cnc",
        "backdoor",
        "phish",
        "phishing",
        "rogue",
        "badguy",
        "ransom",
        "botnet",
        "keylog",
        "keylogger",
        "harvest",
        "exploit",
        "trojan",
        "pwn",
        "adversary",
        "hostile",
    ];
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit() && word.len() > 2);
        WORDS.contains(&word)
            || ["evil", "attacker", "malicious", "malware", "exfil"]
                .iter()
                .any(|sign| word.starts_with(sign))
    })
}

/// Services that show or pass on what is sent to them.
const CATCHERS: &[&str] = &[
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "pipedream.net",
    "requestcatcher.com",
    "beeceptor.com",
    "hookbin.com",
    "interact.sh",
    "oast.fun",
    "oast.pro",
    "oast.live",
    "oast.site",
    "oast.online",
    "oast.me",
    "oastify.com",
    "burpcollaborator.net",
    "canarytokens.com",
    "dnslog.cn",
    "ceye.io",
    "ngrok.io",
    "ngrok-free.app",
    "ngrok.app",
    "ngrok.dev",
    "trycloudflare.com",
    "loca.lt",
    "localtunnel.me",
    "serveo.net",
    "localhost.run",
    "lhr.life",
    "bore.pub",
    "pagekite.me",
    "ptsv2.com",
    "ptsv3.com",
    "postb.in",
    "smee.io",
    "rbnd.io",
    "duckdns.org",
    "no-ip.org",
    "ddns.net",
    "hopto.org",
    "zapto.org",
    "sytes.net",
    "dnsdynamic.org",
    "mockbin.io",
    "putsreq.com",
    "typedwebhook.tools",
    "webhook.cool",
    "httpdump.app",
    "ntfy.sh",
];

/// Sites that publish texts and files of anybody, and short addresses.
const ANONYMOUS: &[&str] = &[
    "pastebin.com",
    "rentry.co",
    "rentry.org",
    "glot.io",
    "hastebin.com",
    "ghostbin.com",
    "ghostbin.co",
    "controlc.com",
    "dpaste.com",
    "dpaste.org",
    "paste.ee",
    "paste.rs",
    "ix.io",
    "sprunge.us",
    "termbin.com",
    "0x0.st",
    "transfer.sh",
    "file.io",
    "catbox.moe",
    "gofile.io",
    "anonfiles.com",
    "bashupload.com",
    "tmpfiles.org",
    "temp.sh",
    "oshi.at",
    "wetransfer.com",
    "pixeldrain.com",
    "mediafire.com",
    "zippyshare.com",
    "sendspace.com",
    "privatebin.net",
    "justpaste.it",
    "snippet.host",
    "write.as",
    "telegra.ph",
    "bit.ly",
    "tinyurl.com",
    "t.ly",
    "is.gd",
    "cutt.ly",
    "rb.gy",
    "shorturl.at",
    "goo.gl",
    "ow.ly",
    "v.gd",
    "tiny.cc",
    "rebrand.ly",
    "bitly.com",
    "paste.c-net.org",
    "c-net.org",
    "clbin.com",
    "cl1p.net",
    "uguu.se",
    "fileditch.com",
    "workupload.com",
    "filebin.net",
    "textbin.net",
    "mega.nz",
    "cdn.discordapp.com",
    "codepaste.net",
    "pastes.io",
    "pastelink.net",
    "notes.io",
    "hackmd.io",
];

/// Vendors and registries that public skills name for what they install or call.
const KNOWN: &[&str] = &[
    "github.com",
    "githubusercontent.com",
    "githubcopilot.com",
    "github.io",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "sr.ht",
    "npmjs.org",
    "npmjs.com",
    "pypi.org",
    "pythonhosted.org",
    "crates.io",
    "rubygems.org",
    "packagist.org",
    "maven.org",
    "docker.com",
    "docker.io",
    "ghcr.io",
    "quay.io",
    "astral.sh",
    "rustup.rs",
    "rust-lang.org",
    "bun.sh",
    "bun.com",
    "deno.land",
    "deno.com",
    "nodejs.org",
    "nodesource.com",
    "python.org",
    "golang.org",
    "go.dev",
    "brew.sh",
    "nixos.org",
    "determinate.systems",
    "helm.sh",
    "k8s.io",
    "kubernetes.io",
    "k3s.io",
    "fly.io",
    "vercel.com",
    "netlify.com",
    "heroku.com",
    "railway.app",
    "railway.com",
    "render.com",
    "supabase.com",
    "supabase.co",
    "neon.tech",
    "cloudflare.com",
    "amazonaws.com",
    "aws.amazon.com",
    "amazon.com",
    "google.com",
    "googleapis.com",
    "cloud.google.com",
    "gstatic.com",
    "microsoft.com",
    "azure.com",
    "windows.net",
    "live.com",
    "office.com",
    "aka.ms",
    "visualstudio.com",
    "powershellgallery.com",
    "chocolatey.org",
    "scoop.sh",
    "get.scoop.sh",
    "apple.com",
    "openai.com",
    "anthropic.com",
    "claude.ai",
    "claude.com",
    "cursor.com",
    "cursor.sh",
    "huggingface.co",
    "hf.co",
    "ollama.com",
    "ollama.ai",
    "openrouter.ai",
    "mistral.ai",
    "cohere.com",
    "deepseek.com",
    "groq.com",
    "replicate.com",
    "fal.ai",
    "fal.run",
    "elevenlabs.io",
    "deepgram.com",
    "assemblyai.com",
    "stripe.com",
    "twilio.com",
    "sendgrid.com",
    "mailgun.net",
    "resend.com",
    "slack.com",
    "discord.com",
    "telegram.org",
    "notion.com",
    "notion.so",
    "linear.app",
    "atlassian.com",
    "atlassian.net",
    "figma.com",
    "airtable.com",
    "shopify.com",
    "hubspot.com",
    "hubapi.com",
    "salesforce.com",
    "zapier.com",
    "sentry.io",
    "datadoghq.com",
    "grafana.com",
    "grafana.net",
    "posthog.com",
    "segment.io",
    "mixpanel.com",
    "elastic.co",
    "mongodb.com",
    "redis.io",
    "redis.com",
    "planetscale.com",
    "prisma.io",
    "hashicorp.com",
    "terraform.io",
    "pulumi.com",
    "snyk.io",
    "semgrep.dev",
    "trivy.dev",
    "aquasecurity.com",
    "anchore.io",
    "sigstore.dev",
    "jetbrains.com",
    "sdkman.io",
    "gradle.org",
    "apache.org",
    "eclipse.org",
    "oracle.com",
    "debian.org",
    "ubuntu.com",
    "fedoraproject.org",
    "redhat.com",
    "archlinux.org",
    "alpinelinux.org",
    "kernel.org",
    "nvidia.com",
    "ngc.nvidia.com",
    "pytorch.org",
    "tensorflow.org",
    "anaconda.com",
    "anaconda.org",
    "conda.io",
    "mamba.pm",
    "prefix.dev",
    "pixi.sh",
    "julialang.org",
    "r-project.org",
    "posit.co",
    "tuna.tsinghua.edu.cn",
    "aliyun.com",
    "aliyuncs.com",
    "npmmirror.com",
    "ustc.edu.cn",
    "douban.com",
    "tencent.com",
    "huaweicloud.com",
    "expo.dev",
    "flutter.dev",
    "dart.dev",
    "firebase.google.com",
    "mise.run",
    "mise.jdx.dev",
    "asdf-vm.com",
    "starship.rs",
    "get.pnpm.io",
    "pnpm.io",
    "yarnpkg.com",
    "volta.sh",
    "unpkg.com",
    "jsdelivr.net",
    "esm.sh",
    "cdnjs.com",
    "wasmtime.dev",
    "wasmer.io",
    "fnm.vercel.app",
    "install.python-poetry.org",
    "python-poetry.org",
    "rye-up.com",
    "rye.astral.sh",
    "getcomposer.org",
    "composer.org",
    "symfony.com",
    "laravel.com",
    "cli.doppler.com",
    "doppler.com",
    "infisical.com",
    "tailscale.com",
    "cli.github.com",
    "sonarsource.com",
    "codecov.io",
    "circleci.com",
    "buildkite.com",
    "jfrog.io",
    "jfrog.com",
    "sourcegraph.com",
    "modal.com",
    "wandb.ai",
    "langchain.com",
    "smith.langchain.com",
    "pinecone.io",
    "weaviate.io",
    "qdrant.tech",
    "tavily.com",
    "exa.ai",
    "perplexity.ai",
    "firecrawl.dev",
    "apify.com",
    "brave.com",
    "serper.dev",
    "jina.ai",
    "browserbase.com",
    "x.ai",
    "x.com",
    "twitter.com",
    "linkedin.com",
    "reddit.com",
    "youtube.com",
    "wikipedia.org",
    "shields.io",
    "badgen.net",
    "badge.fury.io",
    "apollo.dev",
    "repobeats.axiom.co",
    "star-history.com",
    "arxiv.org",
    "nih.gov",
    "wolframalpha.com",
    "openstreetmap.org",
    "dot.net",
    "nuget.org",
    "tessl.io",
    "skills.sh",
    "factory.ai",
    "sst.dev",
    "opencode.ai",
    "foundry.paradigm.xyz",
    "paradigm.xyz",
    "solana.com",
    "anza.xyz",
    "starkup.sh",
    "sui.io",
    "aptos.dev",
    "risczero.com",
    "coinbase.com",
    "ethereum.org",
    "temporal.io",
    "dagger.io",
    "cilium.io",
    "istio.io",
    "linkerd.io",
    "fluxcd.io",
    "argoproj.io",
    "dapr.io",
    "nextflow.io",
    "encore.dev",
    "zed.dev",
    "warp.dev",
    "ampcode.com",
    "qlty.sh",
    "trunk.io",
    "moonrepo.dev",
    "devbox.sh",
    "jetify.com",
    "jetpack.io",
    "flox.dev",
    "tiup-mirrors.pingcap.com",
    "pingcap.com",
    "cockroachlabs.com",
    "clickhouse.com",
    "duckdb.org",
    "motherduck.com",
    "turso.tech",
    "tur.so",
    "convex.dev",
];
