//! The rules that selectors stand for, each selector looked up once.
//!
//! A file may have very many: looking one up takes time that does not grow with the number of rules. It says what
//! [`precision`](crate::choice::precision) says.

use std::collections::HashMap;

use crate::rule::Rule;
use crate::rule::code::{ALL, FAMILIES, family, nearest};

/// How many unknown selectors of a skill are compared with what is known.
const MAX_GUESSES: usize = 32;

/// Rules, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SetId(usize);

impl SetId {
    /// Returns what is known of this set, of a list of all.
    pub(super) fn of<T: Copy>(self, all: &[T]) -> Option<T> {
        all.get(self.0).copied()
    }
}

/// What selectors stand for.
pub(super) struct Names<'r> {
    /// Sorted by code.
    rules: Vec<&'r dyn Rule>,
    /// The names in capitals.
    by_name: HashMap<String, usize>,
    /// What was looked up, in capitals.
    known: HashMap<String, Result<SetId, Option<String>>>,
    sets: Vec<Vec<usize>>,
    guesses: usize,
}

impl<'r> Names<'r> {
    /// `rules`: sorted by code.
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

    /// Every rule.
    pub(super) const fn all() -> SetId {
        SetId(0)
    }

    /// No rule.
    pub(super) const fn none() -> SetId {
        SetId(1)
    }

    /// Returns the rules that a selector stands for.
    ///
    /// # Errors
    /// The code or name that may have been meant, if it stands for none.
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

    /// Returns the rules whose codes begin so; a part of a family's name is none.
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

    /// Returns the numbers of the rules of a set.
    pub(super) fn rules(&self, set: SetId) -> &[usize] {
        self.sets.get(set.0).map_or(&[], Vec::as_slice)
    }

    /// Returns the rules of each set, in the order that [`SetId::of`] knows.
    pub(super) fn sets(&self) -> impl Iterator<Item = &[usize]> {
        self.sets.iter().map(Vec::as_slice)
    }

    /// Returns the number of a rule.
    pub(super) fn number(&self, code: &str) -> Option<usize> {
        let search = self
            .rules
            .binary_search_by(|rule| (*rule.meta().code).cmp(code));
        search.ok()
    }

    /// Returns the rules by their numbers.
    pub(super) fn list(&self) -> &[&'r dyn Rule] {
        &self.rules
    }
}
