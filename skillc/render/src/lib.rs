//! How a response is shown: as text for people, as JSON for programs; and the one list of operations.
//!
//! Renderers write to handles they are given and know nothing of the process.

mod annotate;
mod page;
pub mod table;
mod text;

use std::io::{self, Write};

use serde::Serialize;

pub use annotate::{Ink, finding_text};
pub use page::{Page, clean};
pub use table::{Visitor, visit_all};

/// A response that can be shown to people.
pub trait Render {
    /// Writes the text form.
    ///
    /// # Errors
    /// Those of the handles.
    fn text(&self, page: &mut Page<'_>) -> io::Result<()>;
}

/// Writes the JSON form of a response, and a line end.
///
/// # Errors
/// Those of the handle.
pub fn json(response: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, response).map_err(io::Error::from)?;
    out.write_all(b"\n")
}
