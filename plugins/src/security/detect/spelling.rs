//! Reports programs that encode the names of modules and secrets in hex or base64, one string at a time. Each string is
//! too short to be decoded as text, but two such names are not a coincidence.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;

use super::Of;
use super::sending::has_any;
use crate::security::signals::{Match, Signal};

/// The minimum total length of the names, in bytes.
const SHORTEST: usize = 8;

/// Modules and functions with which a program reads files, runs programs or connects to other machines, in lower case.
const MODULES: [&str; 18] = [
    "fs",
    "os",
    "net",
    "tls",
    "dns",
    "vm",
    "http",
    "https",
    "child_process",
    "subprocess",
    "socket",
    "urllib",
    "urllib.request",
    "requests",
    "ctypes",
    "execsync",
    "process",
    "environ",
];

/// Substrings of the names of secrets, in lower case.
const SECRETS: [&str; 16] = [
    "_token",
    "_secret",
    "secret_",
    "password",
    "private_key",
    "api_key",
    "access_key",
    ".npmrc",
    ".pypirc",
    ".netrc",
    ".ssh",
    ".aws",
    "id_rsa",
    "id_ed25519",
    "credentials",
    "login data",
];

/// A short string in hex or base64.
static STRING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["'`](?:((?:[0-9a-fA-F]{2}){2,48})|([A-Za-z0-9+/]{3,64}={0,2}))["'`]"#)
        .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC110: reports programs that encode the names of modules and secrets.
    pub(super) fn spelt(&mut self) {
        if self.layer.is_sample || !self.layer.layer.is_file() {
            return;
        }
        let signs = [
            "hex",
            "base64",
            "b64decode",
            "atob(",
            "unhexlify",
            "frombase64",
        ];
        for part in self.programs() {
            let lower = self.layer.lower_part(part);
            if !has_any(lower, &signs) {
                continue;
            }
            let Some(at) = spelt_names(self.layer.part(part)) else {
                continue;
            };
            let hit = Match {
                signal: Signal::DecodeRun,
                span: Span::new(part.start + at, part.start + at + 1),
            };
            let what =
                "spells names of modules or secrets in code numbers, which hides them from review";
            self.push_order("SEC110", &hit, true, what);
        }
    }
}

/// If a program encodes the names of at least two modules or secrets, returns the position of the first name.
fn spelt_names(code: &str) -> Option<usize> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut first = None;
    for found in STRING.captures_iter(code) {
        let decoded = [
            found.get(1).and_then(|text| from_hex(text.as_str())),
            found
                .get(1)
                .or_else(|| found.get(2))
                .and_then(|text| from_base64(text.as_str())),
        ];
        let mut decoded = decoded.into_iter().flatten();
        let Some(name) = decoded.find(|name| is_name(name)) else {
            continue;
        };
        first = first.or_else(|| found.get(0).map(|whole| whole.start()));
        names.insert(name);
    }
    let length: usize = names.iter().map(String::len).sum();
    first.filter(|_| names.len() > 1 && length >= SHORTEST)
}

/// Returns whether a decoded string is the name of a module or of a secret.
fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-' | b' ');
    let lower = text.to_ascii_lowercase();
    text.bytes().all(plain) && (MODULES.contains(&&*lower) || has_any(&lower, &SECRETS))
}

/// Decodes hex to ASCII text.
pub(super) fn from_hex(text: &str) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| ascii(digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?))
        .collect()
}

/// Decodes base64 to ASCII text.
pub(super) fn from_base64(text: &str) -> Option<String> {
    let value = |byte: u8| {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        Some(u32::from(value))
    };
    let mut decoded = String::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.trim_end_matches('=').bytes() {
        bits = ((bits << 6) | value(byte)?) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push(ascii((bits >> count) & 0xff)?);
        }
    }
    Some(decoded)
}

/// Returns the ASCII character with the given code.
fn ascii(number: u32) -> Option<char> {
    char::from_u32(number).filter(char::is_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_decoded() {
        assert_eq!(from_hex("6673").as_deref(), Some("fs"));
        assert_eq!(from_hex("ff73"), None);
        assert_eq!(from_base64("ZnM=").as_deref(), Some("fs"));
        assert_eq!(from_base64("TlBNX1RPS0VO").as_deref(), Some("NPM_TOKEN"));
        assert_eq!(from_base64("/////w=="), None);
    }

    #[test]
    fn two_names_are_no_coincidence() {
        for (code, expected) in [
            ("require(d('6673')); env[d('4e504d5f544f4b454e')]", true),
            ("__import__(d(\"c3VicHJvY2Vzcw==\")); d(\"ZnM=\")", true),
            (
                "d('2e6e706d7263') + d('2f2e6177732f63726564656e7469616c73')",
                true,
            ),
            ("require(d('6673')); require(d('6f73'))", false),
            (
                "env[d('4e504d5f544f4b454e')]; env[d('4e504d5f544f4b454e')]",
                false,
            ),
            ("color('6673'); color('ffaa00'); color('00ff00')", false),
            ("['token', 'data', 'name', 'list', 'text']", false),
            ("sha('5f4dcc3b5aa765d61d8327deb882cf99')", false),
        ] {
            assert_eq!(spelt_names(code).is_some(), expected, "{code}");
        }
    }
}
