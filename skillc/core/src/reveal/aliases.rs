//! Undoes renamed imports: `import requests as r` and `from urllib.request import urlopen as u`.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Decoded, Encoding};
use crate::source::lines::Span;

/// The most names that are undone in a text.
const MAX_ALIASES: usize = 50;

static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*import\s+([\w.]{2,40})\s+as\s+(\w{1,30})\b").expect("a pattern")
});
static PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*from\s+([\w.]{2,40})\s+import\s+(\w{1,30})(?:\s+as\s+(\w{1,30}))?\s*$")
        .expect("a pattern")
});
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b[A-Za-z_]\w*\s*[.(]").expect("a pattern"));

/// Modules that download, send or run something.
const MODULES: [&str; 9] = [
    "requests",
    "urllib.request",
    "urllib",
    "httpx",
    "subprocess",
    "os",
    "socket",
    "base64",
    "builtins",
];

/// Gives out a text with the modules under their own names, if any is renamed.
pub(super) fn undo(text: &str, found: &mut Vec<Decoded>) {
    if memchr::memmem::find(text.as_bytes(), b"import ").is_none() {
        return;
    }
    let mut names: HashMap<&str, String> = HashMap::new();
    for alias in WHOLE.captures_iter(text).take(MAX_ALIASES) {
        let (Some(module), Some(name)) = (alias.get(1), alias.get(2)) else {
            continue;
        };
        if MODULES.contains(&module.as_str()) && module.as_str() != name.as_str() {
            names.insert(name.as_str(), module.as_str().to_owned());
        }
    }
    for alias in PART.captures_iter(text).take(MAX_ALIASES) {
        let (Some(module), Some(member)) = (alias.get(1), alias.get(2)) else {
            continue;
        };
        if MODULES.contains(&module.as_str()) {
            let name = alias.get(3).unwrap_or(member).as_str();
            names.insert(name, format!("{}.{}", module.as_str(), member.as_str()));
        }
    }
    if names.is_empty() {
        return;
    }
    let plain = WORD.replace_all(text, |word: &regex::Captures<'_>| {
        let whole = &word[0];
        let name = whole.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '('));
        match names.get(name) {
            Some(own) => whole.replacen(name, own, 1),
            None => whole.to_owned(),
        }
    });
    found.push(Decoded {
        span: Span::new(0, text.len()),
        text: plain.into_owned(),
        encoding: Encoding::Renamed,
    });
}
