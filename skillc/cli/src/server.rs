//! `skc mcp`: the MCP server, over standard input and output or over HTTP.

#[cfg(feature = "mcp")]
use std::io::{IsTerminal, stdin};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use skillc_core::Result;
use skillc_core::config::Toolset;
#[cfg(feature = "http")]
use skillc_mcp::{HttpOptions, Listening, Reach};
use skillc_ops::{Example, Toolkit};

#[cfg(not(all(feature = "mcp", feature = "http")))]
use crate::common::left_out;
use crate::common::{MCP, plugin_arg};
use crate::help::{TEMPLATE, examples};
use crate::report::Io;

const HTTP: &str = "http";

const TOOLSET: &str = "toolset";

const ALLOW_REMOTE: &str = "allow-remote";

const TOKEN_FILE: &str = "token-file";

const METRICS: &str = "metrics";

const READ_ONLY: &str = "read-only";

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
    let token_file = Arg::new(TOKEN_FILE)
        .long(TOKEN_FILE)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .requires(HTTP)
        .help("Read the token from this file instead of creating a token");
    let flag = |name: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).action(ArgAction::SetTrue);
        flag.requires(HTTP).help(help)
    };
    let metrics = flag(METRICS, "Serve metrics at /metrics, in OpenMetrics format");
    let read_only = flag(READ_ONLY, "Offer only tools that change nothing");
    let toolset = Arg::new(TOOLSET)
        .long(TOOLSET)
        .value_name("SET")
        .value_parser(Toolset::ALL.map(Toolset::as_str))
        .help("Tools to offer [default: as configured, or all]");
    Command::new(MCP)
        .about("Serve skills to agents over MCP, the Model Context Protocol")
        .args([
            http,
            allow_remote,
            token_file,
            metrics,
            read_only,
            toolset,
            plugin_arg(),
        ])
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
                command: "skc mcp --http 127.0.0.1:8765 --read-only",
                does: "only with tools that change nothing",
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
        Some(address) => over_http(toolkit, toolset, *address, matches, io),
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
    matches: &ArgMatches,
    io: &mut Io<'_>,
) -> Result<()> {
    let options = HttpOptions {
        address,
        reach: if matches.get_flag(ALLOW_REMOTE) {
            Reach::Remote
        } else {
            Reach::ThisMachine
        },
        token_file: matches.get_one::<PathBuf>(TOKEN_FILE).cloned(),
        has_metrics: matches.get_flag(METRICS),
        is_read_only: matches.get_flag(READ_ONLY),
    };
    skillc_mcp::serve_http(toolkit, toolset, &options, |listening| {
        announce(listening, io);
    })
}

#[cfg(not(feature = "http"))]
fn over_http(_: Toolkit, _: Toolset, _: SocketAddr, _: &ArgMatches, _: &mut Io<'_>) -> Result<()> {
    Err(left_out("http"))
}

/// Prints the address and the token to standard error: the token is a secret, and standard output may be redirected to
/// a file.
#[cfg(feature = "http")]
fn announce(listening: &Listening, io: &mut Io<'_>) {
    let Listening { url, token } = listening;
    io.hint(&format!("Listening on {url}"));
    let token = token.as_deref().unwrap_or("(the token in the file)");
    io.hint(&format!("Authorization: Bearer {token}"));
    io.hint("Every request needs this header. Press Ctrl-C to stop the server.");
}
