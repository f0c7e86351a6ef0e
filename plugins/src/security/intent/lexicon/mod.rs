//! The words for each concept, with one file for each language.
//!
//! An entry matches the beginning of a word: `upload` also matches `uploads` and `uploading`. An entry that ends with
//! `$` matches only a whole word. An entry may be a phrase, with one space between words.

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod korean;
mod meaning;
mod russian;
mod spanish;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use skillc_core::words::WordSet;

use self::meaning::is_meant;
use crate::security::plain_letter;

/// A set of concepts, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Concepts(u64);

impl Concepts {
    /// Something is sent or handed over.
    pub(crate) const SEND: Self = Self(1);
    /// Keys and passwords, and where they are stored.
    pub(crate) const SECRET: Self = Self(1 << 1);
    /// Secrets other than the API key of a service: private keys, passwords, cookies.
    pub(crate) const STRONG: Self = Self(1 << 2);
    /// Data that no honest skill asks for: recovery phrases, card numbers, one-time codes.
    pub(crate) const PRIZE: Self = Self(1 << 3);
    /// Environment variables.
    pub(crate) const ENVIRONMENT: Self = Self(1 << 4);
    /// Private text: conversations, emails, open files.
    pub(crate) const TALK: Self = Self(1 << 5);
    /// The conversation between the user and the agent.
    pub(crate) const THREAD: Self = Self(1 << 6);
    /// Files beyond the task: the home folder, other projects.
    pub(crate) const WIDE: Self = Self(1 << 7);
    /// All of something, or every time.
    pub(crate) const ALL: Self = Self(1 << 8);
    /// Something is searched for and collected.
    pub(crate) const COLLECT: Self = Self(1 << 9);
    /// Something is encoded, for example to fit into an address.
    pub(crate) const ENCODE: Self = Self(1 << 10);
    /// Something is read, opened or downloaded.
    pub(crate) const LOAD: Self = Self(1 << 11);
    /// Instructions are carried out.
    pub(crate) const OBEY: Self = Self(1 << 12);
    /// Something takes precedence over the user or over other instructions.
    pub(crate) const RANK: Self = Self(1 << 13);
    /// Rules are dropped, or something takes precedence over them.
    pub(crate) const DROP: Self = Self(1 << 14);
    /// The agent's rules.
    pub(crate) const RULES: Self = Self(1 << 15);
    /// The agent is to be free from rules.
    pub(crate) const FREED: Self = Self(1 << 16);
    /// An agent is mentioned or addressed.
    pub(crate) const AGENT: Self = Self(1 << 17);
    /// Something is written or kept.
    pub(crate) const WRITE: Self = Self(1 << 18);
    /// Memory, rules and settings, which later sessions obey.
    pub(crate) const LASTING: Self = Self(1 << 19);
    /// Settings that let an agent act without asking.
    pub(crate) const OPEN: Self = Self(1 << 20);
    /// A claim that the user wants something, or that something was checked.
    pub(crate) const FALSE: Self = Self(1 << 21);
    /// Values are changed or deleted.
    pub(crate) const CHANGE: Self = Self(1 << 22);
    /// Something is deleted.
    pub(crate) const DELETE: Self = Self(1 << 23);
    /// The user's data: records, amounts, files, backups.
    pub(crate) const GOODS: Self = Self(1 << 24);
    /// Money, payments and accounts.
    pub(crate) const MONEY: Self = Self(1 << 25);
    /// Checks that protect users: signatures, tests, access control.
    pub(crate) const GUARD: Self = Self(1 << 26);
    /// Text from third parties: emails, web pages, issues.
    pub(crate) const FOREIGN: Self = Self(1 << 27);
    /// Something is approved or trusted.
    pub(crate) const TRUST: Self = Self(1 << 28);
    /// The skill is to be used before anything else, or on every request.
    pub(crate) const FIRST: Self = Self(1 << 29);
    /// A negation.
    pub(crate) const NOT: Self = Self(1 << 30);
    /// Someone is told or shown something.
    pub(crate) const TELL: Self = Self(1 << 31);
    /// The user asks what the agent did.
    pub(crate) const ASKED: Self = Self(1 << 32);
    /// The agent answers.
    pub(crate) const SAY: Self = Self(1 << 33);
    /// Something is to go unnoticed.
    pub(crate) const HIDE: Self = Self(1 << 34);
    /// Something may be meant to go unnoticed.
    pub(crate) const QUIET: Self = Self(1 << 35);
    /// Something is done without asking the user.
    pub(crate) const UNASKED: Self = Self(1 << 36);
    /// The user is asked, or decides.
    pub(crate) const CONSENT: Self = Self(1 << 37);
    /// Signing in to a service, and the service's documentation.
    pub(crate) const SIGN_IN: Self = Self(1 << 38);
    /// A claim that something was approved or agreed to.
    pub(crate) const CLAIMED: Self = Self(1 << 40);
    /// Attackers are mentioned.
    pub(crate) const ATTACKER: Self = Self(1 << 39);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A concept and its words, separated by `|`.
type Entry = (Concepts, &'static str);

const LANGUAGES: [&[Entry]; 8] = [
    chinese::WORDS,
    english::WORDS,
    french::WORDS,
    german::WORDS,
    japanese::WORDS,
    korean::WORDS,
    russian::WORDS,
    spanish::WORDS,
];

/// A word of the lexicon that was found in text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub(crate) concept: Concepts,
    /// The start of the word, as a byte offset in the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

struct Lexicon {
    words: WordSet,
    /// For each word, its concepts, and for each concept, whether only the whole word matches.
    kinds: Vec<Vec<(Concepts, bool)>>,
}

static ALL: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut kinds: BTreeMap<String, Vec<(Concepts, bool)>> = BTreeMap::new();
    for (concept, words) in LANGUAGES.into_iter().flatten() {
        for word in words.split('|') {
            let kind = (*concept, word.ends_with('$'));
            let word = word.trim_end_matches('$');
            let spellings = [word.to_owned(), word.replace('\'', "\u{2019}"), plain(word)];
            for spelling in BTreeSet::from(spellings) {
                kinds.entry(spelling).or_default().push(kind);
            }
        }
    }
    Lexicon {
        words: WordSet::new(kinds.keys().map(String::as_str)),
        kinds: kinds.into_values().collect(),
    }
});

/// Removes the accents of Latin letters from a word, as in the folded text of a layer.
fn plain(word: &str) -> String {
    let plain = |c: char| plain_letter(c).unwrap_or(c);
    word.chars().map(plain).collect()
}

/// Returns the words of the lexicon in `text`, ordered by start, except words that have another
/// [meaning](is_meant) there. `text` must be in lower case: see [`skillc_core::words::lower`].
pub(crate) fn words(text: &str) -> Vec<Word> {
    let is_letter = |c: char| c.is_alphanumeric() && !is_joined(c);
    let mut found = Vec::new();
    ALL.words.find(text.as_bytes(), |word, start, end| {
        let is_part = |c: char| !c.is_ascii() && is_letter(c);
        // A word that begins with an [`is_joined`] letter may follow another letter directly. For words that begin with
        // an ASCII letter, the set has already checked that no letter precedes them.
        if text[start..].starts_with(is_part) && text[..start].ends_with(is_letter) {
            return;
        }
        let goes_on = text[end..].starts_with(is_letter);
        for (concept, is_whole) in &ALL.kinds[word] {
            if !(*is_whole && goes_on) && is_meant(text, *concept, start, end) {
                found.push(Word {
                    concept: *concept,
                    start,
                    end,
                });
            }
        }
    });
    found
}

/// Returns whether a letter is Japanese, Chinese or Korean. These languages write words without spaces, or attach
/// endings to words.
const fn is_joined(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use skillc_core::words::lower;

    use super::*;

    fn concepts(text: &str) -> Concepts {
        let found = words(&lower(text)).into_iter();
        found.fold(Concepts::default(), |all, word| all.with(word.concept))
    }

    #[test]
    fn words_are_found_by_their_stems_in_several_languages() {
        for text in [
            "Uploading the cookies",
            "Отправь пароли",
            "上传密码",
            "パスワードを送信",
            "비밀번호를 전송",
            "Envíe la contraseña",
            "Envoyez le mot de passe",
            "Schicke das Kennwort",
        ] {
            assert!(
                concepts(text).has(Concepts::SEND.with(Concepts::SECRET)),
                "{text}"
            );
        }
        for text in ["außer Kraft", "auser Kraft"] {
            assert!(concepts(text).has(Concepts::DROP), "{text}");
        }
        assert_eq!(concepts("a resend of presents"), Concepts::default());
    }
}
