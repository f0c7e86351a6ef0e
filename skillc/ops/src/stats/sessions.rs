//! Sessions: the commands of each run, in order.
//!
//! Logs are read twice: first backwards to find the newest runs, then forwards to read the commands of these runs. The
//! rows of a log are ordered by their position, not by their timestamps, because the clock may be set back; timestamps
//! are used only to order rows of different logs.
//!
//! Design: C-LOGGING@7. The grouping is an addition to the specification.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use skillc_core::Result;
use skillc_storage::access_stats::{Column, LoggedRow};

use super::answer::Asking;
use super::arguments::Arguments;
use super::counts::Tally;
use super::gather::gather;
use super::response::{Session, SessionCommand};
use crate::notes::Notes;

/// The limit on commands per session: a server can run for a long time.
const MAX_COMMANDS: usize = 1_000;

/// Lists the newest sessions.
///
/// # Errors
/// E999 if a single skill was requested and its log cannot be read.
pub(super) fn sessions(asking: &mut Asking<'_>, limit: usize) -> Result<Vec<Session>> {
    let ids = newest(asking, limit)?;
    let numbers: HashMap<&str, usize> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (id.as_str(), at))
        .collect();
    let mut runs = vec![Run::default(); ids.len()];
    let new = || Listing {
        numbers: &numbers,
        found: vec![Run::default(); ids.len()],
        malformed: 0,
    };
    for part in asking.read(new)? {
        asking.malformed += part.tally.malformed;
        let label = asking.label(&part);
        for (run, mut more) in runs.iter_mut().zip(part.tally.found) {
            for command in &mut more.commands {
                command.skill.clone_from(&label);
            }
            run.extend(more);
        }
    }
    let is_one_log = asking.subjects.only().is_some();
    let sessions = ids.iter().zip(runs).map(|(id, mut run)| {
        if !is_one_log {
            run.commands.sort_by(|a, b| a.timestamp.cmp(&b.timestamp));
        }
        run.commands.truncate(MAX_COMMANDS);
        Session {
            run_id: id.clone(),
            start: printed(run.start),
            end: printed(run.end),
            count: run.count,
            error_count: run.errors,
            commands: run.commands,
        }
    });
    Ok(sessions.collect())
}

/// Finds the ids of the newest runs, newest first.
fn newest(asking: &Asking<'_>, limit: usize) -> Result<Vec<String>> {
    let new = || Newest {
        limit,
        ends: BTreeMap::new(),
    };
    let mut ends: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    // Warnings are reported by the second pass.
    for part in gather(asking.subjects, asking.filter, &mut Notes::default(), new)? {
        for (id, (second, row)) in part.tally.ends {
            // Row ids are more reliable than timestamps, but cannot be compared across logs.
            let second = if asking.subjects.only().is_some() {
                0
            } else {
                second
            };
            let end = ends.entry(id).or_default();
            *end = (*end).max((second, row));
        }
    }
    let mut ids: Vec<(String, (u64, i64))> = ends.into_iter().collect();
    ids.sort_by(|(a, a_end), (b, b_end)| (Reverse(a_end), a).cmp(&(Reverse(b_end), b)));
    ids.truncate(limit);
    Ok(ids.into_iter().map(|(id, _)| id).collect())
}

/// Finds the newest runs, by reading backwards until there are enough runs.
struct Newest {
    limit: usize,
    /// For each run, its last row: the digits of the row's timestamp, as one number, and the row's id.
    ends: BTreeMap<String, (u64, i64)>,
}

impl Tally for Newest {
    const IS_NEWEST_FIRST: bool = true;

    fn columns() -> Vec<Column> {
        vec![Column::RunId]
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        if is_of_run(row) && !self.ends.contains_key(row.run_id) {
            let end = (digits(row.timestamp), row.id);
            self.ends.insert(row.run_id.to_owned(), end);
        }
    }

    fn merge(&mut self, later: Self) {
        self.ends.extend(later.ends);
    }

    fn has_enough(&self) -> bool {
        self.ends.len() >= self.limit
    }
}

/// Returns whether a row has a run id and a valid timestamp.
fn is_of_run(row: &LoggedRow<'_>) -> bool {
    !row.run_id.is_empty() && !row.timestamp.is_empty()
}

#[derive(Debug, Clone, Default)]
struct Run {
    /// The digits of the earliest timestamp, up to the second, as one number; 0 before the first row.
    start: u64,
    /// The latest timestamp, in the same form.
    end: u64,
    count: u64,
    errors: u64,
    commands: Vec<SessionCommand>,
}

impl Run {
    fn extend(&mut self, later: Self) {
        if self.start == 0 || later.start != 0 && later.start < self.start {
            self.start = later.start;
        }
        self.end = self.end.max(later.end);
        self.count += later.count;
        self.errors += later.errors;
        self.commands.extend(later.commands);
    }
}

/// Lists the commands of some runs.
struct Listing<'a> {
    numbers: &'a HashMap<&'a str, usize>,
    found: Vec<Run>,
    malformed: u64,
}

impl Tally for Listing<'_> {
    fn columns() -> Vec<Column> {
        vec![Column::RunId, Column::Command, Column::Args, Column::Error]
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        let number = self.numbers.get(row.run_id).filter(|_| is_of_run(row));
        let Some(run) = number.and_then(|number| self.found.get_mut(*number)) else {
            return;
        };
        let second = digits(row.timestamp);
        let mut more = Run {
            start: second,
            end: second,
            count: 1,
            errors: u64::from(row.error.is_some()),
            commands: Vec::new(),
        };
        if run.commands.len() < MAX_COMMANDS {
            let args = Arguments::read(row.args);
            self.malformed += u64::from(args.is_none());
            more.commands.push(SessionCommand {
                timestamp: format!("{}Z", row.timestamp),
                skill: None,
                command: row.command.to_owned(),
                target: args.and_then(|args| args.target(row.command)),
                error: row.error.map(str::to_owned),
            });
        }
        run.extend(more);
    }

    fn merge(&mut self, later: Self) {
        for (run, later) in self.found.iter_mut().zip(later.found) {
            run.extend(later);
        }
        self.malformed += later.malformed;
    }
}

/// Returns the digits of a timestamp as one number; 0 for a string without digits.
fn digits(second: &str) -> u64 {
    let digits = second.bytes().filter(u8::is_ascii_digit);
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

/// Formats the digits of a timestamp: `2026-01-31T08:15:00Z`.
fn printed(digits: u64) -> String {
    let part = |below: u64, count: u64| digits / below % count;
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        part(10_000_000_000, 10_000),
        part(100_000_000, 100),
        part(1_000_000, 100),
        part(10_000, 100),
        part(100, 100),
        part(1, 100)
    )
}
