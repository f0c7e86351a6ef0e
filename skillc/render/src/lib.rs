//! Renders responses: as text for people, and as JSON and other formats for programs. Also contains the list of
//! operations.
//!
//! Renderers write only to the streams of a [`Page`], and do not depend on process state.

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

/// A response that can be rendered.
pub trait Render: Serialize {
    /// The supported formats; the first is the default.
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];

    /// The formats that `--output` can write to a file.
    const TO_FILE: &'static [Format] = &[];

    /// Returns the message to show after a result was written to a file. Each line of the message ends with a line
    /// break. The message goes to standard output if the format is meant for people, otherwise to standard error.
    ///
    /// `path`: the file.
    fn written_to(&self, path: &str, _format: Format) -> String {
        format!("Wrote {}\n", clean(path))
    }

    /// Returns whether a format must be written byte for byte. In other formats, lines that a CI runner would execute
    /// as commands are neutralized: see [`Harmless`].
    fn is_verbatim(&self, format: Format) -> bool {
        !matches!(format, Format::Text | Format::Concise)
    }

    /// Writes the text form.
    ///
    /// # Errors
    /// I/O errors of the streams.
    fn text(&self, page: &mut Page<'_>) -> io::Result<()>;

    /// Writes the response in one of its [`FORMATS`](Self::FORMATS).
    ///
    /// # Errors
    /// I/O errors of the streams.
    fn write(&self, format: Format, page: &mut Page<'_>) -> io::Result<()> {
        match format {
            Format::Json => json(self, page),
            _ => self.text(page),
        }
    }
}

/// Writes a response as JSON, including the page's root if there is one, and a line break.
///
/// # Errors
/// I/O errors of the stream.
fn json(response: &(impl Serialize + ?Sized), page: &mut Page<'_>) -> io::Result<()> {
    let with_root = page.root.map(|root| WithRoot { response, root });
    let mut whole = Vec::new();
    match with_root.map(|it| json::write_pretty(&it, &mut whole)) {
        Some(Ok(())) => {
            whole.push(b'\n');
            page.out.write_all(&whole)
        }
        // The root cannot be added to an array.
        Some(Err(_)) | None => document(response, page.out),
    }
}

/// Writes any value as JSON, and a line break.
///
/// # Errors
/// I/O errors of the stream.
fn document(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    json::write_pretty(value, out).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Returns a response as JSON on one line. If it is an object, the root of its skill is added.
///
/// # Errors
/// Errors of serializing the response.
pub fn json_line(response: &impl Serialize, root: Option<&str>) -> serde_json::Result<String> {
    let with_root = root.map(|root| json::line(&WithRoot { response, root }));
    match with_root {
        Some(Ok(line)) => Ok(line),
        Some(Err(_)) | None => json::line(response),
    }
}

/// Returns the line that accompanies skill text with relative file names. The line shows the directory to which these
/// names are relative.
pub fn root_line(root: &str) -> String {
    format!("root: {root}")
}

/// A response that is serialized with the root of its skill as an additional last member. Serialization fails if the
/// response is not an object.
#[derive(Serialize)]
struct WithRoot<'a, T: ?Sized> {
    #[serde(flatten)]
    response: &'a T,
    root: &'a str,
}
