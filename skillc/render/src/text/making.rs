//! The text output of `skc plugin new`: the files written, and the next steps.

use std::io;

use skillc_ops::plugin::PluginNewResponse;

use crate::{Page, Render};

impl Render for PluginNewResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let code = self.code.as_ref().map(|code| format!(" ({code})"));
        let code = code.unwrap_or_default();
        page.line(format_args!("Created {}{code}", self.script))?;
        page.line(format_args!("    and {}", self.cases))?;
        page.line(format_args!("Edit both, then run: {}", self.next))
    }
}
