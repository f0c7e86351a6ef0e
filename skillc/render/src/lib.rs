//! How a response is shown: as text for people, as JSON for programs; and the one list of operations.
//!
//! Renderers write to handles they are given and know nothing of the process.

mod concise;
mod format;
mod formats;
mod github;
mod gitlab;
mod html;
mod json;
mod junit;
mod page;
mod sarif;
pub mod table;
mod text;

use std::io::{self, Write};

use serde::Serialize;

pub use format::Format;
pub use github::Harmless;
pub use page::Page;
pub use skillc_core::clean::clean;
pub use table::{Visitor, visit_all, visit_tools};

/// A response that can be shown.
pub trait Render: Serialize {
    /// The formats it has; the first is what people get.
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];

    /// The formats that `--output` can write to a file.
    const TO_FILE: &'static [Format] = &[];

    /// Returns what is said of a result that went to a file: lines, each with its end. They go to standard output beside a
    /// form for people, else to standard error.
    ///
    /// `path`: the file.
    fn written_to(&self, path: &str, _format: Format) -> String {
        format!("Wrote {}\n", clean(path))
    }

    /// Says whether a format has to be exactly what is written. In others, lines that a CI runner would obey are changed:
    /// see [`Harmless`].
    fn is_verbatim(&self, format: Format) -> bool {
        !matches!(format, Format::Text | Format::Concise)
    }

    /// Writes the text form.
    ///
    /// # Errors
    /// Those of the handles.
    fn text(&self, page: &mut Page<'_>) -> io::Result<()>;

    /// Writes it in one of its [`FORMATS`](Self::FORMATS).
    ///
    /// # Errors
    /// Those of the handles.
    fn write(&self, format: Format, page: &mut Page<'_>) -> io::Result<()> {
        match format {
            Format::Json => json(self, page),
            _ => self.text(page),
        }
    }
}

/// Writes the JSON form of a response, with the page's root, and a line end.
///
/// # Errors
/// Those of the handle.
fn json(response: &(impl Serialize + ?Sized), page: &mut Page<'_>) -> io::Result<()> {
    let with_root = page.root.map(|root| WithRoot { response, root });
    let mut whole = Vec::new();
    match with_root.map(|it| json::write_pretty(&it, &mut whole)) {
        Some(Ok(())) => {
            whole.push(b'\n');
            page.out.write_all(&whole)
        }
        // An array has no members.
        Some(Err(_)) | None => document(response, page.out),
    }
}

/// Writes any value as JSON, and a line end.
///
/// # Errors
/// Those of the handle.
fn document(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    json::write_pretty(value, out).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Returns a response as JSON in one line, with the root of the skill that it is about if it is an object.
///
/// # Errors
/// Those of writing the response.
pub fn json_line(response: &impl Serialize, root: Option<&str>) -> serde_json::Result<String> {
    let with_root = root.map(|root| json::line(&WithRoot { response, root }));
    match with_root {
        Some(Ok(line)) => Ok(line),
        Some(Err(_)) | None => json::line(response),
    }
}

/// Returns the line that goes with a text of a skill in which files of the skill are named: where they are.
pub fn root_line(root: &str) -> String {
    format!("root: {root}")
}

/// A response that is an object, and the root of its skill as its last member. Writing any other response fails.
#[derive(Serialize)]
struct WithRoot<'a, T: ?Sized> {
    #[serde(flatten)]
    response: &'a T,
    root: &'a str,
}
