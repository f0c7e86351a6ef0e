//! The text output of `skc path`.

use std::io;

use skillc_ops::path::PathResponse;

use crate::{Format, Page, Render};

impl Render for PathResponse {
    /// The output is meant for programs.
    fn is_verbatim(&self, _: Format) -> bool {
        true
    }

    /// Writes the path unchanged, so that `$(skc path …)` works with any characters.
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if page.out_is_styled {
            return page.line(&self.path);
        }
        writeln!(page.out, "{}", self.path)
    }
}
