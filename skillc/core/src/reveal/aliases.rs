//! Replaces the new names of renamed imports with the original names: `import requests as r`,
//! `from urllib.request import urlopen as u`. Does the same with other names for the environment:
//! `const e = process.env`.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Decoded, Encoding};
use crate::source::lines::Span;

static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)^import\s+([\w.]{2,40})\s+as\s+(\w{1,30})\s*$").expect("a pattern")
});
static PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)^from\s+([\w.]{2,40})\s+import\s+(\w{1,30})(?:\s+as\s+(\w{1,30}))?\s*$")
        .expect("a pattern")
});
static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)^(?:(?:const|let|var)\s+)?(\w{1,30})\s*=\s*(?:(?:globalThis|global|window)\.)?(process\.env|os\.environ)\s*;?\s*$")
        .expect("a pattern")
});
/// Matches a name that is used as a value by itself, as in `f(name)`.
static VALUE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)\b[A-Za-z_]\w*\s*[,)}\]]").expect("a pattern"));
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)\b[A-Za-z_]\w*\s*[.(]").expect("a pattern"));

/// Objects whose aliases are replaced even where the object itself is passed as a value.
const WHOLE_VALUES: [&str; 2] = ["os.environ", "process.env"];

/// Returns whether a byte can occur in a name.
const fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Modules that can send, receive or decode data, or run programs.
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

/// If anything was renamed, adds the text with the original names to `found`.
pub(super) fn undo<'a>(text: &'a str, found: &mut Vec<Decoded>) {
    let mut names: HashMap<&str, String> = HashMap::new();
    let is_environment = |line: &str| line.contains("process.env") || line.contains("os.environ");
    let imports = text.lines().map(str::trim_start).filter(|line| {
        let is_import = line.starts_with("import ") || line.starts_with("from ");
        line.len() < 200 && (is_import || is_environment(line))
    });
    for line in imports {
        let group =
            |found: &regex::Captures<'a>, at: usize| found.get(at).map(|part| part.as_str());
        let renamed = if let Some(found) = WHOLE.captures(line) {
            group(&found, 1)
                .zip(group(&found, 2))
                .map(|(module, name)| (module, name, module.to_owned()))
        } else if let Some(found) = PART.captures(line) {
            let parts = group(&found, 1).zip(group(&found, 2));
            parts.map(|(module, member)| {
                let name = group(&found, 3).unwrap_or(member);
                (module, name, format!("{module}.{member}"))
            })
        } else if let Some(found) = ENVIRONMENT.captures(line) {
            let parts = group(&found, 1).zip(group(&found, 2));
            parts.map(|(name, own)| ("os", name, own.to_owned()))
        } else {
            None
        };
        if let Some((_, name, own)) =
            renamed.filter(|(module, name, _)| MODULES.contains(module) && module != name)
        {
            names.insert(name, own);
        }
    }
    if names.is_empty() {
        return;
    }
    let original = |word: &regex::Captures<'_>, is_value: bool| {
        let whole = &word[0];
        let length = whole.bytes().take_while(|byte| is_in_name(*byte)).count();
        let name = &whole[..length];
        let is_environment = |own: &&String| WHOLE_VALUES.contains(&own.as_str());
        match names
            .get(name)
            .filter(|own| !is_value || is_environment(own))
        {
            Some(own) => whole.replacen(name, own, 1),
            None => whole.to_owned(),
        }
    };
    let called = WORD.replace_all(text, |word: &regex::Captures<'_>| original(word, false));
    let plain = VALUE.replace_all(&called, |word: &regex::Captures<'_>| original(word, true));
    if plain == text {
        return;
    }
    found.push(Decoded {
        span: Span::new(0, text.len()),
        text: plain.into_owned(),
        encoding: Encoding::Renamed,
    });
}
