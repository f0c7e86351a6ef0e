//! `skc catalog pick`, the interactive picker: its arguments and help.
//!
//! Design: catalog-commands, CAT-PICK.6, CAT-PICK.7.

use std::process::ExitCode;

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use skillc_ops::{Example, ScopeFilter, Toolkit};

use crate::help::{TEMPLATE, examples};
use crate::report::Io;

#[cfg(feature = "picker")]
mod choose;

/// The name of the command, with its group.
pub(crate) const PICK: &str = "catalog pick";

const QUERY: &str = "query";

const SCOPE: &str = "scope";

const RENDER: &str = "render";

pub(crate) fn command() -> Command {
    let query = Arg::new(QUERY)
        .long(QUERY)
        .value_name("TEXT")
        .help("Start with this search text, for example review");
    let scope = Arg::new(SCOPE)
        .long(SCOPE)
        .value_name("SCOPE")
        .value_parser(EnumValueParser::<ScopeFilter>::new())
        .help("Start with skills of this scope");
    let render = Arg::new(RENDER)
        .long(RENDER)
        .action(ArgAction::SetTrue)
        .help("Print the initial screen as text and exit");
    Command::new("pick")
        .about("Choose a skill interactively; enable and disable skills")
        .args([query, scope, render])
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc catalog pick",
                does: "type to filter, Space toggles, Enter prints the path",
            },
            Example {
                command: "$EDITOR \"$(skc catalog pick)\"",
                does: "edit the chosen skill",
            },
            Example {
                command: "skc catalog pick --query review --scope project",
                does: "start with matching skills of the project",
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
