//! The design pages of the book, and what the source says of them.
//!
//! Every id that a requirement, a decision or a section has is an anchor `<a id="C-STUB.6"></a>`, which exists once in all
//! pages. Comments cite these, as in
//! Design: C-STUB.6, R20.

mod architecture;
mod citations;
mod fixed_lines;
mod limits;
pub(crate) mod pages;

use std::fs;
use std::path::Path;

use crate::layout::sources::ROOT;

/// Returns the text of a file of the repository.
fn read(path: &str) -> String {
    let text = fs::read_to_string(Path::new(ROOT).join(path));
    text.unwrap_or_else(|e| panic!("{path}: {e}"))
}
