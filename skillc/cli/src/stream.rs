//! `skc lint --format jsonl`: writes each skill's line while other skills are still being linted.

use std::io;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};
use skillc_core::{Error, Result};
use skillc_ops::lint::{self, Lines, Lint, LintRequest, LintResponse, StreamLine};
use skillc_ops::{Notes, Operation, Toolkit, hint};
use skillc_render::{Format, Render, json_line};

use crate::args::{format, output};
use crate::interrupt::{INTERRUPTED, stop_at_signal};
use crate::report::{Io, output_error};
use crate::usage::usage;

pub(crate) fn is_asked(name: &str, matches: &ArgMatches) -> bool {
    name == Lint::NAME && format(matches) == Format::Jsonl
}

/// Runs the command. Ctrl-C does not remove lines that have been written.
pub(crate) fn stream(
    matches: &ArgMatches,
    toolkit: &Toolkit,
    is_verbose: bool,
    io: &mut Io<'_>,
) -> ExitCode {
    let request = match LintRequest::from_arg_matches(matches) {
        Ok(request) => request,
        Err(error) => return usage(io, &error, Some(Lint::NAME)),
    };
    if let Err(error) = Lint::check_format(&request, Format::Jsonl.name()) {
        return io.fail(&error);
    }
    if !matches!(output(matches, LintResponse::FORMATS), Ok(None)) {
        return io.fail(&Error::InvalidOption {
            message: "--output does not support format 'jsonl'".to_owned(),
            hint: Some("Redirect the output, or append to a file with --resume.".into()),
        });
    }
    if toolkit.context.program.is_some() {
        stop_at_signal(&toolkit.stop);
    }
    let mut lines = Written {
        io,
        is_verbose,
        has_errors: false,
        failure: None,
    };
    let outcome = lint::stream(toolkit, &request, &mut lines);
    lines.show(&outcome.notes);
    let Written {
        has_errors,
        failure,
        ..
    } = lines;
    if toolkit.stop.is_raised() {
        return ExitCode::from(INTERRUPTED);
    }
    let status = |has_failed: bool| {
        if has_failed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    };
    if let Some(failure) = failure {
        return io.written(Err(failure), status(has_errors));
    }
    match outcome.result {
        Ok(done) => {
            if !done.unknown_clients.is_empty() {
                let ids = done.unknown_clients.join(", ");
                io.hint(&format!(
                    "No data on how these clients react to faults: {ids}"
                ));
            }
            if let Some(max) = done.exceeded {
                let found = done.summary.warning_count;
                let s = if found == 1 { "" } else { "s" };
                io.hint(&format!("{found} warning{s}; --max-warnings allows {max}"));
            }
            status(done.has_failed())
        }
        Err(error) => {
            let status = io.fail(&error);
            if let Some(hint) = outcome
                .notes
                .hint
                .or_else(|| hint(&toolkit.context, &error))
            {
                io.hint(&hint);
            }
            status
        }
    }
}

/// The output streams, and the state of the run so far.
struct Written<'a, 'io> {
    io: &'a mut Io<'io>,
    is_verbose: bool,
    /// Whether a skill has errors, or could not be read.
    has_errors: bool,
    /// The error that prevented a line from being written, if any; it ends the run.
    failure: Option<io::Error>,
}

impl Written<'_, '_> {
    fn show(&mut self, notes: &Notes) {
        if self.is_verbose {
            notes.details.iter().for_each(|line| self.io.detail(line));
        }
        for notice in &notes.notices {
            self.io.notice(notice);
        }
    }
}

impl Lines for Written<'_, '_> {
    fn text(&mut self, line: &StreamLine<'_>) -> Result<String> {
        if let StreamLine::Skill(skill) = line {
            self.has_errors |= skill.error_count > 0 || skill.error.is_some();
        }
        json_line(line, None).map_err(|error| Error::internal(format!("writing JSON: {error}")))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.io.out.write_all(text.as_bytes());
        written.and_then(|()| self.io.out.flush()).map_err(|error| {
            let told = output_error(&error);
            self.failure = Some(error);
            told
        })
    }

    fn tell(&mut self, notes: Notes) {
        self.show(&notes);
    }
}
