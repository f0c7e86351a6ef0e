//! The lint settings of configuration files.
//!
//! A `.skilllint.toml` and the `[lint]` section of a `config.toml` have the same keys. Each file is a [`Layer`]; later
//! layers take precedence. Unlike in the rest of the configuration, errors in these settings are fatal: lint does not
//! run with guessed settings.
//!
//! Design: R1, R3, R16, D-CONFIG-ERRORS.

mod planned;
mod read;
pub mod schema;
pub(super) mod toml_text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use skillc_core::layout::{REPOSITORY_MARKS, SKILLC_DIR};
use skillc_core::path::Pattern;

use crate::choice::{BySelector, Precision};
use crate::rule::RuleMeta;
use crate::rule::diagnostic::Severity;
use crate::rule::preset::Preset;

pub use planned::PlannedLayer;
pub use read::{LintFiles, Section};

pub(crate) use planned::Overrides;

/// The name of the configuration file for the skills in and below its directory.
pub const FILE: &str = ".skilllint.toml";

/// The additional cost of each byte of a pattern, because patterns are compiled. Every byte of the file costs 1.
pub const PATTERN_COST: usize = 32;

/// The names of the directory entries that mark the root of a repository or project. Settings above that root do not
/// apply.
pub const TOPS: [&str; 3] = [REPOSITORY_MARKS[0], REPOSITORY_MARKS[1], SKILLC_DIR];

/// The settings of one file.
#[derive(Debug, Clone)]
pub struct Layer {
    /// The preset for the rules that neither a selector nor a level covers; `None` if the file does not set it.
    pub preset: Option<Preset>,
    /// The baseline for the skills that the file applies to.
    pub baseline: Option<BaselineFile>,
    /// The ids of the clients that the skills target; `None` if the file does not set them.
    pub clients: Option<Vec<String>>,
    /// The rule settings.
    pub rules: RuleSettings,
    /// The rule settings that apply only to some files.
    pub overrides: Vec<Override>,
    /// Whether the file may come with the skills that it applies to. If so, the file can set the level of a security
    /// rule only to `error`.
    pub is_inside: bool,
    /// The cost, as a measure of memory: the size of the file, plus [`PATTERN_COST`] times the size of its patterns.
    pub cost: usize,
}

/// A baseline that a configuration file specifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineFile {
    /// The absolute path of the baseline file, which need not exist.
    pub path: PathBuf,
    /// The canonical root of the project or repository. The baseline does not apply to skills outside it.
    pub root: PathBuf,
}

/// Rule settings for some files.
#[derive(Debug, Clone)]
pub struct Override {
    /// The absolute path of the directory that the patterns are relative to.
    pub base: PathBuf,
    /// The files that the override applies to.
    pub paths: Vec<Pattern>,
    /// The rule settings for those files.
    pub rules: RuleSettings,
}

/// The settings of rules, each with a selector: a code, a name, a family, a code prefix or `ALL`.
#[derive(Debug, Clone, Default)]
pub struct RuleSettings {
    list: Vec<RuleSetting>,
    by_selector: BySelector<Indices>,
}

/// The indices of the settings for one selector. There can be several, because a selector can be written in upper and
/// lower case.
#[derive(Debug, Clone, Default)]
struct Indices {
    /// The last setting that disables rules.
    off: Option<usize>,
    /// The last setting that enables rules, and its severity.
    on: Option<(usize, Severity)>,
    /// The settings with options.
    options: Vec<usize>,
}

#[derive(Debug, Clone)]
struct RuleSetting {
    selector: String,
    level: Option<Level>,
    options: BTreeMap<String, Value>,
}

/// The level of a rule: disabled, or enabled with a severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Disabled.
    Off,
    /// Enabled with this severity.
    On(Severity),
}

impl Level {
    /// The words that configuration files use for the levels.
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
    fn new(list: Vec<RuleSetting>) -> Self {
        let mut by_selector = BySelector::<Indices>::default();
        for (at, setting) in list.iter().enumerate() {
            let of = by_selector.or_default(&setting.selector);
            match setting.level {
                Some(Level::Off) => of.off = Some(at),
                Some(Level::On(severity)) => of.on = Some((at, severity)),
                None => {}
            }
            if !setting.options.is_empty() {
                of.options.push(at);
            }
        }
        Self { list, by_selector }
    }

    /// Returns the configured level of a rule. The most specific selector decides; on a tie, the selector that sorts
    /// last wins.
    pub fn level(&self, meta: &RuleMeta) -> Option<Level> {
        let named = self.by_selector.matching(meta);
        let named = named.flat_map(|(precision, of)| {
            // Some selectors cannot set this level: a family does not enable rules that are disabled by default.
            let off = of.off.filter(|_| precision.switches_off(meta));
            let on = of.on.filter(|_| precision.switches_on(meta));
            let off = off.map(|at| (precision, at, Level::Off));
            let on = on.map(|(at, severity)| (precision, at, Level::On(severity)));
            [off, on].into_iter().flatten()
        });
        named
            .max_by_key(|(precision, at, _)| (*precision, *at))
            .map(|(_, _, level)| level)
    }

    /// Returns the number of selectors.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether there are no settings.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the options set for a rule.
    pub fn options(&self, meta: &RuleMeta) -> impl Iterator<Item = (&String, &Value)> {
        let own = Precision::from_rule(meta);
        let named = self.by_selector.matching(meta);
        let named = named.filter(|(precision, _)| *precision == own);
        let mut settings: Vec<usize> = named.flat_map(|(_, of)| &of.options).copied().collect();
        settings.sort_unstable();
        let options = settings.into_iter().map(move |at| &self.list[at].options);
        options.flatten()
    }
}
