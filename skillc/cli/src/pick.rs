//! `skc catalog pick`: the arguments of the picker, and where its choice goes.
//!
//! Source: CATALOG §3.4, CAT-PICK.6, CAT-PICK.7.

use std::process::{self, ExitCode};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use skillc_core::Result;
use skillc_ops::catalog::Look;
use skillc_ops::catalog::model::Scope;
use skillc_ops::{Example, Notes, Toolkit};
use skillc_picker::{Start, pick, picture};

use crate::common::examples;
use crate::report::Io;

/// The command, with its group's name.
pub(crate) const PICK: &str = "catalog pick";

/// The id of `--query`.
const QUERY: &str = "query";

/// The id of `--scope`.
const SCOPE: &str = "scope";

/// The id of `--render`.
const RENDER: &str = "render";

/// Makes the command.
pub(crate) fn command() -> Command {
    let query = Arg::new(QUERY)
        .long(QUERY)
        .value_name("TEXT")
        .help("Begin with this typed");
    let scope = Arg::new(SCOPE)
        .long(SCOPE)
        .value_name("SCOPE")
        .value_parser(PossibleValuesParser::new([
            "repo", "user", "project", "global",
        ]))
        .help("Begin with these skills only");
    let render = Arg::new(RENDER)
        .long(RENDER)
        .action(ArgAction::SetTrue)
        .help("Print what it looks like at first, as text, and end");
    Command::new("pick")
        .about("Choose a skill at the terminal; switch skills on and off")
        .args([query, scope, render])
        .after_help(examples(&[
            Example {
                command: "skc catalog pick",
                does: "type to filter, Space switches, Enter prints the path",
            },
            Example {
                command: "$EDITOR \"$(skc catalog pick)\"",
                does: "edit the skill that is chosen",
            },
            Example {
                command: "skc catalog pick --query review --scope repo",
                does: "begin with some of them",
            },
        ]))
}

/// Picks. Exit status 0 if a skill was chosen, 1 if not.
pub(crate) fn run(matches: &ArgMatches, toolkit: &Toolkit, io: &mut Io<'_>) -> ExitCode {
    let mut notes = Notes::default();
    let catalog = toolkit.catalog(Look::Anew, &mut notes);
    for notice in &notes.notices {
        io.notice(notice);
    }
    let query = matches.get_one::<String>(QUERY);
    let scope = matches.get_one::<String>(SCOPE);
    let start = Start {
        query: query.map_or("", String::as_str),
        scope: scope.and_then(|scope| Scope::named(scope)),
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

/// Ends the process as without a choice.
#[expect(
    clippy::exit,
    reason = "the thread that reads keys waits for ever once its terminal is gone"
)]
fn end() {
    process::exit(1);
}
