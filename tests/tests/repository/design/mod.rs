//! The design pages of the book, and the citations of them in the source.
//!
//! The id of every requirement, decision and section is an anchor `<a id="C-STUB.6"></a>`, unique across all pages.
//! Comments cite these ids, for example:
//! Design: C-STUB.6, R20.

mod architecture;
mod citations;
mod fixed_lines;
mod limits;
pub(crate) mod pages;

use std::fs;
use std::path::Path;

use crate::layout::sources::ROOT;

/// Returns the text of a file in the repository.
fn read(path: &str) -> String {
    let text = fs::read_to_string(Path::new(ROOT).join(path));
    text.unwrap_or_else(|e| panic!("{path}: {e}"))
}
