//! Confirmation tokens: authenticated state that a client returns with the answer to a question. A token is bound to
//! the version of the skill that the question was about. It expires, and can be used only once.
//!
//! The key is random, generated per process, and never leaves it. A forged or altered token is rejected.
//!
//! Design: catalog-policy, D21.

use std::collections::HashMap;
use std::sync::OnceLock;

use parking_lot::Mutex;
use serde_json::json;
use skillc_core::hash::Sha;
use skillc_ops::random;

/// The lifetime of a token, in milliseconds.
const LIFE_MS: i64 = 10 * 60 * 1_000;

/// The maximum number of used tokens that are remembered. Once it is reached, all tokens are rejected until some of the
/// used tokens expire.
const MAX_USED: usize = 4_096;

/// Issues and checks the tokens of a process.
#[derive(Default)]
pub(crate) struct ConfirmTokens {
    /// `None` if the system provides no randomness.
    key: OnceLock<Option<[u8; 32]>>,
    /// The nonces of used tokens, with their expiry times, to prevent replay.
    used: Mutex<HashMap<String, i64>>,
}

impl ConfirmTokens {
    /// Creates a token; `None` if the system provides no randomness. `about`: identifies the version of the skill that
    /// the answer applies to. `now_ms`: milliseconds since 1970.
    pub(crate) fn seal(&self, about: &str, now_ms: i64) -> Option<String> {
        let nonce = random::hex::<16>().ok()?;
        let until = now_ms.saturating_add(LIFE_MS);
        let tag = self.tag(about, &nonce, until)?;
        Some(format!("{nonce}.{until}.{tag}"))
    }

    /// Returns whether a token is valid for this question, and marks it as used.
    pub(crate) fn redeem(&self, text: &str, about: &str, now_ms: i64) -> bool {
        let mut parts = text.splitn(3, '.');
        let (Some(nonce), Some(until), Some(tag)) = (parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        let (Ok(until), Some(tag)) = (until.parse::<i64>(), Sha::parse(tag)) else {
            return false;
        };
        let expected = self.tag(about, nonce, until);
        let is_ours = expected.is_some_and(|expected| expected.constant_time_eq(&tag));
        is_ours && now_ms < until && self.first_use(nonce, until, now_ms)
    }

    fn first_use(&self, nonce: &str, until: i64, now_ms: i64) -> bool {
        let mut used = self.used.lock();
        used.retain(|_, until| now_ms < *until);
        used.len() < MAX_USED && used.insert(nonce.to_owned(), until).is_none()
    }

    fn tag(&self, about: &str, nonce: &str, until: i64) -> Option<Sha> {
        let key = self.key.get_or_init(|| random::bytes().ok());
        let all = json!([about, nonce, until]).to_string();
        key.as_ref().map(|key| Sha::keyed(key, all.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_valid_once_and_only_for_its_question() {
        let seals = ConfirmTokens::default();
        let seal = seals.seal("/a", 1_000).expect("a key");
        for other in ["/b", "", "/a "] {
            assert!(!seals.redeem(&seal, other, 1_000));
        }
        assert!(!ConfirmTokens::default().redeem(&seal, "/a", 1_000));
        assert!(seals.redeem(&seal, "/a", 1_000));
        assert!(!seals.redeem(&seal, "/a", 1_000));
    }

    #[test]
    fn a_token_expires_and_cannot_be_extended() {
        let seals = ConfirmTokens::default();
        let seal = seals.seal("/a", 0).expect("a key");
        assert!(!seals.redeem(&seal, "/a", LIFE_MS));
        let later = seal.replace(&LIFE_MS.to_string(), &(2 * LIFE_MS).to_string());
        assert_ne!(later, seal);
        assert!(!seals.redeem(&later, "/a", LIFE_MS));
        assert!(seals.redeem(&seal, "/a", LIFE_MS - 1));
    }

    #[test]
    fn anything_else_is_not_a_token() {
        let seals = ConfirmTokens::default();
        let seal = seals.seal("/a", 0).expect("a key");
        let digits = "0".repeat(64);
        let (short, long) = (&seal[..seal.len() - 1], format!("{seal}0"));
        let made_up = format!("nonce.9999.{digits}");
        for text in [
            "",
            "..",
            "a.b.c",
            short,
            &long,
            &made_up,
            &"x".repeat(1 << 20),
        ] {
            assert!(!seals.redeem(text, "/a", 0), "{text}");
        }
    }

    #[test]
    fn used_tokens_are_remembered_only_while_valid() {
        let seals = ConfirmTokens::default();
        for at in [0, LIFE_MS] {
            for _ in 0..MAX_USED {
                let seal = seals.seal("/a", at).expect("a key");
                assert!(seals.redeem(&seal, "/a", at));
            }
            let seal = seals.seal("/a", at).expect("a key");
            assert!(!seals.redeem(&seal, "/a", at));
        }
    }
}
