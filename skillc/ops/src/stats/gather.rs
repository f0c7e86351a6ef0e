//! Reads logs and aggregates the matching rows of each skill.
//!
//! Design: C-CLI, C-FILTERS, D-STATS-COUNTING.

use std::path::PathBuf;

use skillc_core::{Error, Result, SkillRef, Warning};
use skillc_storage::access_stats::{Column, LoggedRow, More, RowReader, Wanted};
use skillc_storage::{AccessLog, LogUnusable};

use super::counts::Tally;
use super::filter::Filter;
use super::owner::chooser;
use super::response::Period;
use super::subject::Subjects;
use crate::access::logged_in;
use crate::notes::Notes;

/// The pattern of a timestamp, up to the second; `0` stands for any digit.
const SECOND: &[u8; 19] = b"0000-00-00T00:00:00";

/// The result for one skill.
pub(super) struct Part<'a, T> {
    pub(super) skill: &'a SkillRef,
    pub(super) tally: T,
    /// The number of matching rows.
    pub(super) total: u64,
    pub(super) period: Period,
    /// The number of rows without a valid timestamp.
    pub(super) timeless: u64,
}

/// Reads the logs of the requested skills; `new` creates an empty tally.
///
/// # Errors
/// E999 if a single skill was requested and its log cannot be read. If several skills were requested, or the log's
/// folder is a file, an unreadable log causes only a warning.
pub(super) fn gather<'a, T: Tally>(
    subjects: &'a Subjects,
    filter: &Filter,
    notes: &mut Notes,
    new: impl Fn() -> T,
) -> Result<Vec<Part<'a, T>>> {
    let mut parts = Vec::new();
    for skill in subjects.skills() {
        notes.detail(format!("log     {}", log_of(skill).display()));
        match part(skill, filter, &new) {
            Ok(part) => parts.push(part),
            Err(reason) if subjects.only().is_some() && reason != LogUnusable::NoFolder => {
                return Err(unusable(skill, reason));
            }
            Err(reason) => {
                notes.warn(Warning::LogUnusable {
                    path: log_of(skill).display().to_string(),
                    reason: reason.reason().to_owned(),
                });
                parts.push(Part::empty(skill, new()));
            }
        }
    }
    Ok(parts)
}

/// Returns the path of a skill's log.
pub(super) fn log_of(skill: &SkillRef) -> PathBuf {
    logged_in(skill).logs()
}

/// Creates the error for an unreadable log.
pub(super) fn unusable(skill: &SkillRef, reason: LogUnusable) -> Error {
    let path = log_of(skill);
    let hint = match reason {
        LogUnusable::Damaged | LogUnusable::Foreign => {
            Some("Move the file away; the next use of the skill creates a new log.".into())
        }
        LogUnusable::Busy => Some("Another program is using it. Try again later.".into()),
        LogUnusable::Denied | LogUnusable::NoFolder | LogUnusable::Interrupted => None,
    };
    Error::Internal {
        message: format!(
            "reading usage log '{}': {}",
            path.display(),
            reason.reason()
        ),
        hint,
    }
}

fn part<'a, T: Tally>(
    skill: &'a SkillRef,
    filter: &Filter,
    new: impl Fn() -> T,
) -> Result<Part<'a, T>, LogUnusable> {
    let mut whole = Part::empty(skill, new());
    let (path, wait) = (log_of(skill), &filter.log_wait);
    let Some(log) = wait.within(|wait| AccessLog::open(&path, wait, &filter.stop))? else {
        return Ok(whole);
    };
    let mut columns = vec![Column::Timestamp, Column::SkillPath];
    columns.extend((!filter.projects.is_empty()).then_some(Column::Cwd));
    for column in T::columns() {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let wanted = Wanted {
        columns: &columns,
        since: filter.since,
        until: filter.until,
    };
    let is_timed = filter.since.is_some() || filter.until.is_some();
    let counter = || Counter {
        is_counted: chooser(&skill.canonical, &filter.projects),
        is_timed,
        tally: new(),
        total: 0,
        timeless: 0,
        first: String::new(),
        last: String::new(),
    };
    let counters = if T::IS_NEWEST_FIRST {
        let mut counter = counter();
        log.read_back(wanted, &mut counter)?;
        vec![counter]
    } else {
        log.read(wanted, counter)?
    };
    for counter in counters {
        whole.add(counter);
    }
    Ok(whole)
}

impl<'a, T: Tally> Part<'a, T> {
    fn empty(skill: &'a SkillRef, tally: T) -> Self {
        Self {
            skill,
            tally,
            total: 0,
            period: Period::default(),
            timeless: 0,
        }
    }

    fn add<F>(&mut self, counter: Counter<T, F>) {
        self.total += counter.total;
        self.timeless += counter.timeless;
        let time = |second: String| (!second.is_empty()).then(|| second + "Z");
        self.period.extend(Period {
            start: time(counter.first),
            end: time(counter.last),
        });
        self.tally.merge(counter.tally);
    }
}

impl Period {
    pub(super) fn extend(&mut self, other: Self) {
        let starts = [self.start.take(), other.start];
        self.start = starts.into_iter().flatten().min();
        self.end = self.end.take().max(other.end);
    }
}

/// Counts the matching rows.
struct Counter<T, F> {
    is_counted: F,
    /// Whether only rows with a valid time are counted.
    is_timed: bool,
    tally: T,
    total: u64,
    timeless: u64,
    /// The earliest second; empty before the first row.
    first: String,
    /// The latest second.
    last: String,
}

impl<T: Tally, F: FnMut(&str, &str) -> bool + Send> RowReader for Counter<T, F> {
    fn take(&mut self, row: &LoggedRow<'_>) -> More {
        if !(self.is_counted)(row.skill_path, row.cwd) {
            return More::Wanted;
        }
        let second = second(row.timestamp);
        match second {
            Some(second) => self.period(second),
            None => self.timeless += 1,
        }
        if self.is_timed && second.is_none() {
            return More::Wanted;
        }
        self.total += 1;
        self.tally.add(&LoggedRow {
            timestamp: second.unwrap_or_default(),
            ..*row
        });
        if self.tally.has_enough() {
            More::Enough
        } else {
            More::Wanted
        }
    }
}

impl<T, F> Counter<T, F> {
    fn period(&mut self, second: &str) {
        if self.first.is_empty() || second < self.first.as_str() {
            second.clone_into(&mut self.first);
        }
        if second > self.last.as_str() {
            second.clone_into(&mut self.last);
        }
    }
}

/// Returns a timestamp up to the second, if it is valid. All timestamps are in UTC, with or without fractions.
fn second(timestamp: &str) -> Option<&str> {
    let second = timestamp.get(..SECOND.len())?;
    let fits = |(byte, like): (u8, &u8)| {
        if *like == b'0' {
            byte.is_ascii_digit()
        } else {
            byte == *like
        }
    };
    second.bytes().zip(SECOND).all(fits).then_some(second)
}
