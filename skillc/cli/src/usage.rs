//! Help, version, and usage errors.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use skillc_core::Error;

use crate::args;
use crate::report::Io;

/// Handles `--help`, `--version` and invalid arguments; `command` is the command that was named, if any.
pub(crate) fn usage(io: &mut Io<'_>, error: &clap::Error, command: Option<&str>) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = rendered(&error.render(), io.out_is_styled);
            let result = io.out.write_all(text.as_bytes());
            io.written(result, ExitCode::SUCCESS)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            no_command(io)
        }
        _ => io.fail(&invalid_option(error, command)),
    }
}

/// Handles `skc` without a command: prints an error and the help. The help is not a result, so it goes to standard
/// error.
pub(crate) fn no_command(io: &mut Io<'_>) -> ExitCode {
    let status = io.fail(&Error::invalid_option("no command given"));
    let help = args::command().render_help();
    io.diagnostic(rendered(&help, io.err_is_styled).trim_end());
    status
}

fn rendered(text: &clap::builder::StyledStr, is_styled: bool) -> String {
    if is_styled {
        text.ansi().to_string()
    } else {
        text.to_string()
    }
}

/// Converts an error from the argument parser to a shorter E100; its suggestions and its usage line become hints.
fn invalid_option(error: &clap::Error, command: Option<&str>) -> Error {
    let text = error.render().to_string();
    let text = text.trim();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (head, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = in_short(error)
        .unwrap_or_else(|| head.lines().map(str::trim).collect::<Vec<_>>().join(" "));
    let help = match command {
        Some(name) => format!("'skc {name} --help'"),
        None => "'skc --help'".to_owned(),
    };
    let hint = rest.replace("'--help'", &help);
    Error::InvalidOption {
        message,
        hint: (!hint.is_empty()).then(|| hint.into()),
    }
}

/// Describes invalid arguments briefly; `None` for rare errors, which keep the parser's wording.
fn in_short(error: &clap::Error) -> Option<String> {
    let text = |kind| error.get(kind).map(ToString::to_string);
    let argument = text(ContextKind::InvalidArg);
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    Some(match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = argument?;
            if argument.starts_with('-') {
                format!("unknown option {argument}")
            } else {
                format!("unexpected argument '{argument}'")
            }
        }
        ErrorKind::InvalidSubcommand => {
            format!(
                "unknown command '{}'",
                text(ContextKind::InvalidSubcommand)?
            )
        }
        ErrorKind::MissingRequiredArgument => match argument?.as_str() {
            option if option.trim_start_matches('<').starts_with('-') => {
                format!("missing option {option}")
            }
            argument => format!("missing argument {argument}"),
        },
        ErrorKind::InvalidValue if value.is_empty() => format!("missing value for {}", argument?),
        ErrorKind::InvalidValue => match text(ContextKind::ValidValue) {
            Some(known) => format!(
                "{}: unknown value '{value}'; expected one of {known}",
                argument?
            ),
            None => format!("{}: invalid value '{value}'", argument?),
        },
        ErrorKind::ValueValidation => {
            let cause = error.source()?.downcast_ref::<ParseIntError>()?;
            let why = match cause.kind() {
                IntErrorKind::PosOverflow => "too large",
                _ => "not a non-negative integer",
            };
            format!("{}: '{value}' is {why}", argument?)
        }
        ErrorKind::ArgumentConflict => match (argument?, text(ContextKind::PriorArg)?) {
            (argument, other) if argument == other => format!("{argument} is given more than once"),
            (argument, other) => format!("{argument} cannot be used with {other}"),
        },
        _ => return None,
    })
}
