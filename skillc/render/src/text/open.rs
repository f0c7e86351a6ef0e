//! Text of `skc open`: the file's bytes.

use std::io;

use skillc_ops::open::OpenResponse;

use crate::text::content;
use crate::{Page, Render};

impl Render for OpenResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        content(&self.content, self.more_lines, page)
    }
}
