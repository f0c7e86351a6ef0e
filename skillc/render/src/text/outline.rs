//! The text output of `skc outline`. Design: C-OUTLINE, D-OUTLINE-INDENT.

use std::io;

use skillc_ops::outline::OutlineResponse;

use crate::{Page, Render};

impl Render for OutlineResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let mut file = None;
        for entry in &self.0 {
            if file != Some(&entry.file) {
                file = Some(&entry.file);
                page.parts(&[page.strong(entry.file.as_str())])?;
            }
            let level = usize::from(entry.level);
            let (indent, marks) = (
                " ".repeat(2 * level.saturating_sub(1).max(1)),
                "#".repeat(level),
            );
            page.line(format_args!("{indent}{marks} {}", entry.heading))?;
        }
        Ok(())
    }
}
