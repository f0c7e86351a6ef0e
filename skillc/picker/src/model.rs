//! The picker's state: the skills, the query, the filtered list and the selection. It is independent of the terminal.
//!
//! Design: CAT-PICK.2, CAT-PICK.3, CAT-PICK.4, CAT-PICK.5, D19.

use skillc_ops::catalog::model::Switches;
use skillc_ops::catalog::model::{CatalogEntry, Scope};
use skillc_ops::catalog::write::Turn;

/// The maximum length of the query, in characters.
const MAX_QUERY: usize = 256;

/// The number of lines by which a key scrolls the preview.
const PREVIEW_LINES: usize = 5;

/// The action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Press {
    /// A character of the query.
    Type(char),
    /// Deletes the last character of the query.
    Erase,
    /// Clears the query.
    Clear,
    /// Moves up by this many skills.
    Up(usize),
    /// Moves down by this many skills.
    Down(usize),
    /// Moves to the first skill.
    First,
    /// Moves to the last skill.
    Last,
    /// Scrolls the preview up.
    Back,
    /// Scrolls the preview down.
    Forth,
    /// Cycles through the scopes.
    NextScope,
    /// Enables or disables the skill.
    Switch,
    /// Chooses the skill.
    Choose,
    /// Quits without a choice.
    Leave,
}

/// What the caller must do after a key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Continues.
    Stay,
    /// Enables or disables the skill with this number.
    Switch(usize, Turn),
    /// Returns the skill with this number as the choice.
    Choose(usize),
    /// Quits without a choice.
    Leave,
}

/// The message about the last key press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// The action succeeded.
    Done(String),
    /// The action failed.
    Failed(String),
}

/// The picker's state.
pub(crate) struct Model {
    /// All skills, in the catalog's order.
    entries: Vec<CatalogEntry>,
    /// The searchable text of each skill: name, description and path, in lower case.
    texts: Vec<String>,
    query: String,
    scope: Option<Scope>,
    /// The indexes of the skills that match.
    shown: Vec<usize>,
    /// The position of the selected skill in `shown`.
    at: usize,
    /// The number of lines by which the preview is scrolled.
    pub(crate) scrolled: usize,
    /// The message about the last key press.
    pub(crate) told: Option<Told>,
}

impl Model {
    /// Creates the state from the skills, an initial query and a scope.
    pub(crate) fn new(entries: Vec<CatalogEntry>, query: &str, scope: Option<Scope>) -> Self {
        let text = |entry: &CatalogEntry| {
            let all = [&*entry.name, &entry.description, &entry.path];
            all.join("\n").to_lowercase()
        };
        let mut model = Self {
            texts: entries.iter().map(text).collect(),
            entries,
            query: query
                .chars()
                .filter(|c| !c.is_control())
                .take(MAX_QUERY)
                .collect(),
            scope,
            shown: Vec::new(),
            at: 0,
            scrolled: 0,
            told: None,
        };
        model.filter();
        model
    }

    /// Returns the query.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// Returns the scope; `None` for all.
    pub(crate) const fn scope(&self) -> Option<Scope> {
        self.scope
    }

    /// Returns the skills that match.
    pub(crate) fn shown(&self) -> impl ExactSizeIterator<Item = &CatalogEntry> {
        self.shown.iter().map(|number| &self.entries[*number])
    }

    /// Returns the position of the selected skill, counted from 0.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the selected skill; `None` if no skill matches.
    pub(crate) fn meant(&self) -> Option<&CatalogEntry> {
        self.shown.get(self.at).map(|number| &self.entries[*number])
    }

    /// Returns a skill by its number.
    pub(crate) fn entry(&self, number: usize) -> &CatalogEntry {
        &self.entries[number]
    }

    /// Returns the number of enabled skills, and of all skills.
    pub(crate) fn enabled(&self) -> (usize, usize) {
        let on = self.entries.iter().filter(|entry| entry.enabled);
        (on.count(), self.entries.len())
    }

    /// Marks each skill as enabled or disabled, according to the switches.
    pub(crate) fn follow(&mut self, switches: &Switches) {
        for entry in &mut self.entries {
            entry.enabled = switches.is_on(&entry.name, &entry.path);
        }
    }

    /// Applies the action of a key.
    pub(crate) fn press(&mut self, press: Press) -> Step {
        self.told = None;
        let number = self.shown.get(self.at).copied();
        let last = self.shown.len().saturating_sub(1);
        match press {
            Press::Type(c) if self.query.chars().count() < MAX_QUERY => {
                self.query.push(c);
                self.filter();
            }
            Press::Type(_) => {}
            Press::Erase => {
                self.query.pop();
                self.filter();
            }
            Press::Clear => {
                self.query.clear();
                self.filter();
            }
            Press::NextScope => {
                self.scope = match self.scope {
                    None => Some(Scope::Repo),
                    Some(Scope::Repo) => Some(Scope::User),
                    Some(Scope::User) => None,
                };
                self.filter();
            }
            Press::Up(by) => self.go(self.at.saturating_sub(by)),
            Press::Down(by) => self.go(self.at.saturating_add(by).min(last)),
            Press::First => self.go(0),
            Press::Last => self.go(last),
            Press::Back => self.scrolled = self.scrolled.saturating_sub(PREVIEW_LINES),
            Press::Forth => self.scrolled = self.scrolled.saturating_add(PREVIEW_LINES),
            Press::Switch => {
                let switch = |number: usize| {
                    let turn = if self.entries[number].enabled {
                        Turn::Off
                    } else {
                        Turn::On
                    };
                    Step::Switch(number, turn)
                };
                return number.map_or(Step::Stay, switch);
            }
            Press::Choose => return number.map_or(Step::Stay, Step::Choose),
            Press::Leave => return Step::Leave,
        }
        Step::Stay
    }

    fn go(&mut self, at: usize) {
        if at != self.at {
            self.scrolled = 0;
        }
        self.at = at;
    }

    /// Updates the list of matches. The selection is kept if it still matches.
    fn filter(&mut self) {
        let meant = self.shown.get(self.at).copied();
        let query = self.query.to_lowercase();
        let is_shown = |number: &usize| {
            let scope = self
                .scope
                .is_none_or(|scope| self.entries[*number].scope == scope);
            scope && self.texts[*number].contains(&query)
        };
        self.shown = (0..self.entries.len()).filter(is_shown).collect();
        let still = meant.and_then(|meant| self.shown.iter().position(|number| *number == meant));
        self.at = still.unwrap_or_default();
        if still.is_none() {
            self.scrolled = 0;
        }
    }
}
