//! Finds secrets, such as access tokens, by the formats that their issuers use, and masks them.
//!
//! Findings, their excerpts and the diffs of fixes mask the secrets of a skill. Commands that print the skill's own
//! text, such as `skc show`, do not.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use crate::source::lines::Span;

/// A secret found in a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The position of the secret in the text, in bytes.
    pub span: Span,
    /// The kind of the secret, with its issuer: `an AWS access key`.
    pub issuer: &'static str,
    /// The first few characters of the secret, followed by `…`.
    pub masked: String,
}

/// The words that the first line of every private key contains.
const PRIVATE_KEY: &str = "PRIVATE KEY";

/// The formats, each with a word that occurs in all of its secrets, a regular expression, and the kind of the secret.
const FORMATS: &[(&str, &str, &str)] = &[
    ("AKIA", r"\bAKIA[0-9A-Z]{16}\b", "an AWS access key"),
    ("ASIA", r"\bASIA[0-9A-Z]{16}\b", "an AWS session key"),
    ("ghp_", r"\bghp_[A-Za-z0-9]{36}\b", "a GitHub token"),
    ("gho_", r"\bgho_[A-Za-z0-9]{36}\b", "a GitHub token"),
    ("ghs_", r"\bghs_[A-Za-z0-9]{36}\b", "a GitHub token"),
    (
        "github_pat_",
        r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b",
        "a GitHub token",
    ),
    ("glpat-", r"\bglpat-[A-Za-z0-9_-]{20}\b", "a GitLab token"),
    (
        "sk-ant-",
        r"\bsk-ant-(?:api|admin)\d\d-[A-Za-z0-9_-]{80,110}",
        "an Anthropic key",
    ),
    (
        "sk-proj-",
        r"\bsk-proj-[A-Za-z0-9_-]{60,180}",
        "an OpenAI key",
    ),
    (
        "T3BlbkFJ",
        r"\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\b",
        "an OpenAI key",
    ),
    (
        "xoxb-",
        r"\bxoxb-\d{9,14}-\d{9,14}-[A-Za-z0-9]{20,30}\b",
        "a Slack token",
    ),
    (
        "xoxp-",
        r"\bxoxp-\d{9,14}-\d{9,14}-\d{9,14}-[a-f0-9]{28,34}\b",
        "a Slack token",
    ),
    (
        "hooks.slack.com",
        r"hooks\.slack\.com/services/T[A-Z0-9]{8,11}/B[A-Z0-9]{8,11}/[A-Za-z0-9]{24}\b",
        "a Slack webhook",
    ),
    (
        "sk_live_",
        r"\bsk_live_[A-Za-z0-9]{24,99}\b",
        "a Stripe key",
    ),
    (
        "rk_live_",
        r"\brk_live_[A-Za-z0-9]{24,99}\b",
        "a Stripe key",
    ),
    ("AIza", r"\bAIza[A-Za-z0-9_-]{35}\b", "a Google API key"),
    (
        "GOCSPX-",
        r"\bGOCSPX-[A-Za-z0-9_-]{28}\b",
        "a Google client secret",
    ),
    (
        "SG.",
        r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b",
        "a SendGrid key",
    ),
    ("npm_", r"\bnpm_[A-Za-z0-9]{36}\b", "an npm token"),
    (
        "pypi-",
        r"\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,200}",
        "a PyPI token",
    ),
    ("hf_", r"\bhf_[A-Za-z]{34}\b", "a Hugging Face token"),
    (
        "dop_v1_",
        r"\bdop_v1_[a-f0-9]{64}\b",
        "a DigitalOcean token",
    ),
    ("key-", r"\bkey-[a-f0-9]{32}\b", "a Mailgun key"),
    ("shpat_", r"\bshpat_[a-f0-9]{32}\b", "a Shopify token"),
    (
        "tvly-",
        r"\btvly-(?:dev-|prod-)?[A-Za-z0-9]{32}\b",
        "a Tavily key",
    ),
    ("gsk_", r"\bgsk_[A-Za-z0-9]{52}\b", "a Groq key"),
    ("xai-", r"\bxai-[A-Za-z0-9]{80}\b", "an xAI key"),
    (
        PRIVATE_KEY,
        r"-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY-----\s*(?:\\n)?[A-Za-z0-9+/=\s\\]{120,}",
        "a private key",
    ),
];

struct Formats {
    words: AhoCorasick,
    /// The regular expressions, each compiled when its word is first found.
    patterns: [OnceLock<Regex>; FORMATS.len()],
}

impl Formats {
    fn pattern(&self, of: usize) -> &Regex {
        self.patterns[of].get_or_init(|| {
            Regex::new(&format!("(?-u){}", FORMATS[of].1)).expect("a pattern that a test compiles")
        })
    }
}

static ALL: LazyLock<Formats> = LazyLock::new(|| Formats {
    words: AhoCorasick::new(FORMATS.iter().map(|(word, ..)| word)).expect("words"),
    patterns: [const { OnceLock::new() }; FORMATS.len()],
});

/// A match begins at most this many bytes before the word of its format.
const BEFORE: usize = 40;
/// A match ends at most this many bytes after the word of its format.
const LONGEST: usize = 400;

/// A private key ends at most this many bytes after the match of the regular expression.
const LONGEST_KEY: usize = 16 << 10;

/// The byte that replaces each masked byte, so that the text keeps its length.
const MASK: u8 = b'*';

/// At most this many characters of a secret are shown.
const SHOWN: usize = 8;

/// Returns the secrets in a string, in order and without overlaps. Sample values are excluded.
pub fn find(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found: Vec<Secret> = Vec::new();
    // The end of the last match, including sample values: the next match must begin after it.
    let mut done = 0;
    for word in ALL.words.find_iter(bytes) {
        if word.end() <= done {
            continue;
        }
        let of = word.pattern().as_usize();
        let start = word.start().saturating_sub(BEFORE).max(done);
        let end = (word.end() + LONGEST).min(bytes.len());
        let Some(hit) = ALL.pattern(of).find_at(&bytes[..end], start) else {
            continue;
        };
        let is_key = FORMATS[of].0 == PRIVATE_KEY;
        let last = if is_key {
            key_end(bytes, hit.end())
        } else {
            hit.end()
        };
        let span = Span::new(hit.start(), last);
        done = last;
        if is_sample(hit.as_bytes()) {
            continue;
        }
        let kept = FORMATS[of].0.len().min(SHOWN);
        let shown = text.get(span.start..span.start + kept).unwrap_or_default();
        found.push(Secret {
            span,
            issuer: FORMATS[of].2,
            masked: format!("{shown}…"),
        });
    }
    found
}

/// Returns the end of a private key. `from`: the end of the part that the regular expression matched.
fn key_end(bytes: &[u8], from: usize) -> usize {
    let is_part = |byte: &&u8| {
        byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || matches!(byte, b'+' | b'/' | b'=' | b'\\')
    };
    from + bytes[from..]
        .iter()
        .take(LONGEST_KEY)
        .take_while(is_part)
        .count()
}

/// Returns a string in which only the first few characters of each secret remain, followed by `…`.
pub fn mask(text: &str) -> Cow<'_, str> {
    let secrets = find(text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        out.push_str(&text[at..secret.span.start]);
        out.push_str(&secret.masked);
        at = secret.span.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Masks the secrets in a string without changing any offset: replaces each byte of a secret with `*`, except the first
/// few characters and line ends.
pub fn mask_in_place(text: &mut String) {
    let secrets = find(text);
    mask_spans(text, 0, &secrets);
}

/// Like [`mask_in_place`], for a part of a string whose secrets were already found. `start`: the offset of the part in
/// the string, in bytes.
pub fn mask_spans(part: &mut String, start: usize, secrets: &[Secret]) {
    let end = start + part.len();
    let from = secrets.partition_point(|secret| secret.span.end <= start);
    let inside = secrets[from..]
        .iter()
        .take_while(|secret| secret.span.start < end);
    let mut bytes = None;
    for secret in inside {
        let bytes = bytes.get_or_insert_with(|| std::mem::take(part).into_bytes());
        let kept = secret.span.start + secret.masked.len() - '…'.len_utf8();
        let masked = kept.clamp(start, end) - start..secret.span.end.min(end) - start;
        for byte in &mut bytes[masked] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = MASK;
            }
        }
    }
    if let Some(bytes) = bytes {
        // Secrets are ASCII, so masking splits no character.
        *part = String::from_utf8_lossy(&bytes).into_owned();
    }
}

/// Returns whether a value is a sample rather than a secret: it contains a word such as `example` or a sequence such as
/// `abcdef`, or has few distinct characters.
fn is_sample(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let has = |word: &str| memchr::memmem::find(&lower, word.as_bytes()).is_some();
    let words = [
        "example",
        "xxxx",
        "your",
        "test",
        "fake",
        "dummy",
        "sample",
        "placeholder",
        "redacted",
        "abcdef",
        "1234567",
        "00000",
        "...",
        "changeme",
        "aaaa",
        "insert",
    ];
    if words.iter().any(|word| has(word)) {
        return true;
    }
    let tail = &value[value.len() / 3..];
    let mut counts = [0_u32; 256];
    for byte in tail {
        counts[usize::from(*byte)] += 1;
    }
    let different = counts.iter().filter(|count| **count > 0).count();
    different * 3 < tail.len().min(36)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a token that is assembled at run time, so that no secret scanner finds it in this file.
    fn token() -> String {
        format!("gh{}_{}", "p", "k3JxQ9mZ7vLp2RwT8sYbN4cHd6FgUaWe5oXi")
    }

    #[test]
    fn every_pattern_compiles() {
        for of in 0..FORMATS.len() {
            assert!(ALL.pattern(of).as_str().starts_with("(?-u)"));
        }
    }

    #[test]
    fn a_secret_is_found_and_never_shown() {
        let text = format!("token: {} end", token());
        let found = find(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].masked, "ghp_…");
        assert_eq!(mask(&text), "token: ghp_… end");
    }

    #[test]
    fn secrets_side_by_side_are_all_found() {
        let sample = concat!("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        let text = format!("{} {sample} {} {},{}", token(), token(), token(), token());
        assert_eq!(find(&text).len(), 4);
        let masked = mask(&text).into_owned();
        assert!(!masked.contains("k3JxQ9"), "{masked}");
    }

    #[test]
    fn many_secrets_are_all_masked() {
        let mut text = format!("{}\n", token()).repeat(500);
        let length = text.len();
        mask_in_place(&mut text);
        assert_eq!(text.len(), length);
        assert!(!text.contains("k3J"));
        assert_eq!(text.lines().count(), 500);
    }

    #[test]
    fn the_whole_of_a_private_key_is_masked() {
        let letters = "k3JxQ9mZ7vLp2RwT8sYbN4cHd6FgUaWe5oXik3JxQ9mZ7vLp2RwT8sYbN4cHd6Fg";
        let body = format!("{letters}\n").repeat(25);
        let mut text = format!("-----BEGIN {} KEY-----\n{body}-----END\n", "PRIVATE");
        mask_in_place(&mut text);
        assert!(!text.contains("k3J"), "{text}");
        assert!(text.ends_with("-----END\n"));
    }

    #[test]
    fn a_part_of_a_text_is_masked_by_the_secrets_of_the_whole() {
        let text = format!("a {} é", token());
        let secrets = find(&text);
        for (start, end) in [(0, text.len()), (10, 20), (20, text.len()), (0, 12)] {
            let mut part = text[start..end].to_owned();
            mask_spans(&mut part, start, &secrets);
            assert_eq!(part.len(), end - start);
            assert!(!part.contains("xQ9") && !part.contains("7vL"), "{part}");
        }
    }

    #[test]
    fn made_up_values_are_none() {
        for text in [
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            concat!("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }
}
