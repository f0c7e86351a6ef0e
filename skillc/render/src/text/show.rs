//! The text output of `skc show`: the section's bytes, with a final line break.

use std::io;

use skillc_ops::show::ShowResponse;

use crate::text::content;
use crate::{Format, Page, Render};

impl Render for ShowResponse {
    /// Skill content is printed unchanged.
    fn is_verbatim(&self, _: Format) -> bool {
        true
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        content(&self.content, self.more_lines, page)?;
        let is_ended = self.more_lines > 0 || self.content.0.ends_with(b"\n");
        if is_ended {
            Ok(())
        } else {
            page.out.write_all(b"\n")
        }
    }
}
