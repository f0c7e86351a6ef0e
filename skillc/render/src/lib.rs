//! How a response is shown: as text for people, as JSON for programs; and the one list of operations.
//!
//! Renderers write to handles they are given and know nothing of the process.

mod annotate;
mod concise;
mod format;
mod github;
mod gitlab;
mod html;
mod ink;
mod junit;
mod page;
mod sarif;
pub mod table;
mod text;

use std::io::{self, Write};

use serde::Serialize;

pub use annotate::finding_text;
pub use format::Format;
pub use github::Harmless;
pub use page::Page;
pub use skillc_core::clean::clean;
pub use table::{Visitor, visit_all};

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
    match with_root.map(|it| serde_json::to_vec_pretty(&it)) {
        Some(Ok(document)) => {
            EscapesC1::new(page.out).write_all(&document)?;
            page.out.write_all(b"\n")
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
    serde_json::to_writer_pretty(EscapesC1::new(out), value).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Writes JSON with the control characters U+0080 to U+009F escaped: JSON allows them as they are, but some terminals obey them.
struct EscapesC1<'a> {
    out: &'a mut dyn Write,
    /// Whether the last byte was the first of a character from U+0080 to U+00BF. It is not yet written.
    is_begun: bool,
}

impl<'a> EscapesC1<'a> {
    /// The first byte of these characters in UTF-8. The second is their number.
    const FIRST: u8 = 0xc2;

    fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            is_begun: false,
        }
    }
}

/// What is written ends with a whole character, as JSON does.
impl Write for EscapesC1<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut left = bytes;
        if let (true, [second, rest @ ..]) = (self.is_begun, left) {
            if (0x80..0xa0).contains(second) {
                write!(self.out, "\\u{second:04x}")?;
            } else {
                self.out.write_all(&[Self::FIRST, *second])?;
            }
            (self.is_begun, left) = (false, rest);
        }
        let end = left.iter().position(|byte| *byte == Self::FIRST);
        let (before, rest) = left.split_at(end.unwrap_or(left.len()));
        self.out.write_all(before)?;
        self.is_begun = !rest.is_empty();
        // The caller goes on with what is left.
        Ok(bytes.len() - rest.len().saturating_sub(1))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns a response as JSON in one line, with the root of the skill that it is about if it is an object.
///
/// # Errors
/// Those of writing the response.
pub fn json_line(response: &impl Serialize, root: Option<&str>) -> serde_json::Result<String> {
    let with_root = root.map(|root| serde_json::to_string(&WithRoot { response, root }));
    match with_root {
        Some(Ok(line)) => Ok(line),
        Some(Err(_)) | None => serde_json::to_string(response),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_two_bytes_are_escaped_in_json() {
        let value = ["a\u{9b}31m", "\u{80}\u{9f}", "\u{a0}\u{bf}é\u{85}", "Â"];
        let mut out = Vec::new();
        document(&value, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "[\n  \"a\\u009b31m\",\n  \"\\u0080\\u009f\",\n  \"\u{a0}\u{bf}é\\u0085\",\n  \"Â\"\n]\n"
        );
        let read: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, value);
    }
}
