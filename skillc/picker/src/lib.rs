//! The picker: choose a skill on the terminal, and enable or disable skills.
//!
//! The code is split into state, drawing and terminal. Nothing is drawn on standard output, which is reserved for the
//! choice.
//!
//! Design: CAT-PICK.

mod model;
mod screen;
#[cfg(test)]
mod tests;
mod view;

use std::fmt::Write;
use std::io::{self, Read};
use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::text::Span;
use skillc_core::source::open_real;
use skillc_core::{Error, Result};
use skillc_ops::Toolkit;
use skillc_ops::catalog::model::{Catalog, Scope};
use skillc_ops::catalog::settings;
use skillc_ops::catalog::write::{self, Owner, Subject, Turn};
use skillc_render::clean;

use model::{Model, Step, Told};
use screen::Screen;

/// The size of a screen that is rendered without a terminal, in columns and rows.
const PICTURE: (u16, u16) = (80, 24);

/// The maximum size of a `SKILL.md` preview, in bytes.
const MAX_PREVIEW_BYTES: u64 = 64 << 10;

/// The initial state of the picker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Start<'a> {
    /// The initial query.
    pub query: &'a str,
    /// The initial scope; `None` for all.
    pub scope: Option<Scope>,
}

/// Runs the picker on a catalog. Returns the path of the chosen skill's `SKILL.md`; `None` if the user quits without a
/// choice.
///
/// `end`: exits the process. Called after a termination signal if the picker has not ended by itself, for example
/// because the terminal is gone.
///
/// # Errors
/// E067 if standard input or standard error is not a terminal, or `TERM` is `dumb`; E065 if the configuration disables
/// all skills; E999 if the terminal cannot be set up, or is gone.
///
/// Design: CAT-PICK.4, CAT-PICK.6, CAT-PICK.7.
pub fn pick(
    toolkit: &Toolkit,
    catalog: &Catalog,
    start: Start<'_>,
    end: impl Fn() + Send + 'static,
) -> Result<Option<String>> {
    let mut model = model(catalog, start)?;
    if !screen::is_there(toolkit.context.env("TERM")) {
        return Err(Error::NoTerminal {});
    }
    let mut screen = Screen::open(end)?;
    let mut preview = Preview::default();
    loop {
        let lines = preview.lines(&mut model);
        let drawn = screen
            .terminal
            .draw(|frame| view::draw(frame, &model, lines));
        drawn.map_err(|error| undrawn(&error))?;
        let Some(press) = screen.press()? else {
            continue;
        };
        match model.press(press) {
            Step::Stay => {}
            Step::Switch(number, turn) => switch(&mut model, number, turn, (toolkit, catalog)),
            Step::Choose(number) => return Ok(Some(model.entry(number).path.clone())),
            Step::Leave => return Ok(None),
        }
    }
}

/// Returns the picker's first screen as text, at most 80 columns by 24 lines.
///
/// # Errors
/// E065 if the configuration disables all skills.
///
/// Design: CAT-PICK.7.
pub fn picture(catalog: &Catalog, start: Start<'_>) -> Result<String> {
    let model = model(catalog, start)?;
    let (width, height) = PICTURE;
    let terminal = Terminal::new(TestBackend::new(width, height));
    let mut terminal = terminal.map_err(|error| undrawn(&error))?;
    let lines = lines(model.meant().map(|entry| entry.path.as_str()));
    let drawn = terminal.draw(|frame| view::draw(frame, &model, &lines));
    Ok(text(drawn.map_err(|error| undrawn(&error))?.buffer))
}

fn model(catalog: &Catalog, start: Start<'_>) -> Result<Model> {
    if !catalog.settings.enabled {
        return Err(Error::SkillsDisabled {});
    }
    let entries = catalog.skills().to_vec();
    Ok(Model::new(entries, start.query, start.scope))
}

fn undrawn(error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("drawing: {error}"))
}

/// Enables or disables a skill in the configuration, and records the outcome in the model.
fn switch(model: &mut Model, number: usize, turn: Turn, (toolkit, catalog): (&Toolkit, &Catalog)) {
    let entry = model.entry(number).clone();
    let written = write::switch(
        toolkit,
        &Subject::one(catalog, &entry),
        turn,
        Owner::Project,
    );
    // Reload the settings, because another configuration file may override the file that was written.
    let (settings, _) = settings(&toolkit.context);
    model.follow(&settings.switches);
    let is_on = model.entry(number).enabled;
    let word = if is_on { "enabled" } else { "disabled" };
    model.told = Some(match written {
        Ok(written) if is_on == (turn == Turn::On) => {
            let more = written.notes.first();
            let more = more.map_or_else(String::new, |note| format!("; {note}"));
            let (name, file) = (&entry.name, &written.file);
            Told::Done(format!("{name} is now {word}{more}: {file}"))
        }
        Ok(written) => {
            let why = written.notes.first();
            let why = why.map_or("by another file", String::as_str);
            Told::Failed(format!("{} is still {word}: {why}", entry.name))
        }
        Err(error) => Told::Failed(error.to_string()),
    });
}

/// Returns the text of a screen, without trailing spaces.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.rows() {
        let mut line = String::new();
        let mut passed_over = 0;
        for x in y.columns() {
            let symbol = buffer[(x.x, x.y)].symbol();
            // A double-width character leaves the next cell empty.
            if passed_over == 0 {
                line.push_str(symbol);
                passed_over = Span::from(symbol).width().max(1);
            }
            passed_over -= 1;
        }
        writeln!(text, "{}", line.trim_end()).unwrap_or_default();
    }
    text.truncate(text.trim_end().len());
    text
}

/// The lines of the selected skill's `SKILL.md`. They are read again when the selection changes.
#[derive(Default)]
struct Preview {
    path: Option<String>,
    lines: Vec<String>,
}

impl Preview {
    fn lines(&mut self, model: &mut Model) -> &[String] {
        let path = model.meant().map(|entry| entry.path.as_str());
        if path != self.path.as_deref() {
            self.lines = lines(path);
            self.path = path.map(str::to_owned);
        }
        model.scrolled = model.scrolled.min(self.lines.len().saturating_sub(1));
        &self.lines
    }
}

/// Reads the beginning of a file for the preview, with control characters escaped.
fn lines(path: Option<&str>) -> Vec<String> {
    let Some(path) = path else {
        return Vec::new();
    };
    let mut bytes = Vec::new();
    let read = open_real(Path::new(path)).and_then(|opened| match opened {
        Some((file, _)) => file.take(MAX_PREVIEW_BYTES).read_to_end(&mut bytes),
        None => Err(io::ErrorKind::NotFound.into()),
    });
    if let Err(error) = read {
        return vec![format!("(cannot be read: {})", error.kind())];
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = text
        .lines()
        .map(|line| clean(&line.replace('\t', "    ")).into_owned());
    lines.collect()
}
