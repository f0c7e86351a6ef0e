//! `skc mcp`: the MCP server, over standard input and output or over HTTP.

#[cfg(feature = "mcp")]
use std::io::{IsTerminal, stdin};
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use skillc_core::Result;
use skillc_core::config::Toolset;
#[cfg(feature = "http")]
use skillc_mcp::{Listening, Reach};
use skillc_ops::{Example, Toolkit};

#[cfg(not(all(feature = "mcp", feature = "http")))]
use crate::common::left_out;
use crate::common::{MCP, plugin_arg};
use crate::help::{TEMPLATE, examples};
use crate::report::Io;

const HTTP: &str = "http";

const TOOLSET: &str = "toolset";

const ALLOW_REMOTE: &str = "allow-remote";

/// Builds the command without its subcommands, which the caller adds.
pub(crate) fn command() -> Command {
    let http = Arg::new(HTTP)
        .long(HTTP)
        .value_name("ADDRESS")
        .value_parser(value_parser!(SocketAddr))
        .help("Serve over HTTP at this address, for example 127.0.0.1:8765");
    let allow_remote = Arg::new(ALLOW_REMOTE)
        .long(ALLOW_REMOTE)
        .action(ArgAction::SetTrue)
        .requires(HTTP)
        .help("Allow an address that other machines can reach");
    let toolset = Arg::new(TOOLSET)
        .long(TOOLSET)
        .value_name("SET")
        .value_parser(Toolset::ALL.map(Toolset::as_str))
        .help("Tools to offer [default: as configured, or all]");
    Command::new(MCP)
        .about("Serve skills to agents over MCP, the Model Context Protocol")
        .args([http, allow_remote, toolset, plugin_arg()])
        .args_conflicts_with_subcommands(true)
        .help_template(TEMPLATE)
        .before_help(examples(&[
            Example {
                command: "skc mcp",
                does: "over standard input and output, as started by agent clients",
            },
            Example {
                command: "skc mcp --http 127.0.0.1:8765",
                does: "over HTTP, for clients on this machine",
            },
            Example {
                command: "skc mcp --toolset catalog",
                does: "only the tools that find and load skills",
            },
        ]))
}

/// Serves until the client disconnects or, over HTTP, until the process is asked to terminate.
pub(crate) fn serve(matches: &ArgMatches, toolkit: Toolkit, io: &mut Io<'_>) -> ExitCode {
    if let Err(error) = toolkit.check_named_plugins() {
        return io.fail(&error);
    }
    let named = matches.get_one::<String>(TOOLSET);
    let named = named.and_then(|word| Toolset::named(word));
    let toolset = named.unwrap_or(toolkit.config.toolset);
    let result = match matches.get_one::<SocketAddr>(HTTP) {
        None => over_stdio(toolkit, toolset, io),
        Some(address) => {
            let is_remote = matches.get_flag(ALLOW_REMOTE);
            over_http(toolkit, toolset, *address, is_remote, io)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => io.fail(&error),
    }
}

#[cfg(feature = "mcp")]
fn over_stdio(toolkit: Toolkit, toolset: Toolset, io: &mut Io<'_>) -> Result<()> {
    // If a user starts the server by hand, it waits without any output: explain that.
    if stdin().is_terminal() {
        io.hint("Waiting for a client on standard input; press Ctrl-D to stop.");
        io.hint("Clients start the server themselves: see skc mcp install --help.");
    }
    skillc_mcp::serve_stdio(toolkit, toolset)
}

#[cfg(not(feature = "mcp"))]
fn over_stdio(_: Toolkit, _: Toolset, _: &mut Io<'_>) -> Result<()> {
    Err(left_out("mcp"))
}

#[cfg(feature = "http")]
fn over_http(
    toolkit: Toolkit,
    toolset: Toolset,
    address: SocketAddr,
    is_remote: bool,
    io: &mut Io<'_>,
) -> Result<()> {
    let reach = if is_remote {
        Reach::Remote
    } else {
        Reach::ThisMachine
    };
    skillc_mcp::serve_http(toolkit, toolset, address, reach, |listening| {
        announce(listening, io);
    })
}

#[cfg(not(feature = "http"))]
fn over_http(_: Toolkit, _: Toolset, _: SocketAddr, _: bool, _: &mut Io<'_>) -> Result<()> {
    Err(left_out("http"))
}

/// Prints the address and the token to standard error: the token is a secret, and standard output may be redirected to
/// a file.
#[cfg(feature = "http")]
fn announce(listening: &Listening, io: &mut Io<'_>) {
    let Listening { url, token } = listening;
    io.hint(&format!("Listening on {url}"));
    io.hint(&format!("Authorization: Bearer {token}"));
    io.hint("Every request needs this header. Press Ctrl-C to stop the server.");
}
