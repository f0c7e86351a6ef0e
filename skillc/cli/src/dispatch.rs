//! Runs the operation for the parsed arguments and writes its response.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};
use skillc_core::Stop;
use skillc_ops::{Effect, NoProgress, Notes, Operation, Outcome, Toolkit, Verdict, hint, perform};
use skillc_render::{Format, Harmless, Page, Render, Visitor, root_line, visit_all};

use crate::args::{format, output};
use crate::interrupt::{INTERRUPTED, stop_at_signal};
use crate::output::write_file;
use crate::report::{Io, output_error};
use crate::stream;
use crate::usage::usage;
use crate::watch::{Round, is_watching, watch};

/// Runs the operation with this name. Returns `None` if there is no such operation.
pub(crate) fn dispatch(
    name: &str,
    matches: &ArgMatches,
    toolkit: &Toolkit,
    is_verbose: bool,
    io: &mut Io<'_>,
) -> Option<ExitCode> {
    if stream::is_asked(name, matches) {
        return Some(stream::stream(matches, toolkit, is_verbose, io));
    }
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
                Ok(request) => self.run::<O>(request),
                Err(error) => usage(self.io, &error, Some(O::NAME)),
            });
        }
    }
}

impl Run<'_, '_> {
    fn run<O: Operation>(&mut self, mut request: O::Request) -> ExitCode
    where
        O::Response: Render,
    {
        if let Err(error) = output(self.matches, O::Response::TO_FILE) {
            return self.io.fail(&error);
        }
        let format = format(self.matches);
        if let Err(error) = O::check_format(&request, format.name()) {
            return self.io.fail(&error);
        }
        O::for_format(&mut request, format.name());
        if is_watching(self.matches) {
            return self.watch::<O>();
        }
        let reads = O::TOOL.is_some_and(|tool| tool.effect == Effect::Reads);
        let writes = !reads
            || ["fix", "write_baseline"].into_iter().any(|flag| {
                let given = self.matches.try_get_one::<bool>(flag);
                given.is_ok_and(|given| given == Some(&true))
            });
        if writes && self.toolkit.context.program.is_some() {
            stop_at_signal(&self.toolkit.stop);
        }
        let outcome = perform::<O>(self.toolkit, request);
        if self.toolkit.stop.is_raised() {
            return ExitCode::from(INTERRUPTED);
        }
        self.show::<O>(outcome)
    }

    /// Runs the operation once, then again after each edit.
    fn watch<O: Operation>(&mut self) -> ExitCode
    where
        O::Response: Render,
    {
        let stop = Stop::default();
        let (matches, toolkit, is_verbose) = (self.matches, self.toolkit, self.is_verbose);
        let request = || O::Request::from_arg_matches(matches);
        let watched = || request().map(|request| O::watched(toolkit, &request));
        let mut run = |io: &mut Io<'_>| {
            // Reload the configuration for each run.
            let toolkit = &toolkit.for_call(Box::new(NoProgress), stop.clone());
            let outcome = match request() {
                Ok(request) => perform::<O>(toolkit, request),
                Err(error) => {
                    return Round {
                        status: Some(usage(io, &error, Some(O::NAME))),
                        written: Vec::new(),
                        is_final: true,
                    };
                }
            };
            let (written, is_final) = match &outcome.result {
                Ok(response) => (O::written(response), false),
                Err(error) => {
                    let is_mendable =
                        request().is_ok_and(|asked| O::is_mendable(toolkit, &asked, error));
                    (Vec::new(), !is_mendable)
                }
            };
            let mut run = Run {
                name: O::NAME,
                matches,
                toolkit,
                is_verbose,
                io,
                status: None,
            };
            // Ctrl-C interrupted this run: discard its result.
            let status = (!stop.is_raised()).then(|| run.show::<O>(outcome));
            Round {
                status,
                written,
                is_final,
            }
        };
        watch(self.io, &stop, &|| watched().unwrap_or_default(), &mut run)
    }

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
        let Notes {
            hint: known,
            root,
            is_root_needed,
            ..
        } = outcome.notes;
        let root = root.map(|root| root.to_string_lossy().into_owned());
        let response = match outcome.result {
            Ok(response) => response,
            Err(error) => {
                let status = self.io.fail(&error);
                if let Some(hint) = known.or_else(|| hint(&self.toolkit.context, &error)) {
                    self.io.hint(&hint);
                }
                return status;
            }
        };
        let status = match O::verdict(&response) {
            Verdict::Passed => ExitCode::SUCCESS,
            Verdict::Failed => ExitCode::FAILURE,
        };
        if let Ok(Some(path)) = output(self.matches, O::Response::TO_FILE) {
            let sources = O::sources(self.toolkit, &response);
            return self.save(&response, root.as_deref(), (path, &sources), status);
        }
        let format = format(self.matches);
        let is_line = format == Format::Json && is_watching(self.matches);
        let mut document = Vec::new();
        let mut result = {
            let mut harmless = Harmless::new(self.io.out);
            let page = &mut Page {
                out: match () {
                    () if is_line => &mut document,
                    () if response.is_verbatim(format) => harmless.inner(),
                    () => &mut harmless,
                },
                err: self.io.err,
                out_is_styled: self.io.out_is_styled,
                err_is_styled: self.io.err_is_styled,
                is_verbose: self.is_verbose,
                is_file: false,
                root: root.as_deref(),
            };
            response.write(format, page)
        };
        if is_line {
            result = result.and_then(|()| write_line(&document, self.io.out));
        }
        // In watch mode, the loop flushes after each run.
        if !is_watching(self.matches) {
            result = result.and_then(|()| self.io.out.flush());
            if result.is_ok() {
                O::delivered(self.toolkit, &response);
            }
        }
        if format == Format::Text
            && is_root_needed
            && let Some(root) = root
        {
            self.io.hint(&root_line(&root));
        }
        self.io.written(result, status)
    }

    /// Writes a result to a file, and reports its path.
    ///
    /// `root`: the root of the skill that the result is about; `path`, `sources`: the file, and the inputs that the
    /// file must not replace; `status`: the exit status if writing succeeds.
    fn save(
        &mut self,
        response: &impl Render,
        root: Option<&str>,
        (path, sources): (&Path, &[PathBuf]),
        status: ExitCode,
    ) -> ExitCode {
        let mut bytes = Vec::new();
        let page = &mut Page {
            out: &mut bytes,
            err: self.io.err,
            out_is_styled: false,
            err_is_styled: self.io.err_is_styled,
            is_verbose: self.is_verbose,
            is_file: true,
            root,
        };
        let format = format(self.matches);
        if let Err(error) = response.write(format, page) {
            return self.io.fail(&output_error(&error));
        }
        let cwd = &self.toolkit.context.cwd;
        match write_file(cwd, &cwd.join(path), &bytes, sources) {
            Ok(written) => {
                let text = response.written_to(&written.to_string_lossy(), format);
                // Totals are for people. With any other format, a program may read standard output, and does not expect
                // totals there.
                let is_for_people = matches!(format, Format::Text | Format::Html);
                let to = if is_for_people {
                    &mut self.io.out
                } else {
                    &mut self.io.err
                };
                let result = to.write_all(text.as_bytes());
                self.io.written(result, status)
            }
            Err(error) => self.io.fail(&error),
        }
    }
}

/// Writes a JSON document as a single line: in watch mode, programs read one line per run.
///
/// `document`: pretty-printed, one value per line; line breaks in strings are escaped.
fn write_line(document: &[u8], out: &mut dyn Write) -> io::Result<()> {
    for line in document.split(|byte| *byte == b'\n') {
        out.write_all(line.trim_ascii_start())?;
    }
    out.write_all(b"\n")
}
