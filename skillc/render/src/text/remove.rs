//! The text output of `skc remove` and `skc clean`.

use std::io;

use skillc_ops::clean::CleanResponse;
use skillc_ops::remove::{KeptPath, RemoveResponse, RemovedPath, RemovedSkill};

use crate::{Page, Render, clean};

impl Render for RemoveResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        for skill in &self.skills {
            page.parts(&[
                page.plain(verb(self.dry_run, skill)),
                page.strong(&skill.skill),
                page.plain(format_args!(" ({})", skill.scope.as_str())),
            ])?;
            removed(&skill.removed, page)?;
            kept(&skill.kept, page)?;
        }
        for failed in &self.failed {
            let line = format!("{}: {}", failed.skill, failed.error);
            writeln!(page.err, "{}", clean(&line))?;
            for help in failed.help.iter().flat_map(|help| help.lines()) {
                writeln!(page.err, "  {}", clean(help))?;
            }
        }
        if self.skills.is_empty() && self.failed.is_empty() {
            page.line("Nothing was removed.")?;
        }
        Ok(())
    }
}

impl Render for CleanResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.removed.is_empty() {
            page.line("Nothing to clean.")?;
        } else {
            page.line(if self.dry_run {
                "Would remove"
            } else {
                "Removed"
            })?;
        }
        removed(&self.removed, page)?;
        kept(&self.kept, page)
    }
}

fn verb(dry_run: bool, skill: &RemovedSkill) -> &'static str {
    match (skill.removed.is_empty(), dry_run) {
        (true, _) => "Nothing to remove for ",
        (_, true) => "Would remove ",
        (_, false) => "Removed ",
    }
}

fn removed(paths: &[RemovedPath], page: &mut Page<'_>) -> io::Result<()> {
    for removed in paths {
        page.line(format_args!(
            "  {} ({})",
            removed.path,
            removed.kind.as_str()
        ))?;
    }
    Ok(())
}

fn kept(paths: &[KeptPath], page: &mut Page<'_>) -> io::Result<()> {
    for kept in paths {
        page.line(format_args!("  Kept: {} ({})", kept.path, kept.reason))?;
    }
    Ok(())
}
