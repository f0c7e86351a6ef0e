//! Errors, warnings and exit status.
//!
//! The first line of every error is the coded one; what helps follows it.
//!
//! Source: RFC-0005 C-CODES, LEDGER D-CLI-EXIT.

use std::error::Error as _;
use std::io::{self, Write};
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use clap::error::{ContextKind, ErrorKind};
use skillc_core::{Error, Notice};
use skillc_render::clean;

use crate::args;

/// The streams of one run.
pub struct Io<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Diagnostics.
    pub err: &'a mut dyn Write,
    /// Whether `out` may have colours.
    pub out_is_styled: bool,
    /// Whether `err` may have colours.
    pub err_is_styled: bool,
}

impl Io<'_> {
    /// Follows a choice of the user's, which goes before what the streams are.
    pub(crate) fn color(&mut self, choice: ColorChoice) {
        let is_styled = match choice {
            ColorChoice::Auto => return,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        (self.out_is_styled, self.err_is_styled) = (is_styled, is_styled);
    }

    /// Prints an error and its details; returns exit status 1.
    pub fn fail(&mut self, error: &Error) -> ExitCode {
        self.coded(&error.to_string(), AnsiColor::Red);
        if let Some(details) = error.details() {
            self.diagnostic(&details);
        }
        ExitCode::FAILURE
    }

    /// Prints a line that helps below an error.
    pub(crate) fn hint(&mut self, line: &str) {
        self.diagnostic(&clean(line));
    }

    /// Prints a warning.
    pub fn notice(&mut self, notice: &Notice) {
        let color = match notice {
            Notice::Warning(_) => AnsiColor::Yellow,
            Notice::Error(_) => AnsiColor::Red,
        };
        self.coded(&notice.to_string(), color);
        if let Some(details) = notice.details() {
            self.diagnostic(&details);
        }
    }

    /// Prints a line for `--verbose`.
    pub fn detail(&mut self, line: &str) {
        let style = if self.err_is_styled {
            Style::new().dimmed()
        } else {
            Style::new()
        };
        self.diagnostic(&format!(
            "{style}debug: {}{}",
            clean(line),
            style.render_reset()
        ));
    }

    /// Turns what writing a result came to into an exit status: a closed pipe changes nothing.
    pub fn written(&mut self, result: io::Result<()>, status: ExitCode) -> ExitCode {
        match result {
            Ok(()) => status,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => status,
            Err(error) => self.fail(&output_error(&error)),
        }
    }

    /// Answers `--help`, `--version` and faulty arguments; `command` is the one that was named, if any.
    pub(crate) fn usage(&mut self, error: &clap::Error, command: Option<&str>) -> ExitCode {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                let text = rendered(&error.render(), self.out_is_styled);
                let result = self.out.write_all(text.as_bytes());
                self.written(result, ExitCode::SUCCESS)
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                self.no_command()
            }
            _ => self.fail(&invalid_option(error, command)),
        }
    }

    /// Answers a bare `skc`: a failure, and the help. It is no result, so standard output stays empty.
    pub(crate) fn no_command(&mut self) -> ExitCode {
        let status = self.fail(&Error::invalid_option("no command is given"));
        let help = args::command().render_help();
        self.diagnostic(rendered(&help, self.err_is_styled).trim_end());
        status
    }

    fn coded(&mut self, line: &str, color: AnsiColor) {
        let style = if self.err_is_styled {
            color.on_default().bold()
        } else {
            Style::new()
        };
        let (head, rest) = line.split_once(':').unwrap_or((line, ""));
        self.diagnostic(&format!("{style}{head}{}:{rest}", style.render_reset()));
    }

    /// Writes to standard error. If that fails there is nobody left to tell.
    fn diagnostic(&mut self, line: &str) {
        writeln!(self.err, "{line}").unwrap_or_default();
    }
}

fn rendered(text: &clap::builder::StyledStr, is_styled: bool) -> String {
    if is_styled {
        text.ansi().to_string()
    } else {
        text.to_string()
    }
}

/// Makes an E999 of a result that could not be written.
pub(crate) fn output_error(error: &io::Error) -> Error {
    Error::internal(format!("writing output: {error}"))
}

/// Makes an E100 of what the argument parser says, in fewer words; its suggestions and its usage line help.
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

/// Says what is wrong with the arguments; `None` for what is rare enough for the parser's own words.
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
        ErrorKind::InvalidValue if value.is_empty() => format!("missing value of {}", argument?),
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
                _ => "not a whole number from 0 up",
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
