//! The text output of `skc catalog enable`, `disable`, `allow` and `deny`: the new state of the skill or rule, and the
//! changes to configuration files.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::catalog::allow_deny::{Decided, RuleResponse};
use skillc_ops::catalog::switching::SwitchResponse;
use skillc_ops::catalog::write::Written;
use skillc_ops::mcp_install::Change;

use crate::{Page, Render};

impl Render for SwitchResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let still = if self.is_done { "" } else { "still " };
        let (word, color) = if self.enabled {
            ("enabled", AnsiColor::Green)
        } else {
            ("disabled", AnsiColor::Yellow)
        };
        page.parts(&[
            page.strong(&self.name),
            page.plain(format_args!(" is {still}")),
            page.coloured(color, word),
            page.plain(
                self.path
                    .as_ref()
                    .map_or(String::new(), |path| format!(": {path}")),
            ),
        ])?;
        written(&self.written, page)
    }
}

impl Render for RuleResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let (word, color) = match self.decision {
            Decided::Allow => ("is allowed", AnsiColor::Green),
            Decided::Confirm => ("needs confirmation", AnsiColor::Yellow),
            Decided::Deny => ("is denied", AnsiColor::Red),
        };
        if self.remove {
            let rule = match self.rule {
                Decided::Deny => "denied",
                Decided::Allow | Decided::Confirm => "allowed",
            };
            let done = match self.written.change {
                Change::Absent => "No rule",
                _ => "Removed the rule that",
            };
            page.parts(&[
                page.plain(format_args!("{done} {rule} ")),
                page.strong(&self.name),
                page.plain("; loading it "),
                page.coloured(color, word),
            ])?;
        } else {
            page.parts(&[
                page.plain("Loading "),
                page.strong(&self.name),
                page.plain(" "),
                page.coloured(color, word),
            ])?;
        }
        written(&self.written, page)
    }
}

fn written(written: &Written, page: &mut Page<'_>) -> io::Result<()> {
    let file = &written.file;
    let done = match written.change {
        Change::Unchanged => "Nothing to change in",
        Change::Absent => "No such rule in",
        _ => "Changed",
    };
    page.line(format_args!("  {done} {file}"))?;
    for line in &written.removed {
        page.parts(&[page.coloured(AnsiColor::Red, format_args!("  - {line}"))])?;
    }
    for line in &written.added {
        page.parts(&[page.coloured(AnsiColor::Green, format_args!("  + {line}"))])?;
    }
    for note in &written.notes {
        page.line(format_args!("  {note}"))?;
    }
    Ok(())
}
