//! `skc catalog pick`: the arguments of the picker, and the output of its choice.
//!
//! Design: catalog-commands, CAT-PICK.6, CAT-PICK.7.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use skillc_ops::{Example, Toolkit};

use crate::common::examples;
use crate::report::Io;

#[cfg(feature = "picker")]
mod choose;

/// The command, with its group.
pub(crate) const PICK: &str = "catalog pick";

/// The id of `--query`.
const QUERY: &str = "query";

/// The id of `--scope`.
const SCOPE: &str = "scope";

/// The id of `--render`.
const RENDER: &str = "render";

/// Builds the command.
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

/// Runs the picker. Exit status 0 if a skill was chosen, 1 if not.
#[cfg(feature = "picker")]
pub(crate) fn run(matches: &ArgMatches, toolkit: &Toolkit, io: &mut Io<'_>) -> ExitCode {
    choose::choose(matches, toolkit, io)
}

#[cfg(not(feature = "picker"))]
pub(crate) fn run(_: &ArgMatches, _: &Toolkit, io: &mut Io<'_>) -> ExitCode {
    io.fail(&crate::common::left_out("picker"))
}
