//! Resolves selectors to rules, with a cache.
//!
//! A file can have many selectors, so the time of a lookup must not be proportional to the number of rules. The result
//! is the same as in the rest of the configuration.

use std::collections::HashMap;

use crate::rule::Rule;
use crate::rule::code::{ALL, FAMILIES, family, nearest};

/// The maximum number of unknown selectors per skill for which a suggestion is computed, because edit distances take
/// time.
const MAX_GUESSES: usize = 32;

/// The index of a set of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SetId(usize);

impl SetId {
    /// Returns the element for this set in a slice that has one element per set.
    pub(super) fn agreed<T: Copy>(self, all: &[T]) -> Option<T> {
        all.get(self.0).copied()
    }
}

/// The rules that selectors resolve to.
pub(super) struct Names<'r> {
    /// Sorted by code.
    rules: Vec<&'r dyn Rule>,
    /// Rule names in upper case.
    by_name: HashMap<String, usize>,
    /// Cached lookups, by upper-case selector.
    known: HashMap<String, Result<SetId, Option<String>>>,
    sets: Vec<Vec<usize>>,
    guesses: usize,
}

impl<'r> Names<'r> {
    /// Creates an empty cache. `rules`: all rules, sorted by code.
    pub(super) fn new(rules: impl Iterator<Item = &'r dyn Rule>) -> Self {
        let rules: Vec<&'r dyn Rule> = rules.collect();
        let by_name = rules.iter().enumerate();
        let by_name = by_name.map(|(at, rule)| (rule.meta().name.to_ascii_uppercase(), at));
        Self {
            by_name: by_name.collect(),
            known: HashMap::new(),
            sets: vec![(0..rules.len()).collect(), Vec::new()],
            rules,
            guesses: MAX_GUESSES,
        }
    }

    pub(super) const fn all() -> SetId {
        SetId(0)
    }

    pub(super) const fn none() -> SetId {
        SetId(1)
    }

    /// Returns the rules that a selector matches.
    ///
    /// # Errors
    /// If the selector matches no rule: the code or name that was probably meant, if there is one.
    pub(super) fn look_up(&mut self, selector: &str) -> Result<SetId, Option<String>> {
        let capitals = selector.to_ascii_uppercase();
        if let Some(known) = self.known.get(&capitals) {
            return known.clone();
        }
        let found = self.find(&capitals).ok_or_else(|| {
            self.guesses = self.guesses.checked_sub(1)?;
            nearest(selector, self.rules.iter().copied())
        });
        self.known.insert(capitals, found.clone());
        found
    }

    fn find(&mut self, capitals: &str) -> Option<SetId> {
        if capitals == ALL {
            return Some(Self::all());
        }
        let set: Vec<usize> = match self.by_name.get(capitals) {
            Some(at) => vec![*at],
            None => self.with_start(capitals),
        };
        if set.is_empty() {
            return FAMILIES.contains(&capitals).then_some(Self::none());
        }
        self.sets.push(set);
        Some(SetId(self.sets.len() - 1))
    }

    /// Returns the rules whose codes start with `start`; an incomplete family name matches no rule.
    fn with_start(&self, start: &str) -> Vec<usize> {
        let from = self
            .rules
            .partition_point(|rule| *rule.meta().code < *start);
        let codes = self.rules[from..].iter().map(|rule| &*rule.meta().code);
        let numbered = (from..).zip(codes.take_while(|code| code.starts_with(start)));
        numbered
            .filter(|(_, code)| start.len() >= family(code).len())
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns the indexes of the rules in a set.
    pub(super) fn rules(&self, set: SetId) -> &[usize] {
        self.sets.get(set.0).map_or(&[], Vec::as_slice)
    }

    /// Returns the rules of each set, in the order that [`SetId::agreed`] expects.
    pub(super) fn sets(&self) -> impl Iterator<Item = &[usize]> {
        self.sets.iter().map(Vec::as_slice)
    }

    /// Returns the index of a rule.
    pub(super) fn number(&self, code: &str) -> Option<usize> {
        let search = self
            .rules
            .binary_search_by(|rule| (*rule.meta().code).cmp(code));
        search.ok()
    }

    /// Returns all rules, by index.
    pub(super) fn list(&self) -> &[&'r dyn Rule] {
        &self.rules
    }
}
