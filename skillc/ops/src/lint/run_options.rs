//! Variants of a lint run: baseline, changed skills, standard input, watch mode. Only the command line offers them.

use serde::Serialize;

use super::baseline::{BaselineReport, BaselineRequest};
use super::changed::ChangedRequest;
use super::earlier_report::UnchangedSkill;
use super::input::InputRequest;
use super::output::OutputRequest;
use super::report::SkillReport;
use super::stream::StreamRequest;
use super::watching::WatchRequest;

/// Input and output of a run. Not available in JSON requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct RunOptions {
    /// Known findings
    #[cfg_attr(feature = "clap", command(flatten))]
    pub baseline: BaselineRequest,
    /// Changed skills
    #[cfg_attr(feature = "clap", command(flatten))]
    pub changed: ChangedRequest,
    /// Standard input
    #[cfg_attr(feature = "clap", command(flatten))]
    pub input: InputRequest,
    /// Watch mode
    #[cfg_attr(feature = "clap", command(flatten))]
    pub watch: WatchRequest,
    /// Output
    #[cfg_attr(feature = "clap", command(flatten))]
    pub output: OutputRequest,
    /// One line per skill
    #[cfg_attr(feature = "clap", command(flatten))]
    pub stream: StreamRequest,
    /// Whether the skills in archives are checked, too.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub archives: bool,
    /// Whether the report of each skill without findings has a hash, for `skc scan --since FILE`.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub has_hashes: bool,
}

/// Information about a run besides its findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aside {
    /// The result of applying the baseline, if there is one.
    pub baseline: Option<BaselineReport>,
    /// The revision or the report that skills are compared with, if only changed skills were linted.
    pub since: Option<String>,
    /// The skills that were skipped because they have not changed since the earlier report.
    pub unchanged: Vec<UnchangedSkill>,
    /// Whether rule scripts have changed since that revision: if so, all skills were linted.
    pub has_changed_scripts: bool,
    /// Ids of the selected clients whose reactions to faults are all unknown.
    pub unknown_clients: Vec<String>,
    /// Whether the run linted one file from standard input.
    pub is_input: bool,
}

/// The report of a single-skill run, with information about the run.
#[derive(Serialize)]
pub(super) struct Beside<'a> {
    #[serde(flatten)]
    report: &'a SkillReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a BaselineReport>,
}

impl Aside {
    /// Combines the report of the only skill with the JSON fields of the run.
    pub(super) fn beside<'a>(&'a self, report: &'a SkillReport) -> Beside<'a> {
        let baseline = self.baseline.as_ref();
        Beside { report, baseline }
    }
}
