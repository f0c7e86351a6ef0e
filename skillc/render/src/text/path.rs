//! Text of `skc path`.

use std::io;

use skillc_ops::path::PathResponse;

use crate::{Format, Page, Render};

impl Render for PathResponse {
    /// Programs use what is printed.
    fn is_verbatim(&self, _: Format) -> bool {
        true
    }

    /// Writes the path as it is, so that `$(skc path …)` is the path whatever characters it has.
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if page.out_is_styled {
            return page.line(&self.path);
        }
        writeln!(page.out, "{}", self.path)
    }
}
