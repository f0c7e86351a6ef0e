//! Cached facts about the statements of a layer. A cache is needed because a layer may have thousands of matches, each
//! near thousands of others.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::hosts::Address;
use super::view::LayerView;

/// The maximum number of words of a span that are looked up as variables that contain an address. No command line has
/// more words.
const MOST_WORDS: usize = 10_000;

/// Words for reading a file, in lower case.
const READS: [&str; 10] = [
    "readfile",
    "sqlite3",
    "copyfile",
    "shutil.copy",
    "read_text",
    "read_bytes",
    "open(",
    ".read(",
    "cat ",
    "get-content",
];

/// Commands and calls with which a script can decode a hidden value or get a value from another machine.
const DECODERS: [&str; 10] = [
    "base64", "xxd", "rev", "| tr", "printf", "openssl", "curl", "wget", "decode", "reverse",
];

/// The facts about a layer that are known so far.
#[derive(Default)]
pub(crate) struct Known<'a> {
    /// The variable that the statement around a span sets, by span.
    sets: RefCell<HashMap<Span, Option<&'a str>>>,
    /// The words of the most recently examined statement.
    words: RefCell<Option<(Span, Words<'a>)>>,
    /// For each variable, the index of the most suspicious address that is assigned to it.
    held: OnceCell<HashMap<&'a str, usize>>,
    /// The positions of [`READS`], in order.
    reads: OnceCell<Vec<Span>>,
    /// Whether a sentence asks to keep something from the user, by span.
    conceals: RefCell<HashMap<Span, bool>>,
    /// Whether the command of a match copies files from another machine, by span.
    downloads: RefCell<HashMap<Span, bool>>,
    /// The variables that are set on lines with many digits.
    numbers: OnceCell<HashSet<&'a str>>,
    /// The variables that are set on lines with a command that decodes or downloads something.
    decoded: OnceCell<HashSet<&'a str>>,
}

/// The words of a statement.
type Words<'a> = Rc<HashSet<&'a str>>;

impl<'a> LayerView<'a> {
    /// Returns the name of the variable that the statement around a span sets.
    pub(crate) fn sets(&self, span: Span) -> Option<&'a str> {
        let known = self.known.sets.borrow().get(&span).copied();
        known.unwrap_or_else(|| {
            let name = assigned(self.part(self.statement(span)));
            self.known.sets.borrow_mut().insert(span, name);
            name
        })
    }

    /// Returns whether a variable occurs in a statement.
    pub(crate) fn uses(&self, name: &str, statement: Span) -> bool {
        self.words(statement).contains(name)
    }

    /// Returns whether a sentence asks to keep something from the user. `decide`: computes the answer for a sentence
    /// that is not cached.
    pub(crate) fn conceals(&self, sentence: Span, decide: impl FnOnce() -> bool) -> bool {
        let known = self.known.conceals.borrow().get(&sentence).copied();
        known.unwrap_or_else(|| {
            let conceals = decide();
            self.known.conceals.borrow_mut().insert(sentence, conceals);
            conceals
        })
    }

    /// Returns whether the command of a match copies files from another machine. `decide`: computes the answer for a
    /// match that is not cached.
    pub(crate) fn downloads(&self, hit: Span, decide: impl FnOnce() -> bool) -> bool {
        let known = self.known.downloads.borrow().get(&hit).copied();
        known.unwrap_or_else(|| {
            let downloads = decide();
            self.known.downloads.borrow_mut().insert(hit, downloads);
            downloads
        })
    }

    /// Returns whether a variable is set on a line with many digits. Tokens and chat ids have many digits, and
    /// placeholders have few.
    pub(crate) fn sets_number(&self, name: &str) -> bool {
        let numbers = self.known.numbers.get_or_init(|| {
            let digits = |line: &str| line.bytes().filter(u8::is_ascii_digit).count();
            let lines = self.text().lines().filter(|line| digits(line) > 5);
            lines.filter_map(assigned).collect()
        });
        numbers.contains(name)
    }

    /// Returns whether a variable is set on a line with a command that decodes or downloads something.
    pub(crate) fn sets_decoded(&self, name: &str) -> bool {
        let decoded = self.known.decoded.get_or_init(|| {
            let is_decoded = |line: &&str| DECODERS.iter().any(|tool| line.contains(tool));
            let lines = self.text().lines().filter(is_decoded);
            lines.filter_map(assigned).collect()
        });
        decoded.contains(name)
    }

    fn words(&self, statement: Span) -> Words<'a> {
        if let Some((span, words)) = &*self.known.words.borrow()
            && *span == statement
        {
            return Rc::clone(words);
        }
        let words: Words<'a> = Rc::new(names(self.part(statement)).collect());
        *self.known.words.borrow_mut() = Some((statement, Rc::clone(&words)));
        words
    }

    /// Returns whether a span contains a word for reading a file.
    pub(crate) fn reads_in(&self, span: Span) -> bool {
        let reads = self.known.reads.get_or_init(|| {
            let text = self.lower().as_bytes();
            let found = READS.iter().flat_map(|word| {
                let found = memchr::memmem::find_iter(text, word.as_bytes());
                found.map(move |at| Span::new(at, at + word.len()))
            });
            let mut found: Vec<Span> = found.collect();
            found.sort_unstable();
            found
        });
        let start = reads.partition_point(|read| read.start < span.start);
        let mut inside = reads[start..]
            .iter()
            .take_while(|read| read.start < span.end);
        inside.any(|read| read.end <= span.end)
    }

    /// Returns the most suspicious address in a span. If the span contains no address, returns the most suspicious
    /// address that is assigned to a variable in the span.
    pub(crate) fn leads_to(&self, span: Span) -> Option<Address> {
        let own = self.worst(span);
        if own.is_some() {
            return own;
        }
        let all = self.addresses(Span::new(0, self.text().len()));
        let held = self.known.held.get_or_init(|| held(self.text(), all));
        if held.is_empty() {
            return None;
        }
        let words = names(self.part(span)).take(MOST_WORDS);
        let named = words.filter_map(|word| held.get(word)).copied();
        let worst = named.max_by_key(|at| (all[*at].kind, *at))?;
        Some(all[worst].clone())
    }
}

/// Returns the words in `text` that may be names of variables.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty())
}

/// Returns the variables to which an address in the text is assigned, each with the index of its most suspicious
/// address.
fn held<'a>(text: &'a str, addresses: &[Address]) -> HashMap<&'a str, usize> {
    let mut held: HashMap<&str, usize> = HashMap::new();
    for (at, address) in addresses.iter().enumerate() {
        let Some(name) = holder(text, address.start) else {
            continue;
        };
        let worst = held.entry(name).or_insert(at);
        if addresses[*worst].kind <= address.kind {
            *worst = at;
        }
    }
    held
}

/// Returns the name of the variable to which the address at a position is assigned.
fn holder(text: &str, at: usize) -> Option<&str> {
    let start = char_floor(text, at.saturating_sub(80));
    let mut end = char_floor(text, at);
    // The span of a mail address may begin with the separator before the address.
    while text[end..].starts_with(['=', ':', '"', '\'', ' ']) {
        end += 1;
    }
    let before = text[start..end].trim_end_matches(['"', '\'', '`', 'f', ' ', '(', '[']);
    let before = before.strip_suffix(['=', ':'])?;
    let before = before.trim_end_matches([':', ' ', '"', '\'']);
    let name = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    (!name.is_empty()).then_some(name)
}

/// Returns the name of the variable that a line sets.
pub(crate) fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mut rest = line;
    for word in ["export ", "local ", "const ", "let ", "var ", "$"] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let after = rest[length..].trim_start();
    (length > 1 && after.starts_with('=') && !after.starts_with("==")).then(|| &rest[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_an_argument_is_a_name_whatever_the_argument_is_called() {
        for (text, found) in [
            ("post(url, data=data)", vec!["post", "url", "data", "data"]),
            ("post(payload=load)", vec!["post", "payload", "load"]),
            ("-d key=$key_2", vec!["d", "key", "key_2"]),
            ("", vec![]),
        ] {
            assert_eq!(names(text).collect::<Vec<_>>(), found, "{text}");
        }
    }
}
