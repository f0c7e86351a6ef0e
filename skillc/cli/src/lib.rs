//! The command-line interface of skillc.
//!
//! [`main`] is the whole program: a custom build with additional plug-ins imports their crates (`use my_rules as _;`)
//! and calls [`main`]. [`run`] does the same with all process state passed as arguments.

// An unreferenced crate is not linked, and its plug-ins would not be registered.
use skillc_formats as _;
use skillc_plugins as _;
use skillc_rules as _;

mod args;
mod ask;
mod common;
mod complete;
mod dispatch;
mod help;
mod interrupt;
mod language_server;
mod output;
mod pick;
mod progress;
mod report;
mod server;
mod stream;
mod tour;
mod usage;
mod watch;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::ArgMatches;
use skillc_core::{Context, Error, Result};
use skillc_ops::Toolkit;
use skillc_render::Harmless;

use progress::Bar;

pub use args::command;
pub use report::Io;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub use skillc_mcp::serve_input;
#[cfg(feature = "mcp")]
pub use skillc_mcp::tool_list;

/// The names of the Cargo features that this program was built with.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "http")]
    "http",
    #[cfg(feature = "lsp")]
    "lsp",
    #[cfg(feature = "mcp")]
    "mcp",
    #[cfg(feature = "picker")]
    "picker",
];

/// Runs `skc` with the process's arguments, streams and state.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    start(&args, Context::from_process())
}

/// Runs `skc` inside another program, such as a Python interpreter, with that process's streams and state.
///
/// `args`: the command line, which starts with the program's name; `program`: the path of the program that the user
/// started, if known.
pub fn main_in(args: &[OsString], program: Option<PathBuf>) -> ExitCode {
    let context = Context::from_process();
    start(args, context.map(|context| Context { program, ..context }))
}

/// Runs `skc` on the process's streams.
fn start(args: &[OsString], context: Result<Context>) -> ExitCode {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let out_is_styled = is_styled(&stdout);
    let err_is_styled = is_styled(&stderr);
    // Do not lock the streams: a server writes from other threads, and so does the progress bar.
    let (mut out, mut err) = (BufWriter::with_capacity(64 << 10, stdout), stderr);
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        out_is_styled,
        err_is_styled,
    };
    let context = match context {
        Ok(context) => Context {
            asker: Arc::new(ask::Terminal),
            input: Arc::new(ask::Stdin),
            ..context
        },
        Err(error) => return io.fail(&error),
    };
    run(args, &mut io, context)
}

/// Returns whether output to a stream is coloured: the stream is a terminal and no variable (`NO_COLOR`, `TERM=dumb`,
/// …) disables colour, or `CLICOLOR_FORCE` enables it.
fn is_styled(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Runs one command line; `args` starts with the program's name.
pub fn run(args: &[OsString], io: &mut Io<'_>, context: Context) -> ExitCode {
    // A CI runner may interpret any line as a workflow command, so escape such lines on standard error, even in
    // warnings about the configuration.
    let mut err = Harmless::new(io.err);
    let io = &mut Io {
        out: io.out,
        err: &mut err,
        ..*io
    };
    if let Some(status) = complete::answer(args, &context, io) {
        return status;
    }
    let status = match args::parser().try_get_matches_from(args) {
        Ok(matches) => run_command(&matches, io, context),
        Err(error) => usage::usage(io, &error, args::named(args).as_deref()),
    };
    // A closed pipe (`skc … | head`) is not an error.
    match io.out.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            io.fail(&report::output_error(&error))
        }
        _ => status,
    }
}

fn run_command(matches: &ArgMatches, io: &mut Io<'_>, context: Context) -> ExitCode {
    let Some((name, arguments)) = args::asked(matches) else {
        return usage::no_command(io);
    };
    io.color(args::color(arguments));
    match name.as_str() {
        args::TOUR => return tour::tour(io, &context),
        args::COMPLETIONS => return args::print_completions(arguments, io),
        args::MAN => return args::print_man(arguments, &context.cwd, io),
        _ => {}
    }
    let begun = Instant::now();
    let is_verbose = arguments.get_flag(args::VERBOSE) || verbose_variable(&context);
    let can_draw = io::stderr().is_terminal() && context.env("TERM") != Some("dumb");
    let toolkit = match Toolkit::new(context) {
        Ok((mut toolkit, notices)) => {
            toolkit.name_plugins(args::plugins(arguments));
            toolkit.features = FEATURES;
            if can_draw {
                toolkit.progress = Box::new(Bar::on_terminal());
            }
            for notice in &notices {
                io.notice(notice);
            }
            toolkit
        }
        Err(error) => return io.fail(&error),
    };
    if name == common::MCP {
        return server::serve(arguments, toolkit, io);
    }
    if name == language_server::LSP {
        return language_server::serve(toolkit, io);
    }
    if name == pick::PICK {
        return pick::run(arguments, &toolkit, io);
    }
    let status = dispatch::dispatch(&name, arguments, &toolkit, is_verbose, io);
    if is_verbose {
        io.detail(&format!(
            "time    {:.1} ms",
            begun.elapsed().as_secs_f64() * 1e3
        ));
    }
    status.unwrap_or_else(|| io.fail(&Error::internal(format!("no operation '{name}'"))))
}

/// Returns whether `SKC_VERBOSE` enables verbose output.
fn verbose_variable(context: &Context) -> bool {
    context
        .env("SKC_VERBOSE")
        .is_some_and(|value| !matches!(value, "0" | "false"))
}
