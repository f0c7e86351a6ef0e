//! Errors, warnings and exit status.
//!
//! The first line of every error carries its code; hints follow.
//!
//! Design: C-CODES, D-CLI-EXIT.

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use skillc_core::{Error, Notice};
use skillc_render::clean;

/// The output streams of one run.
pub struct Io<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Diagnostics.
    pub err: &'a mut dyn Write,
    /// Whether results are coloured.
    pub out_is_styled: bool,
    /// Whether diagnostics are coloured.
    pub err_is_styled: bool,
}

impl Io<'_> {
    /// Applies the user's choice of colour, which overrides detection.
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

    /// Prints a line to standard error, such as a hint below an error.
    pub(crate) fn hint(&mut self, line: &str) {
        self.diagnostic(&clean(line));
    }

    /// Prints a warning, or an error that does not end the run.
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

    /// Prints a line of verbose output.
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

    /// Returns the exit status of a run after its result was written. A closed pipe does not change the status.
    /// `result`: whether writing succeeded; `status`: the exit status in that case.
    pub fn written(&mut self, result: io::Result<()>, status: ExitCode) -> ExitCode {
        match result {
            Ok(()) => status,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => status,
            Err(error) => self.fail(&output_error(&error)),
        }
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

    /// Writes a line to standard error. Ignores failures, because they cannot be reported anywhere else.
    pub(crate) fn diagnostic(&mut self, line: &str) {
        writeln!(self.err, "{line}").unwrap_or_default();
    }
}

/// Creates an E999 for a result that could not be written.
pub(crate) fn output_error(error: &io::Error) -> Error {
    Error::internal(format!("writing output: {error}"))
}
