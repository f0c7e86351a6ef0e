//! Regular expressions for short pieces of text.
//!
//! The regex engine spends nearly half of the compilation time on finding literals in the expression. It uses the
//! literals to skip through long text faster. The security rules, however, examine only sentences, lines and a few
//! words around a match. In a run with few skills, compiling these expressions takes longer than matching them.
//! Therefore this module compiles expressions without the search for literals. The matches are the same.

use std::sync::OnceLock;

use aho_corasick::packed::Searcher;
use regex_automata::meta::{BuildError, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, Span};

/// A regular expression that matches bytes and has no groups.
#[derive(Debug)]
pub(crate) struct Expression(Regex);

impl Expression {
    pub(crate) fn new(pattern: &str) -> Result<Self, Box<BuildError>> {
        let config = Regex::config()
            .auto_prefilter(false)
            .which_captures(WhichCaptures::Implicit)
            .utf8_empty(false);
        Regex::builder()
            .configure(config)
            .syntax(syntax::Config::new().utf8(false))
            .build(pattern)
            .map(Self)
            .map_err(Box::new)
    }

    pub(crate) fn is_match(&self, bytes: &[u8]) -> bool {
        self.0.is_match(bytes)
    }

    /// Returns the first match that begins at `from` or later.
    pub(crate) fn find_at(&self, bytes: &[u8], from: usize) -> Option<Span> {
        let found = self.0.search(&Input::new(bytes).range(from..))?;
        Some(found.span())
    }
}

/// Searches for several strings at once. In long text, this is much faster than a separate search for each string.
pub(crate) struct AnyOf {
    strings: &'static [&'static str],
    /// `None` if the CPU lacks the required SIMD instructions.
    searcher: OnceLock<Option<Searcher>>,
}

impl AnyOf {
    pub(crate) const fn new(strings: &'static [&'static str]) -> Self {
        Self {
            strings,
            searcher: OnceLock::new(),
        }
    }

    /// Returns whether the text contains at least one of the strings.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        match self.searcher.get_or_init(|| Searcher::new(self.strings)) {
            Some(searcher) => searcher.find(text).is_some(),
            None => self.strings.iter().any(|string| text.contains(string)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matches_are_those_of_other_expressions() {
        for (pattern, text) in [
            (
                r"(?i-u)\b(?:curl|wget)\b[^\n]{0,20}\|",
                "libcurl curl a | b WGET |",
            ),
            (r"(?i)(?:опасн|危险|[^з]опасн)\w*$", "Это ОПАСНО"),
            (r"(?s-u)a.{0,3}?b", "a\u{e9}b a--b"),
            (r"(?-u)\x22*", "a\"\"\u{e9}"),
        ] {
            let (ours, other) = (
                Expression::new(pattern).unwrap(),
                regex::bytes::Regex::new(pattern).unwrap(),
            );
            let bytes = text.as_bytes();
            assert_eq!(ours.is_match(bytes), other.is_match(bytes), "{pattern}");
            for from in 0..=bytes.len() {
                let found = ours.find_at(bytes, from).map(|of| (of.start, of.end));
                let expected = other.find_at(bytes, from).map(|of| (of.start(), of.end()));
                assert_eq!(found, expected, "{pattern} from {from}");
            }
        }
    }
}
