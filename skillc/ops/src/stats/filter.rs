//! Filters accesses by time and by project.
//!
//! Design: C-FILTERS, D-SINCE-RELATIVE, D-PROJECT-FILTER, D-STATS-TEXT.

use std::path::PathBuf;

use skillc_core::time::Timestamp;
use skillc_core::{Context, Error, Result, Stop};

use super::StatsRequest;
use crate::access::LogWait;
use crate::toolkit::Toolkit;

/// The accepted forms of a time.
const FORMS: &str =
    "a date (2026-01-31), a time (2026-01-31T08:15:00Z) or an age (90m, 12h, 7d, 4w)";

/// The parsed filters of a request.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    /// The first second that is included.
    pub(super) since: Option<Timestamp>,
    /// The last second that is included.
    pub(super) until: Option<Timestamp>,
    /// Canonical directories; empty for all.
    pub(super) projects: Vec<PathBuf>,
    /// The period in words.
    pub(super) span: Span,
    pub(super) stop: Stop,
    /// How long the command may still wait for logs.
    pub(super) log_wait: LogWait,
}

/// The requested period, in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Span {
    /// All data.
    #[default]
    AllTime,
    /// A period that ends now, given by its length, for example `7 days`.
    Last(String),
    /// The time between two bounds, either of which may be missing.
    Between(Option<Timestamp>, Option<Timestamp>),
}

impl Filter {
    /// Parses the filters of a request.
    ///
    /// # Errors
    /// E031 for an invalid time, bounds in the wrong order, or a project that does not exist.
    pub(super) fn new(toolkit: &Toolkit, request: &StatsRequest) -> Result<Self> {
        let context = &toolkit.context;
        let bounds = [request.since.as_deref(), request.until.as_deref()];
        let [since, until] = moments(context.clock.now(), bounds)?;
        let time = |moment: &Option<Moment>| moment.as_ref().map(Moment::time);
        let (from, to) = (time(&since), time(&until));
        let projects = request.project.iter().map(|path| project(context, path));
        Ok(Self {
            since: from,
            until: to,
            projects: projects.collect::<Result<_>>()?,
            span: match (since, until) {
                (None, None) => Span::AllTime,
                (Some(Moment::Age { words, .. }), None) => Span::Last(words),
                _ => Span::Between(from, to),
            },
            stop: toolkit.stop.clone(),
            log_wait: toolkit.log_wait.clone(),
        })
    }
}

/// Parses the options `--since` and `--until` into the first and last second of the period.
///
/// # Errors
/// E031 for an invalid time, or bounds in the wrong order.
pub(crate) fn bounds(
    now: Timestamp,
    since: Option<&str>,
    until: Option<&str>,
) -> Result<[Option<Timestamp>; 2]> {
    let moments = moments(now, [since, until])?;
    Ok(moments.map(|moment| moment.as_ref().map(Moment::time)))
}

fn moments(now: Timestamp, [since, until]: [Option<&str>; 2]) -> Result<[Option<Moment>; 2]> {
    let read = |name, text: Option<&str>| text.map(|text| moment(name, text, now)).transpose();
    let (since, until) = (read("since", since)?, read("until", until)?);
    if let (Some(since), Some(until)) = (&since, &until) {
        let (from, to) = (since.time(), until.time());
        if from > to {
            return Err(invalid(format!("since ({from}) is after until ({to})")));
        }
    }
    Ok([since, until])
}

enum Moment {
    Age { time: Timestamp, words: String },
    Fixed(Timestamp),
}

impl Moment {
    const fn time(&self) -> Timestamp {
        match self {
            Self::Age { time, .. } | Self::Fixed(time) => *time,
        }
    }
}

/// Parses a time. `name`: the name of the option, for the message.
///
/// # Errors
/// E031 if it is invalid.
pub(super) fn time(name: &str, text: &str, now: Timestamp) -> Result<Timestamp> {
    moment(name, text, now).map(|moment| moment.time())
}

fn moment(name: &str, text: &str, now: Timestamp) -> Result<Moment> {
    let found = age(text, now).or_else(|| Timestamp::parse(text).map(Moment::Fixed));
    found.ok_or_else(|| invalid(format!("{name} is not {FORMS}: {text}")))
}

/// Parses `7d`: a number of minutes, hours, days or weeks before now.
fn age(text: &str, now: Timestamp) -> Option<Moment> {
    let unit = text.chars().next_back()?;
    let number = &text[..text.len() - unit.len_utf8()];
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (seconds, word) = match unit {
        'm' => (60, "minute"),
        'h' => (3_600, "hour"),
        'd' => (86_400, "day"),
        'w' => (604_800, "week"),
        _ => return None,
    };
    let count: i64 = number.parse().ok()?;
    let time = now.earlier(count.checked_mul(seconds)?)?;
    let plural = if count == 1 { "" } else { "s" };
    Some(Moment::Age {
        time,
        words: format!("{count} {word}{plural}"),
    })
}

fn project(context: &Context, path: &str) -> Result<PathBuf> {
    let found = context.cwd.join(path).canonicalize();
    let found = found.map_err(|_| invalid(format!("project path not found: {path}")))?;
    if found.is_dir() && !path.is_empty() {
        Ok(found)
    } else {
        Err(invalid(format!("project path is not a directory: {path}")))
    }
}

fn invalid(message: String) -> Error {
    Error::InvalidFilter { message }
}
