//! Regular expressions for short pieces of text.
//!
//! The security rules have hundreds of expressions, and try each of them on little text: sentences, lines, and a few
//! words around a match. Most of the time would be spent on compiling the expressions and on building the states of
//! their automata, above all for gaps such as `[^\n]{0,80}`, whose automata count. An [`Expression`] therefore has an
//! automaton that does not count: it finds too much, but is small, and hardly ever finds anything. Only then is the
//! exact automaton compiled and tried.

use std::error::Error;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::OnceLock;

use aho_corasick::packed::Searcher;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, Span};
use regex_syntax::hir::{Hir, HirKind};

/// The reason why a pattern cannot be compiled.
pub(crate) type Fault = Box<dyn Error + Send + Sync>;

/// A regular expression that matches bytes and has no groups.
#[derive(Debug)]
pub(crate) struct Expression {
    pattern: Hir,
    /// Matches whatever the pattern matches, and perhaps more.
    loose: Automaton,
    /// Whether `loose` matches nothing more.
    is_exact: bool,
    /// Finds the ends of matches; compiled when it is first needed.
    forward: OnceLock<Automaton>,
    /// Finds the starts of matches.
    backward: OnceLock<Automaton>,
}

impl Expression {
    pub(crate) fn new(pattern: &str) -> Result<Self, Fault> {
        let pattern = syntax::parse_with(pattern, &syntax::Config::new().utf8(false))?;
        let loosened = loosened(pattern.clone());
        Ok(Self {
            loose: Automaton::new(&loosened, false)?,
            is_exact: loosened == pattern,
            forward: OnceLock::new(),
            backward: OnceLock::new(),
            pattern,
        })
    }

    pub(crate) fn is_match(&self, bytes: &[u8]) -> bool {
        let input = Input::new(bytes).earliest(true);
        self.loose.end(&input).is_some() && (self.is_exact || self.forward().end(&input).is_some())
    }

    /// Returns the first match that begins at `from` or later.
    pub(crate) fn find_at(&self, bytes: &[u8], from: usize) -> Option<Span> {
        let input = Input::new(bytes).range(from..);
        if !self.is_exact {
            self.loose.end(&input.clone().earliest(true))?;
        }
        let end = self.forward().end(&input)?;
        let input = Input::new(bytes).range(from..end).anchored(Anchored::Yes);
        let start = self.backward().start(&input)?;
        Some(Span { start, end })
    }

    fn forward(&self) -> &Automaton {
        if self.is_exact {
            return &self.loose;
        }
        let compiled = || Automaton::new(&self.pattern, false).expect(COMPILES);
        self.forward.get_or_init(compiled)
    }

    fn backward(&self) -> &Automaton {
        let compiled = || Automaton::new(&self.pattern, true).expect(COMPILES);
        self.backward.get_or_init(compiled)
    }
}

/// The loose automaton of the same pattern was compiled before.
const COMPILES: &str = "a pattern that compiles";

/// The largest number of repetitions that an automaton counts if it does not have to be exact.
const MOST_COUNTED: u32 = 2;

/// Returns a pattern without high counts, which matches whatever `pattern` matches.
fn loosened(pattern: Hir) -> Hir {
    let all = |parts: Vec<Hir>| parts.into_iter().map(loosened).collect();
    match pattern.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(loosened(*repetition.sub));
            repetition.min = repetition.min.min(MOST_COUNTED);
            repetition.max = repetition.max.filter(|max| *max <= MOST_COUNTED);
            Hir::repetition(repetition)
        }
        HirKind::Capture(capture) => loosened(*capture.sub),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
    }
}

type NewCache = Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// A lazy automaton, with a cache for each thread that uses it at the same time.
#[derive(Debug)]
struct Automaton {
    dfa: DFA,
    caches: Pool<Cache, NewCache>,
}

impl Automaton {
    fn new(pattern: &Hir, is_backward: bool) -> Result<Self, Fault> {
        let nfa = thompson::Config::new()
            .reverse(is_backward)
            .utf8(false)
            .which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new()
            .configure(nfa)
            .build_from_hir(pattern)?;
        // Of all starts of a match, the one that is farthest to the left counts.
        let kind = if is_backward {
            MatchKind::All
        } else {
            MatchKind::LeftmostFirst
        };
        let config = DFA::config()
            .match_kind(kind)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa)?;
        let of_thread = dfa.clone();
        let create: NewCache = Box::new(move || of_thread.create_cache());
        Ok(Self {
            dfa,
            caches: Pool::new(create),
        })
    }

    fn end(&self, input: &Input<'_>) -> Option<usize> {
        let found = self.dfa.try_search_fwd(&mut self.caches.get(), input);
        found.expect(CANNOT_FAIL).map(|found| found.offset())
    }

    fn start(&self, input: &Input<'_>) -> Option<usize> {
        let found = self.dfa.try_search_rev(&mut self.caches.get(), input);
        found.expect(CANNOT_FAIL).map(|found| found.offset())
    }
}

/// Searches fail only with Unicode word boundaries, which do not compile, or with a limit on the clearing of caches.
const CANNOT_FAIL: &str = "a search without a limit";

/// Strings that are searched for all at once: in long text, this takes much less time than one search for each.
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
            (r"я[^.\n]{0,2}?[^a]\s*$|(b)[^b]+", "яжé.\nb\u{e9}日本x b日"),
            (r"(?i)[^k-z.]{2}|^.", "kжKq\u{1f600}é"),
            (r"[^\n]*", "日\n本"),
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
