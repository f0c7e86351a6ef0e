//! The groupings of accesses.
//!
//! Design: C-QUERIES, D-GROUP-BY. Zero-results, sessions and timeline are additions to the specification.

use schemars::JsonSchema;
use serde::Serialize;

/// What to group accesses by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupBy {
    /// Sections that were shown
    Sections,
    /// Files that were shown or opened
    Files,
    /// Commands
    Commands,
    /// Working directories
    Projects,
    /// Failures
    Errors,
    /// Search queries
    Search,
    /// Totals
    Summary,
    /// Searches without results
    ZeroResults,
    /// Runs, newest first, with their commands
    Sessions,
    /// Days
    Timeline,
    /// None: old rows were deleted
    Prune,
}

impl GroupBy {
    /// All groupings that can be requested.
    const ALL: [Self; 10] = [
        Self::Sections,
        Self::Files,
        Self::Commands,
        Self::Projects,
        Self::Errors,
        Self::Search,
        Self::Summary,
        Self::ZeroResults,
        Self::Sessions,
        Self::Timeline,
    ];

    /// The names, in help order.
    pub const NAMES: [&'static str; 10] = {
        let mut names = [""; 10];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].name();
            at += 1;
        }
        names
    };

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sections => "sections",
            Self::Files => "files",
            Self::Commands => "commands",
            Self::Projects => "projects",
            Self::Errors => "errors",
            Self::Search => "search",
            Self::Summary => "summary",
            Self::ZeroResults => "zero-results",
            Self::Sessions => "sessions",
            Self::Timeline => "timeline",
            Self::Prune => "prune",
        }
    }

    /// Returns the grouping with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

/// Lists the names for help and completions, but accepts any word: the operation reports unknown names as E030.
#[cfg(feature = "clap")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Names;

#[cfg(feature = "clap")]
impl clap::builder::TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(GroupBy::NAMES.into_iter().map(Into::into)))
    }
}
