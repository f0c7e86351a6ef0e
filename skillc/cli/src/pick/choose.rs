//! Runs the picker and prints the choice.

use std::process::{self, ExitCode};

use clap::ArgMatches;
use skillc_core::Result;
use skillc_ops::catalog::Look;
use skillc_ops::{Notes, ScopeFilter, Toolkit};
use skillc_picker::{Start, pick, picture};

use super::{QUERY, RENDER, SCOPE};
use crate::report::Io;

/// Runs the picker. Exit status 0 if a skill was chosen, 1 if not.
pub(super) fn choose(matches: &ArgMatches, toolkit: &Toolkit, io: &mut Io<'_>) -> ExitCode {
    let mut notes = Notes::default();
    let catalog = toolkit.catalog(Look::Anew, &mut notes);
    for notice in &notes.notices {
        io.notice(notice);
    }
    let query = matches.get_one::<String>(QUERY);
    let scope = matches.get_one::<ScopeFilter>(SCOPE);
    let start = Start {
        query: query.map_or("", String::as_str),
        scope: scope.and_then(|scope| scope.in_catalog()),
    };
    let chosen: Result<Option<String>> = if matches.get_flag(RENDER) {
        picture(&catalog, start).map(Some)
    } else {
        pick(toolkit, &catalog, start, end)
    };
    match chosen {
        Ok(Some(text)) => {
            let result = writeln!(io.out, "{text}");
            io.written(result, ExitCode::SUCCESS)
        }
        Ok(None) => ExitCode::FAILURE,
        Err(error) => io.fail(&error),
    }
}

/// Exits with the status for "no skill was chosen".
#[expect(
    clippy::exit,
    reason = "the key reader thread blocks forever once its terminal is gone"
)]
fn end() {
    process::exit(1);
}
