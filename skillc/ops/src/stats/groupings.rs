//! The keys of each grouping.
//!
//! For sections and files, only successful reads are counted. For search queries, failed searches are counted, too.
//!
//! Design: C-QUERIES, D-STATS-COUNTING.

use skillc_storage::access_stats::{Column, LoggedRow};
use std::borrow::Cow;

use super::arguments::Arguments;
use super::counts::{Grouping, RowKey};

/// The separator of composite keys; cannot occur in a command's name.
pub(super) const SEPARATOR: char = '\0';

/// Sections that were shown. The key is the file and the heading.
pub(super) struct Sections;

impl Grouping for Sections {
    type Key = (String, String);
    const COLUMNS: &'static [Column] = &[Column::Command, Column::Args, Column::Error];

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        text.push_str(row.args);
        row.command == "show" && row.error.is_none()
    }

    fn key(text: &str) -> RowKey<Self::Key> {
        let Some(args) = Arguments::read(text) else {
            return RowKey::Malformed;
        };
        let file = args.file("show").unwrap_or_default();
        match args.section {
            Some(section) => RowKey::Key((file, section.into_owned())),
            None => RowKey::Nothing,
        }
    }
}

/// Files that were shown or opened.
pub(super) struct Files;

impl Grouping for Files {
    type Key = String;
    const COLUMNS: &'static [Column] = Sections::COLUMNS;

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        is_read(row) && push(text, &[row.command, row.args])
    }

    fn key(text: &str) -> RowKey<String> {
        let (command, args) = text.split_once(SEPARATOR).unwrap_or_default();
        match Arguments::read(args).map(|args| args.file(command)) {
            Some(Some(file)) => RowKey::Key(file),
            Some(None) => RowKey::Nothing,
            None => RowKey::Malformed,
        }
    }
}

pub(super) struct Commands;

impl Grouping for Commands {
    type Key = String;
    const COLUMNS: &'static [Column] = &[Column::Command];

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        push(text, &[row.command])
    }

    fn key(text: &str) -> RowKey<String> {
        RowKey::Key(text.to_owned())
    }
}

/// Working directories.
pub(super) struct Projects;

impl Grouping for Projects {
    type Key = String;
    const COLUMNS: &'static [Column] = &[Column::Cwd];

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        push(text, &[row.cwd])
    }

    fn key(text: &str) -> RowKey<String> {
        RowKey::Key(text.to_owned())
    }
}

/// Failures. The key is the command, the target and the message.
pub(super) struct Errors;

impl Grouping for Errors {
    type Key = (String, String, String);
    const COLUMNS: &'static [Column] =
        &[Column::Command, Column::Skill, Column::Args, Column::Error];

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        row.error
            .is_some_and(|error| push(text, &[row.command, row.skill, row.args, error]))
    }

    fn key(text: &str) -> RowKey<Self::Key> {
        let mut parts = text.splitn(4, SEPARATOR);
        let mut part = || parts.next().unwrap_or_default();
        let (command, skill, args, error) = (part(), part(), part(), part());
        let Some(args) = Arguments::read(args) else {
            return RowKey::Malformed;
        };
        // Without a target, the skill itself is the target.
        let target = args.target(command).unwrap_or_else(|| skill.to_owned());
        RowKey::Key((command.to_owned(), target, error.to_owned()))
    }
}

/// A query, and the words of the query that no section contained. For [`Searches`], the list of words is empty.
pub(super) type QueryKey = (String, Vec<String>);

/// Search queries.
pub(super) struct Searches;

impl Grouping for Searches {
    type Key = QueryKey;
    const COLUMNS: &'static [Column] = &[Column::Command, Column::Args];

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        row.command == "search" && push(text, &[row.args])
    }

    fn key(text: &str) -> RowKey<QueryKey> {
        query(text, |args| Some((args.query?.into_owned(), Vec::new())))
    }
}

/// Queries without results, each with the words that no section contained.
pub(super) struct ZeroResults;

impl Grouping for ZeroResults {
    type Key = QueryKey;
    const COLUMNS: &'static [Column] = Sections::COLUMNS;

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        row.command == "search" && row.error.is_none() && push(text, &[row.args])
    }

    fn key(text: &str) -> RowKey<QueryKey> {
        query(text, |args| {
            let query = args.query.filter(|_| args.result_count == Some(0))?;
            let words = args.unmatched.into_iter().map(Cow::into_owned);
            Some((query.into_owned(), words.collect()))
        })
    }
}

/// Days. Failed and successful accesses are counted separately.
pub(super) struct Days;

impl Grouping for Days {
    type Key = (String, bool);
    const COLUMNS: &'static [Column] = &[Column::Error];

    fn text(row: &LoggedRow<'_>, text: &mut String) -> bool {
        let end = if row.error.is_some() { "!" } else { "" };
        row.timestamp
            .get(..10)
            .is_some_and(|day| push(text, &[day, end]))
    }

    fn key(text: &str) -> RowKey<Self::Key> {
        let (day, end) = text.split_once(SEPARATOR).unwrap_or_default();
        RowKey::Key((day.to_owned(), !end.is_empty()))
    }
}

/// Returns whether a row is a successful read of a file.
pub(super) fn is_read(row: &LoggedRow<'_>) -> bool {
    matches!(row.command, "show" | "open") && row.error.is_none()
}

fn query(text: &str, key: impl Fn(Arguments<'_>) -> Option<QueryKey>) -> RowKey<QueryKey> {
    match Arguments::read(text) {
        Some(args) => key(args).map_or(RowKey::Nothing, RowKey::Key),
        None => RowKey::Malformed,
    }
}

/// Appends parts, joined by the separator. Always returns true, so that a call can be the last part of a condition.
pub(super) fn push(text: &mut String, parts: &[&str]) -> bool {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            text.push(SEPARATOR);
        }
        text.push_str(part);
    }
    true
}
