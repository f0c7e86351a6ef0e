//! Reports programs that take something along: encoded data in DNS lookups, keys that are pushed with git, the cookies
//! of all sites, settings that are posted to a fixed chat, and programs that they download and run.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::sending::has_any;
use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::flow::{is_weak, trimmed};
use crate::security::hosts::HostKind;
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};

/// How far before a DNS lookup its data is encoded, in bytes.
const ENCODING: usize = 500;

/// How far before a push the pushed files are copied, in bytes.
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

/// A call or command that makes unique names at random, or that decodes.
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

/// The use of cookies of one site only.
static ONE_SITE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bdomain_name\b|\bdomains?\s*=|\bin\s+\w+\.domain\b|\.domain\s*(?:==|===|\.endswith|\.includes|\.match)|\b(?:chrome_cookies|getcookies)\(\s*\w",
    ))
    .expect("a pattern")
});

/// The values of cookies, as opposed to a jar of cookies with which a program signs in.
static COOKIE_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(r#"\b\w+\.value\b|\[\s*["']value["']\s*\]"#)).expect("a pattern")
});

/// A chat that is fixed in the program: the address or the token of a webhook or bot.
static FIXED_CHAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"/api/webhooks/\d{17,20}/[\w-]{50,80}|hooks\.slack\.com/services/t\w{6,14}/b\w{6,14}/\w{18,28}|(?:/bot|["'])\d{8,11}:[\w-]{33,37}\b"#,
    ))
    .expect("a pattern")
});

/// The name of a file with settings and keys, as opposed to an object such as `process.env`.
static SETTINGS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&ascii_words(r"(?:^|[^\w)\]}])\.env\b")).expect("a pattern"));

/// A program that is written to a file, with the name of the variable for the file.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\b(?:createwritestream|writefile(?:sync)?)\(\s*([a-z_]\w*)\b|\burlretrieve\([^,\n]{1,200},\s*([a-z_]\w*)\b|\bopen\(\s*([a-z_]\w*)\s*,\s*["']wb|\b([a-z_]\w*)\.write_bytes\("#,
    ))
    .expect("a pattern")
});

/// The name of the variable for a file that is made a program.
static MADE_PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bchmod(?:sync)?\(\s*([a-z_]\w*)\s*,\s*(?:0o?[1-7]*[1357][0-7]{0,2}\b|[^\n)]{0,40}s_ix|.[+a]*x)|\b([a-z_]\w*)\.chmod\(",
    ))
    .expect("a pattern")
});

/// A call that starts a program, with the name of the variable for the program.
static STARTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\b(?:spawn|spawnsync|execfile|execfilesync|exec|execsync|popen|run|call|check_call|check_output|system|startfile|execv)\(\s*(?:\[\s*)?(?:str\(\s*)?(?:[f]?["'`][\s\\"']{0,3}\$?\{)?([a-z_]\w*)\b"#,
    ))
    .expect("a pattern")
});

/// Signs that a program checks what it downloads.
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
    /// SEC101, SEC103, SEC104: reports what a program takes along or brings.
    pub(super) fn taken(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() {
            return;
        }
        self.looked_up();
        if layer.is_script {
            self.keys_pushed();
            self.cookies_sent();
            self.settings_posted();
            self.installed_program();
        }
    }

    /// Reports encoded data that is a part of the names in DNS lookups.
    fn looked_up(&mut self) {
        for hit in self.all(Signal::DnsLookup).take(MOST_EXAMINED) {
            let before = Span::new(hit.span.start.saturating_sub(ENCODING), hit.span.end);
            let text = self.layer.lower_part(before);
            if has_any(text, &HARMLESS) || !ENCODES.is_match(text) {
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

    /// Reports keys that are copied into a repository and pushed to a fixed address.
    fn keys_pushed(&mut self) {
        let layer = self.layer;
        for hit in self.all(Signal::PushAway).take(MOST_EXAMINED) {
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
        let files = layer.of(Signal::SecretFile).take(MOST_EXAMINED);
        let mut files = files.filter(|file| file.span.start < span.end);
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

    /// Reports a script that sends the cookies of all sites to an unknown host.
    fn cookies_sent(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        let Some(at) = COOKIES.iter().find_map(|name| code.find(*name)) else {
            return;
        };
        let Some(send) = layer.of(Signal::Send).next().copied() else {
            return;
        };
        if ONE_SITE.is_match(code) || !COOKIE_VALUE.is_match(code) {
            return;
        }
        let Some(target) = self.target() else { return };
        let read = Match {
            signal: Signal::SecretFile,
            span: Span::new(at, at + 1),
        };
        if self.is_order(&read) {
            let what = format!("reads the cookies of all sites and sends them to {target}");
            self.push("SEC103", send.span, !self.view.is_security, &what);
        }
    }

    /// Reports a script that reads the settings in the user's home folder and posts them to a fixed chat.
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

    /// Reports a script that downloads a program from a foreign host and runs it without a check.
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
        let written: Vec<String> = WRITTEN
            .captures_iter(code)
            .take(MOST_EXAMINED)
            .filter_map(|of| name(&of))
            .collect();
        let made: Vec<String> = MADE_PROGRAM
            .captures_iter(code)
            .take(MOST_EXAMINED)
            .filter_map(|of| name(&of))
            .collect();
        let started = STARTED.captures_iter(code).take(MOST_EXAMINED).find(|of| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [
            &ENCODES,
            &SPLITS,
            &ONE_SITE,
            &COOKIE_VALUE,
            &FIXED_CHAT,
            &SETTINGS,
            &WRITTEN,
            &MADE_PROGRAM,
            &STARTED,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
    }
}
