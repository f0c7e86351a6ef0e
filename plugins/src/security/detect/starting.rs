//! Reports start-up files of editors and other tools that run downloaded code with functions of the tool, and code that
//! assembles the address of a host from parts.
//!
//! Downloads that a shell runs are found in any file. Editors have their own languages, in which the download and the
//! code that runs it are calls of different functions.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::sending::has_any;
use super::{MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::Examined;
use crate::security::expression::AnyOf;
use crate::security::hosts::{HostKind, addresses};
use crate::security::signals::{Match, Signal};

/// The number of bytes after a download that are searched for the code that runs it.
const AFTER: usize = 500;

/// The number of bytes before a download that are searched for a call that runs its result.
const BEFORE: usize = 60;

/// Every match of [`DOWNLOAD`] contains at least one of these strings, in lower case.
static DOWNLOADS: AnyOf = AnyOf::new(&[
    "url-retrieve",
    "url-insert",
    "hs.http",
    "vim.fn.system",
    "vim.system",
    "io.popen",
    "curl.get",
    "system(",
    "systemlist(",
    "source(",
]);

/// A download by a function of a tool. All expressions in this file match text in lower case.
static DOWNLOAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\(url-(?:retrieve|insert)[\w-]*\s+\(?[^\n]{0,40}?"https?://[^"\n]+"|\bhs\.http\.\w+\s*\(\s*["'\[]+https?://[^"'\]\n]+|\b(?:vim\.(?:fn\.)?system(?:list)?|io\.popen|(?:plenary\.)?curl\.get|system(?:list)?)\s*\(\s*[^\n]{0,100}?https?://[^"'\s\n]+|\bsource\s*\(\s*(?:url\s*\()?\s*["']https?://[^"'\n]+"#,
    ))
    .expect("a pattern")
});

/// Code after a download that runs it.
static RUNS_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\((?:eval-(?:buffer|region|current-buffer|last-sexp|print-last-sexp)|eval\s+\(read|load-file)\b|\b(?:load|loadstring|dofile)\s*\(",
    ))
    .expect("a pattern")
});

/// Code directly before a download that runs it.
static RUNS_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"(?:\b(?:load|loadstring)\s*\(\s*|\bexec?(?:ute)?\s+(?:join\s*\(\s*)?|\.first\s*(?:<-|=)\s*function\s*\(\)\s*\{?\s*)$",
    ))
    .expect("a pattern")
});

/// Every match of [`SPLIT`] contains at least one of these strings, in lower case.
static SPLITS: AnyOf = AnyOf::new(&[
    "'h'", "'ht'", "'htt'", "'http'", "\"h\"", "\"ht\"", "\"htt\"", "\"http\"",
]);

/// Strings one after another, the first of which is the beginning of the name of a scheme.
static SPLIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"["'](?:h|ht|htt|http)["'](?:\s*(?:,|\.{1,2}|\+)\s*["'][^"'\n]{1,60}["']){1,12}"#,
    ))
    .expect("a pattern")
});

/// Substrings of code that connects to other machines, in lower case.
const CONNECTS: [&str; 11] = [
    "curl",
    "wget",
    "fetch",
    "request",
    "url-retrieve",
    "invoke-",
    "urlopen",
    "download",
    "socket",
    "hs.http",
    "http.get",
];

impl Of<'_, '_> {
    /// SEC101, SEC110: reports downloads that a tool runs, and addresses that are assembled from parts.
    pub(super) fn starting(&mut self) {
        if self.layer.is_sample || !self.layer.layer.is_file() {
            return;
        }
        for part in self.written_code() {
            self.downloaded_by_tool(part);
            self.split_address(part);
        }
    }

    /// Reports code that a tool downloads from an unknown host and runs.
    fn downloaded_by_tool(&mut self, part: Span) {
        let layer = self.layer;
        let code = layer.lower_part(part);
        if !DOWNLOADS.is_in(code) || !has_any(code, &["eval", "load", "exe", "dofile", ".first"]) {
            return;
        }
        let found = DOWNLOAD.find_iter(code);
        for found in found.most(MOST_EXAMINED, &layer.left_out) {
            let before =
                &code[char_floor(code, found.start().saturating_sub(BEFORE))..found.start()];
            let after = &code[found.end()..char_floor(code, found.end() + AFTER)];
            let is_r = found.as_str().starts_with("source");
            let is_run = RUNS_BEFORE.is_match(before) || !is_r && RUNS_AFTER.is_match(after);
            if !is_run {
                continue;
            }
            let hit = Match {
                signal: Signal::FetchRun,
                span: Span::new(part.start + found.start(), part.start + found.end()),
            };
            let address = layer.worst(hit.span);
            let Some(address) = address.filter(|address| address.kind >= HostKind::Other) else {
                continue;
            };
            if self.is_foreign(&address) {
                let what = format!(
                    "runs what it downloads from '{}' ({})",
                    address.host,
                    address.kind.words()
                );
                self.push_order("SEC101", &hit, !self.is_exhibit(hit.span), &what);
                return;
            }
        }
    }

    /// Reports an address that code assembles from parts, so that reviewers cannot find it.
    fn split_address(&mut self, part: Span) {
        let layer = self.layer;
        let code = layer.lower_part(part);
        if !SPLITS.is_in(code) || !has_any(code, &CONNECTS) {
            return;
        }
        let found = SPLIT.find_iter(code);
        for found in found.most(MOST_EXAMINED, &layer.left_out) {
            let joined = joined(found.as_str());
            if !joined.starts_with("http://") && !joined.starts_with("https://") {
                continue;
            }
            let all = addresses(&joined, 1);
            let Some(address) = all.first().filter(|address| self.is_foreign(address)) else {
                continue;
            };
            let hit = Match {
                signal: Signal::DecodeRun,
                span: Span::new(part.start + found.start(), part.start + found.end()),
            };
            let what = format!("hides the address of '{}'", address.host);
            self.push_order("SEC110", &hit, !self.is_exhibit(hit.span), &what);
            return;
        }
    }
}

/// Returns the strings in a piece of code, one after another. `code`: strings with single or double quotes, and the
/// signs between them.
fn joined(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(start) = rest.find(['"', '\'']) {
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(['"', '\'']) else {
            break;
        };
        out.push_str(&inner[..end]);
        rest = &inner[end + 1..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [&DOWNLOAD, &RUNS_AFTER, &RUNS_BEFORE, &SPLIT] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn the_parts_of_an_address_are_joined() {
        for (code, expected) in [
            ("'ht','tps:/','/a.io/b'", "https://a.io/b"),
            ("\"h\" .. \"ttp://a\" .. '.io'", "http://a.io"),
            ("'http', 'https'", "httphttps"),
        ] {
            assert!(SPLITS.is_in(code) && SPLIT.is_match(code), "{code}");
            assert_eq!(joined(code), expected);
        }
    }
}
