//! `skc stats`: how a skill has been used, according to its usage log.
//!
//! The modules `filter` and `owner` select rows, `groupings` and `counts` group and count the rows, and `answer` puts
//! the results into the form that `response` defines. Nothing is cached between queries, because even a log of a
//! million rows is read in less than half a second.
//!
//! Design: requirements-stats, D-GROUP-BY, D-STATS-COUNTING, D-STATS-JSON.

mod answer;
mod arguments;
mod counts;
mod filter;
mod gather;
mod group;
mod groupings;
mod overview;
mod owner;
mod prune;
mod report;
mod response;
mod sessions;
mod subject;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use skillc_core::{Error, Result};

use self::answer::answer;
use self::filter::Filter;
use self::subject::Subjects;
use crate::access::Arguments;
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

pub use filter::Span;
pub(crate) use filter::bounds;
pub use group::GroupBy;
pub use overview::{Overview, Unused};
pub use prune::Prune;
pub use report::Report;
pub use response::{
    Applied, DayCount, ErrorCount, FileCount, Period, ProjectCount, Pruned, QueryCount,
    SectionCount, Session, SessionCommand, SkillUse, StatsData, StatsResponse, Summary,
};

/// The default limit on sessions.
const DEFAULT_LIMIT: usize = 100;

/// Arguments of `skc stats`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct StatsRequest {
    /// Skill name or path, unless all skills are counted
    #[serde(deserialize_with = "present")]
    #[schemars(required, with = "Option<String>", extend("type" = ["string", "null"]))]
    pub skill: Option<String>,
    /// Include all skills in the project's stores and the user's store
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub all: bool,
    /// What to group by, for example sections
    #[cfg_attr(feature = "clap", arg(long, alias = "query", value_name = "TYPE", value_parser = group::Names, default_value = GroupBy::Summary.name()))]
    #[serde(default = "default_group")]
    #[schemars(extend("enum" = GroupBy::NAMES))]
    pub group_by: String,
    /// Only since this date, time or age, for example 7d or 2026-01-31
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHEN"))]
    #[serde(default)]
    pub since: Option<String>,
    /// Only up to this date, time or age; a date means 00:00 UTC that day
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHEN"))]
    #[serde(default)]
    pub until: Option<String>,
    /// Count only uses in this working directory or below; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    #[serde(default)]
    pub project: Vec<String>,
    /// Maximum number of sessions to list
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N", default_value_t = DEFAULT_LIMIT))]
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Options for pruning; command line only
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(skip)]
    pub prune: Prune,
    /// Whether an HTML page is requested
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub is_page: bool,
}

fn default_group() -> String {
    GroupBy::Summary.name().to_owned()
}

const fn default_limit() -> usize {
    DEFAULT_LIMIT
}

/// Deserializes a field that may be null but not absent.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(from)
}

/// Implements `skc stats`.
pub struct Stats;

skillc_core::inventory::submit!(tool_of::<Stats>());

impl Operation for Stats {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "Show usage statistics of a skill";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc stats my-skill",
            does: "an overview, including unused sections",
        },
        Example {
            command: "skc stats my-skill --since 7d --group-by sections",
            does: "most used sections of the last 7 days",
        },
        Example {
            command: "skc stats my-skill --group-by zero-results",
            does: "searches without results",
        },
        Example {
            command: "skc stats my-skill --project . -o json",
            does: "usage in this directory, as JSON",
        },
        Example {
            command: "skc stats --all --group-by timeline",
            does: "uses of all skills, by day",
        },
        Example {
            command: "skc stats my-skill --format html --output report.html",
            does: "an HTML report",
        },
        Example {
            command: "skc stats my-skill --prune --before 52w",
            does: "delete rows older than a year, after confirmation",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skc_stats",
        title: "Usage of a skill",
        about: "Count how a skill was used, including searches without results.",
        effect: Effect::Reads,
        form: Form::Response,
        text: ResultText::Json,
        gives_skill: true,
    });
    type Request = StatsRequest;
    type Response = StatsResponse;

    fn arguments(request: &StatsRequest) -> Arguments {
        Arguments::from([
            ("group_by", request.group_by.as_str().into()),
            ("since", request.since.clone().into()),
            ("until", request.until.clone().into()),
            ("projects", request.project.clone().into()),
        ])
    }

    fn run(toolkit: &Toolkit, request: StatsRequest, notes: &mut Notes) -> Result<StatsResponse> {
        let group = GroupBy::named(&request.group_by);
        let subjects = Subjects::find(toolkit, &request, notes)?;
        let group = group.ok_or_else(|| Error::InvalidQueryType {
            kind: request.group_by.clone(),
        })?;
        if request.is_page && (group != GroupBy::Summary || request.prune.prune) {
            return Err(Error::invalid_option(
                "--format html cannot be used with --group-by or --prune",
            ));
        }
        if request.prune.prune {
            return prune::prune(toolkit, &subjects, &request, notes);
        }
        let filter = Filter::new(toolkit, &request)?;
        let page = request.is_page.then(|| toolkit.context.clock.now());
        let mut response = answer(&subjects, group, &filter, request.limit, page, notes)?;
        if let Some(report) = &mut response.report {
            report.notices = notes.notices.iter().map(ToString::to_string).collect();
        }
        Ok(response)
    }

    fn for_format(request: &mut StatsRequest, format: &str) {
        request.is_page = format == "html";
    }
}
