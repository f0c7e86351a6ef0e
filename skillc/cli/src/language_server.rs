//! `skc lsp`: the language server, over standard input and output.

#[cfg(feature = "lsp")]
use std::io::{IsTerminal, stdin};
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command};
use skillc_ops::{Example, Toolkit};

use crate::common::plugin_arg;
use crate::help::{TEMPLATE, examples};
use crate::report::Io;

/// The command that runs the language server.
pub(crate) const LSP: &str = "lsp";

pub(crate) fn command() -> Command {
    let stdio = Arg::new("stdio")
        .long("stdio")
        .action(ArgAction::SetTrue)
        .help("Accepted because some editors pass it; has no effect");
    Command::new(LSP)
        .about("Show findings in editors over LSP, the Language Server Protocol")
        .args([stdio, plugin_arg()])
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc lsp",
                does: "over standard input and output, as editors start it",
            },
            Example {
                command: "skc lsp --plugin rules/no-todo.rhai",
                does: "with a rule of your own",
            },
        ]))
}

/// Serves until the editor disconnects. The exit status is 0 only if the editor shut the server down first, as the
/// protocol requires.
#[cfg(feature = "lsp")]
pub(crate) fn serve(toolkit: Toolkit, io: &mut Io<'_>) -> ExitCode {
    if let Err(error) = toolkit.check_named_plugins() {
        return io.fail(&error);
    }
    // If a user starts the server by hand, it waits without any output: explain that.
    if stdin().is_terminal() {
        io.hint("Waiting for an editor on standard input; press Ctrl-D to stop.");
    }
    match skillc_lsp::serve_stdio(toolkit) {
        skillc_lsp::Ended::AfterShutdown => ExitCode::SUCCESS,
        skillc_lsp::Ended::Abruptly => ExitCode::FAILURE,
    }
}

#[cfg(not(feature = "lsp"))]
pub(crate) fn serve(_: Toolkit, io: &mut Io<'_>) -> ExitCode {
    io.fail(&crate::common::left_out("lsp"))
}
