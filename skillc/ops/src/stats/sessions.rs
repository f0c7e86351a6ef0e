//! Sessions: what each run did, in its order.
//!
//! Logs are read twice: first for which runs there are, then for the commands of those that are listed. Order is that of
//! the rows, not of the clock, which may be set back.
//!
//! Source: RFC-0007 C-LOGGING (run id). The grouping is ours.

use std::cmp::Reverse;
use std::collections::HashMap;

use skillc_core::Result;
use skillc_storage::access_stats::{Column, LoggedRow};

use super::answer::Asking;
use super::arguments::Arguments;
use super::counts::Tally;
use super::gather::gather;
use super::response::{Session, SessionCommand};
use crate::operation::Notes;

/// The most commands that are listed of a session: the life of a server can be long.
const MAX_COMMANDS: usize = 1_000;

/// Lists the newest sessions.
///
/// # Errors
/// E999 if the log of a single skill cannot be read.
pub(super) fn sessions(asking: &mut Asking<'_>, limit: usize) -> Result<Vec<Session>> {
    let mut runs: HashMap<Box<str>, Run> = HashMap::new();
    for part in asking.read::<Runs>(Runs::default)? {
        merge(&mut runs, part.tally.runs);
    }
    let mut newest: Vec<(Box<str>, Run)> = runs.into_iter().collect();
    // Numbers of rows tell more than the clock, but nothing across logs.
    let is_one_log = asking.subjects.only().is_some();
    newest.sort_by_cached_key(|(id, run)| {
        let last = if is_one_log { 0 } else { run.end };
        Reverse((last, run.last, id.clone()))
    });
    newest.truncate(limit);
    let numbers: HashMap<&str, usize> = newest
        .iter()
        .enumerate()
        .map(|(at, (id, _))| (&**id, at))
        .collect();
    let commands = commands(asking, &numbers)?;
    let sessions = newest
        .iter()
        .zip(commands)
        .map(|((id, run), commands)| Session {
            run_id: id.to_string(),
            start: printed(run.start),
            end: printed(run.end),
            count: run.count,
            error_count: run.errors,
            commands,
        });
    Ok(sessions.collect())
}

/// Returns the commands of each session. `numbers`: the place of each run's id in the list.
fn commands(
    asking: &mut Asking<'_>,
    numbers: &HashMap<&str, usize>,
) -> Result<Vec<Vec<SessionCommand>>> {
    let mut all = vec![Vec::new(); numbers.len()];
    let new = || Listed {
        numbers,
        commands: vec![Vec::new(); numbers.len()],
        malformed: 0,
    };
    // What there is to say of the logs was said when they were first read.
    for part in gather(asking.subjects, asking.filter, &mut Notes::default(), new)? {
        asking.malformed += part.tally.malformed;
        let label = asking.label(&part);
        for (all, mut commands) in all.iter_mut().zip(part.tally.commands) {
            for command in &mut commands {
                command.skill.clone_from(&label);
            }
            all.append(&mut commands);
        }
    }
    for commands in &mut all {
        if asking.subjects.only().is_none() {
            commands.sort_by(|a, b| a.timestamp.cmp(&b.timestamp));
        }
        commands.truncate(MAX_COMMANDS);
    }
    Ok(all)
}

/// A run, as far as it is known before its commands are.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The earliest second, its digits as one number.
    start: u64,
    /// The latest second.
    end: u64,
    count: u64,
    errors: u64,
    /// The number of its last row.
    last: i64,
}

/// Finds the runs there are.
#[derive(Default)]
struct Runs {
    runs: HashMap<Box<str>, Run>,
}

impl Tally for Runs {
    fn columns() -> Vec<Column> {
        vec![Column::RunId, Column::Error]
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        let second = digits(row.timestamp);
        if row.run_id.is_empty() || second == 0 {
            return;
        }
        let run = Run {
            start: second,
            end: second,
            count: 1,
            errors: u64::from(row.error.is_some()),
            last: row.id,
        };
        match self.runs.get_mut(row.run_id) {
            Some(known) => known.extend(run),
            None => drop(self.runs.insert(row.run_id.into(), run)),
        }
    }

    fn merge(&mut self, later: Self) {
        merge(&mut self.runs, later.runs);
    }
}

impl Run {
    fn extend(&mut self, later: Self) {
        self.start = self.start.min(later.start);
        self.end = self.end.max(later.end);
        self.count += later.count;
        self.errors += later.errors;
        self.last = self.last.max(later.last);
    }
}

#[expect(clippy::iter_over_hash_type, reason = "each run is extended once")]
fn merge(runs: &mut HashMap<Box<str>, Run>, later: HashMap<Box<str>, Run>) {
    for (id, run) in later {
        runs.entry(id)
            .and_modify(|known| known.extend(run))
            .or_insert(run);
    }
}

/// Lists the commands of some runs.
struct Listed<'a> {
    numbers: &'a HashMap<&'a str, usize>,
    commands: Vec<Vec<SessionCommand>>,
    malformed: u64,
}

impl Tally for Listed<'_> {
    fn columns() -> Vec<Column> {
        vec![Column::RunId, Column::Command, Column::Args, Column::Error]
    }

    fn add(&mut self, row: &LoggedRow<'_>) {
        let number = self
            .numbers
            .get(row.run_id)
            .filter(|_| !row.timestamp.is_empty());
        let Some(commands) = number.and_then(|number| self.commands.get_mut(*number)) else {
            return;
        };
        if commands.len() >= MAX_COMMANDS {
            return;
        }
        let args = Arguments::read(row.args);
        self.malformed += u64::from(args.is_none());
        commands.push(SessionCommand {
            timestamp: format!("{}Z", row.timestamp),
            skill: None,
            command: row.command.to_owned(),
            target: args.and_then(|args| args.target(row.command)),
            error: row.error.map(str::to_owned),
        });
    }

    fn merge(&mut self, later: Self) {
        for (commands, later) in self.commands.iter_mut().zip(later.commands) {
            commands.extend(later);
        }
        self.malformed += later.malformed;
    }
}

/// Returns the digits of a second as one number; 0 without any.
fn digits(second: &str) -> u64 {
    let digits = second.bytes().filter(u8::is_ascii_digit);
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

/// Prints such a number: `2026-01-31T08:15:00Z`.
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
