//! Ways to run lint beside a plain run over skills on disk. Only the command line offers them.

use serde::Serialize;

use super::baseline::{BaselineReport, BaselineRequest};
use super::changed::ChangedRequest;
use super::input::InputRequest;
use super::output::OutputRequest;
use super::report::SkillReport;
use super::watching::WatchRequest;

/// How the run is made. Nothing of it can be asked for in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct WaysRequest {
    /// What is known already
    #[cfg_attr(feature = "clap", command(flatten))]
    pub baseline: BaselineRequest,
    /// Which skills have changed
    #[cfg_attr(feature = "clap", command(flatten))]
    pub changed: ChangedRequest,
    /// What comes from standard input
    #[cfg_attr(feature = "clap", command(flatten))]
    pub input: InputRequest,
    /// How often
    #[cfg_attr(feature = "clap", command(flatten))]
    pub watch: WatchRequest,
    /// What is printed, and what fails
    #[cfg_attr(feature = "clap", command(flatten))]
    pub output: OutputRequest,
}

/// What a run says of itself beside its findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aside {
    /// What became of the list of known findings, if there is one.
    pub baseline: Option<BaselineReport>,
    /// The revision since which skills have changed, if only such skills were linted.
    pub since: Option<String>,
    /// Whether scripts of rules have changed since, too: then all skills were linted.
    pub has_changed_scripts: bool,
    /// Ids of the clients that were named and of which it is not known how they react to anything.
    pub unknown_clients: Vec<String>,
    /// Whether it was over one file from standard input.
    pub is_input: bool,
}

/// The report of the only skill of a run, with what the run says of itself.
#[derive(Serialize)]
pub(super) struct Beside<'a> {
    #[serde(flatten)]
    report: &'a SkillReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a BaselineReport>,
}

impl Aside {
    /// Puts what is said in JSON beside the report of the only skill.
    pub(super) fn beside<'a>(&'a self, report: &'a SkillReport) -> Beside<'a> {
        let baseline = self.baseline.as_ref();
        Beside { report, baseline }
    }
}
