//! `skc mcp`: the server for agents, on standard input and output or over HTTP.

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use skillc_ops::{Example, Toolkit};

use crate::args::{MCP, examples};
use crate::report::Io;

/// The id of `--http`.
const HTTP: &str = "http";

/// The id of `--allow-remote`.
const ALLOW_REMOTE: &str = "allow-remote";

/// Makes the command; the commands of its group are added to it.
pub(crate) fn command() -> Command {
    let http = Arg::new(HTTP)
        .long(HTTP)
        .value_name("ADDRESS")
        .value_parser(value_parser!(SocketAddr))
        .help("Listen here, as in 127.0.0.1:8765, in place of standard input; port 0 takes a free one");
    let allow_remote = Arg::new(ALLOW_REMOTE)
        .long(ALLOW_REMOTE)
        .action(ArgAction::SetTrue)
        .requires(HTTP)
        .help("Listen on an address that other machines can reach");
    Command::new(MCP)
        .about("Serve skills to agents over the Model Context Protocol")
        .args([http, allow_remote])
        .args_conflicts_with_subcommands(true)
        .after_help(examples(&[
            Example {
                command: "skc mcp",
                does: "what an agent client starts: the protocol on standard input and output",
            },
            Example {
                command: "skc mcp --http 127.0.0.1:8765",
                does: "over HTTP, for clients on this machine",
            },
        ]))
}

/// Serves until the client leaves.
pub(crate) fn serve(
    _matches: &ArgMatches,
    toolkit: Toolkit,
    _is_verbose: bool,
    io: &mut Io<'_>,
) -> ExitCode {
    match skillc_mcp::serve_stdio(toolkit) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => io.fail(&error),
    }
}
