//! What configuration files say of linting.
//!
//! A `.skilllint.toml` and the `[lint]` of a `config.toml` have the same keys. Each file is a [`Layer`]; a later layer
//! counts for more. Unlike the rest of the configuration nothing here is passed over: lint does not run on a guess.
//!
//! Source: RULINGS R1, R3, R16, LEDGER D-CONFIG-ERRORS.

mod read;
pub mod schema;
pub(super) mod toml_text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use skillc_core::layout::{REPOSITORY_MARKS, SKILLC_DIR};
use skillc_core::path::Pattern;

use crate::choice::{Precision, precision};
use crate::rule::RuleMeta;
use crate::rule::diagnostic::Severity;
use crate::rule::preset::Preset;

pub use read::{LintFiles, Section};

/// The configuration file of the skills in and below its directory.
pub const FILE: &str = ".skilllint.toml";

/// How much more memory a compiled pattern takes than its text.
pub const PATTERN_COST: usize = 32;

/// What a directory has that is the top of a repository or a project: settings above it do not count.
pub const TOPS: [&str; 3] = [REPOSITORY_MARKS[0], REPOSITORY_MARKS[1], SKILLC_DIR];

/// What one file says.
#[derive(Debug, Clone)]
pub struct Layer {
    /// What runs if nothing else is said; `None` if the file does not say.
    pub preset: Option<Preset>,
    /// The list of known findings of the skills that the file counts for.
    pub baseline: Option<BaselineFile>,
    /// The clients that the skills are for, as named; `None` if it does not say.
    pub clients: Option<Vec<String>>,
    /// What it says of rules.
    pub rules: RuleSettings,
    /// What it says of rules in some files.
    pub overrides: Vec<Override>,
    /// How much memory it takes, in bytes of text: those of the file, those of patterns [`PATTERN_COST`] times.
    pub cost: usize,
}

/// A list of known findings that a configuration file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineFile {
    /// The list, absolute; it need not be there.
    pub path: PathBuf,
    /// The project or repository that it is within, canonical: skills elsewhere are not in the list.
    pub root: PathBuf,
}

/// What is said of rules in some files.
#[derive(Debug, Clone)]
pub struct Override {
    /// The directory that the patterns are below, absolute.
    pub base: PathBuf,
    /// The files.
    pub paths: Vec<Pattern>,
    /// What is said of rules there.
    pub rules: RuleSettings,
}

/// What is said of rules: by code, name, family or `ALL`.
#[derive(Debug, Clone, Default)]
pub struct RuleSettings(Vec<RuleSetting>);

#[derive(Debug, Clone)]
struct RuleSetting {
    selector: String,
    level: Option<Level>,
    options: BTreeMap<String, Value>,
}

/// How much a rule's findings matter, or that it does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It does not run.
    Off,
    /// It runs.
    On(Severity),
}

impl Level {
    /// The words for a level.
    pub const WORDS: [&'static str; 3] = ["off", "warning", "error"];

    fn parse(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "warning" => Some(Self::On(Severity::Warning)),
            "error" => Some(Self::On(Severity::Error)),
            _ => None,
        }
    }
}

impl RuleSettings {
    /// Returns the level of a rule, where one is given: that of the most exact selector, of equally exact ones the last.
    pub fn level(&self, meta: &RuleMeta) -> Option<Level> {
        let named = self.0.iter().filter_map(|setting| {
            let level = setting.level?;
            let precision = precision(&setting.selector, meta)?;
            // A family is asked for to have what it does every day.
            let counts = match level {
                Level::Off => precision.switches_off(meta),
                Level::On(_) => precision.switches_on(meta),
            };
            counts.then_some((precision, level))
        });
        named
            .max_by_key(|(precision, _)| *precision)
            .map(|(_, level)| level)
    }

    /// Returns the options that a rule is given.
    pub fn options(&self, meta: &RuleMeta) -> impl Iterator<Item = (&String, &Value)> {
        let of_rule = |setting: &&RuleSetting| {
            precision(&setting.selector, meta) == Some(Precision::of_rule(meta))
        };
        self.0
            .iter()
            .filter(of_rule)
            .flat_map(|setting| &setting.options)
    }
}
