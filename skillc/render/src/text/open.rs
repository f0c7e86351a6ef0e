//! The text output of `skc open`: the file's bytes.

use std::io;

use skillc_ops::open::OpenResponse;

use crate::text::content;
use crate::{Format, Page, Render};

impl Render for OpenResponse {
    /// Skill content is printed unchanged.
    fn is_verbatim(&self, _: Format) -> bool {
        true
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        content(&self.content, self.more_lines, page)
    }
}
