//! From parsed arguments to an operation, and from its response to the streams.

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};
use skillc_ops::{Operation, Outcome, Toolkit, Verdict, perform};
use skillc_render::{Page, Render, Visitor, visit_all};

use crate::args::format;
use crate::hints;
use crate::report::Io;

/// Runs the operation of that name; `None` if there is none.
pub(crate) fn dispatch(
    name: &str,
    matches: &ArgMatches,
    toolkit: &Toolkit,
    is_verbose: bool,
    io: &mut Io<'_>,
) -> Option<ExitCode> {
    let mut run = Run {
        name,
        matches,
        toolkit,
        is_verbose,
        io,
        status: None,
    };
    visit_all(&mut run);
    run.status
}

struct Run<'a, 'io> {
    name: &'a str,
    matches: &'a ArgMatches,
    toolkit: &'a Toolkit,
    is_verbose: bool,
    io: &'a mut Io<'io>,
    status: Option<ExitCode>,
}

impl Visitor for Run<'_, '_> {
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render,
    {
        if O::NAME == self.name {
            self.status = Some(match O::Request::from_arg_matches(self.matches) {
                Ok(request) => self.show::<O>(perform::<O>(self.toolkit, request)),
                Err(error) => self.io.usage(&error, Some(O::NAME)),
            });
        }
    }
}

impl Run<'_, '_> {
    fn show<O: Operation>(&mut self, outcome: Outcome<O::Response>) -> ExitCode
    where
        O::Response: Render,
    {
        if self.is_verbose {
            outcome
                .notes
                .details
                .iter()
                .for_each(|line| self.io.detail(line));
        }
        outcome
            .notes
            .notices
            .iter()
            .for_each(|notice| self.io.notice(notice));
        let response = match outcome.result {
            Ok(response) => response,
            Err(error) => {
                let status = self.io.fail(&error);
                if let Some(hint) = hints::hint(&self.toolkit.context, &error) {
                    self.io.hint(&hint);
                }
                return status;
            }
        };
        let status = match O::verdict(&response) {
            Verdict::Passed => ExitCode::SUCCESS,
            Verdict::Failed => ExitCode::FAILURE,
        };
        let page = &mut Page {
            out: self.io.out,
            err: self.io.err,
            out_is_styled: self.io.out_is_styled,
            err_is_styled: self.io.err_is_styled,
            is_verbose: self.is_verbose,
        };
        let result = response.write(format(self.matches), page);
        self.io.written(result, status)
    }
}
