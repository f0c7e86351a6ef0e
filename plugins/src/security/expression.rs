//! Regular expressions for short pieces of text.
//!
//! Nearly half of the time to compile an expression is spent on finding literals in it, which the engine uses to skip
//! through long text faster. The security rules, however, examine only short pieces of text: sentences, lines, and a
//! few words around a match. In a run with few skills, matching all expressions takes less time than compiling them.
//! Therefore these expressions are compiled without the search for literals, which does not change their matches.

use std::sync::OnceLock;

use aho_corasick::packed::Searcher;
use regex_automata::meta::{BuildError, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, Span};

/// An expression for bytes, without groups.
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

/// Strings that are searched for all at once: in long text, this takes much less time than one search for each.
pub(crate) struct AnyOf {
    strings: &'static [&'static str],
    /// `None` on a machine without the SIMD instructions for this.
    searcher: OnceLock<Option<Searcher>>,
}

impl AnyOf {
    pub(crate) const fn new(strings: &'static [&'static str]) -> Self {
        Self {
            strings,
            searcher: OnceLock::new(),
        }
    }

    /// Returns whether a text contains at least one of the strings.
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
