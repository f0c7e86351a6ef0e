//! Secrets in texts, by the formats of those that issue them. What is found is masked before anything else sees it.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;
use skillc_core::Span;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) span: Span,
    /// Who issues such a value.
    pub(crate) issuer: &'static str,
    /// Its first letters, without the rest.
    pub(crate) masked: String,
}

/// Formats: a word that every value has, a pattern, who issues it.
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
        "PRIVATE KEY",
        r"-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY-----\s*(?:\\n)?[A-Za-z0-9+/=\s\\]{120,}",
        "a private key",
    ),
];

struct Formats {
    words: AhoCorasick,
    /// Each is compiled when its word is met.
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

/// How far before its word a value may begin, and the longest value, in bytes.
const BEFORE: usize = 40;
const LONGEST: usize = 400;

/// The most secrets of a text.
const MAX_SECRETS: usize = 100;

/// Returns the secrets of a text.
pub(crate) fn secrets(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found: Vec<Secret> = Vec::new();
    for word in ALL.words.find_iter(bytes).take(10_000) {
        let of = word.pattern().as_usize();
        let start = word.start().saturating_sub(BEFORE);
        let end = (word.end() + LONGEST).min(bytes.len());
        let Some(hit) = ALL.pattern(of).find(&bytes[start..end]) else {
            continue;
        };
        let span = Span::new(start + hit.start(), start + hit.end());
        if found.last().is_some_and(|last| last.span.end > span.start) || is_sample(hit.as_bytes())
        {
            continue;
        }
        let value = &text[span.start..span.end];
        let shown: String = value.chars().take(FORMATS[of].0.len().min(8)).collect();
        found.push(Secret {
            span,
            issuer: FORMATS[of].2,
            masked: format!("{shown}…"),
        });
        if found.len() == MAX_SECRETS {
            break;
        }
    }
    found
}

/// Says whether a value is made up: words of an example, few different letters, or a run of the alphabet.
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

/// Masks every secret of a text that is about to be shown.
pub(crate) fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets(text) {
        out.push_str(&text[at..secret.span.start]);
        out.push_str(&secret.masked);
        at = secret.span.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value put together here, so that no scanner finds it in this file.
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
        let found = secrets(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].masked, "ghp_…");
        assert_eq!(mask(&text), "token: ghp_… end");
    }

    #[test]
    fn made_up_values_are_none() {
        for text in [
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            concat!("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ] {
            assert_eq!(secrets(text), [], "{text}");
        }
    }
}
