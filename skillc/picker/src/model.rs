//! What the picker knows: the skills, what is typed, which of them are shown, which one is meant. No terminal here.
//!
//! Source: CATALOG CAT-PICK.2 to .5, D19.

use skillc_ops::catalog::model::Switches;
use skillc_ops::catalog::model::{Entry, Scope};
use skillc_ops::catalog::write::Turn;

/// The most characters of what is typed.
const MAX_QUERY: usize = 256;

/// How many lines of the preview a key goes.
const PREVIEW_LINES: usize = 5;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Press {
    /// A character of the query.
    Type(char),
    /// Takes the query's last character away.
    Erase,
    /// Empties the query.
    Clear,
    /// Goes up by so many skills.
    Up(usize),
    /// Goes down by so many skills.
    Down(usize),
    /// Goes to the first.
    First,
    /// Goes to the last.
    Last,
    /// Shows what comes before in the preview.
    Back,
    /// Shows what follows in the preview.
    Forth,
    /// Changes whose skills are shown.
    NextScope,
    /// Switches the skill on or off.
    Switch,
    /// Takes the skill.
    Choose,
    /// Takes none.
    Leave,
}

/// What is to be done after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing more.
    Stay,
    /// The skill of this number is to be switched.
    Switch(usize, Turn),
    /// The skill of this number was chosen.
    Choose(usize),
    /// It is over, without a choice.
    Leave,
}

/// A line that tells what came of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// It was done.
    Done(String),
    /// It could not be done.
    Failed(String),
}

/// The picker's state.
pub(crate) struct Model {
    /// All skills, in the catalog's order.
    entries: Vec<Entry>,
    /// What is looked through of each: name, description and path, in lower case.
    texts: Vec<String>,
    query: String,
    scope: Option<Scope>,
    /// The numbers of the skills that are shown.
    shown: Vec<usize>,
    /// Which of those is meant.
    at: usize,
    /// How many lines of the preview are passed over.
    pub(crate) scrolled: usize,
    /// What came of the last key.
    pub(crate) told: Option<Told>,
}

impl Model {
    /// Begins with skills, something typed and a scope.
    pub(crate) fn new(entries: Vec<Entry>, query: &str, scope: Option<Scope>) -> Self {
        let text = |entry: &Entry| {
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

    /// Returns what is typed.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// Returns whose skills are shown; `None` for all.
    pub(crate) const fn scope(&self) -> Option<Scope> {
        self.scope
    }

    /// Returns the skills that are shown.
    pub(crate) fn shown(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.shown.iter().map(|number| &self.entries[*number])
    }

    /// Returns which of them is meant, counted from 0.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the skill that is meant; `None` if none is shown.
    pub(crate) fn meant(&self) -> Option<&Entry> {
        self.shown.get(self.at).map(|number| &self.entries[*number])
    }

    /// Returns a skill by its number.
    pub(crate) fn entry(&self, number: usize) -> &Entry {
        &self.entries[number]
    }

    /// Returns how many of all skills are on, and how many there are.
    pub(crate) fn enabled(&self) -> (usize, usize) {
        let on = self.entries.iter().filter(|entry| entry.enabled);
        (on.count(), self.entries.len())
    }

    /// Takes over what is on and what is off.
    pub(crate) fn follow(&mut self, switches: &Switches) {
        for entry in &mut self.entries {
            entry.enabled = switches.is_on(&entry.name, &entry.path);
        }
    }

    /// Follows a key.
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

    /// Finds the skills to show. The one that was meant stays it, if it is still shown.
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
