//! The text output of `skc sync`. Design: C-SYNC.

use std::io;

use skillc_ops::sync::{SyncResponse, SyncedSkill};

use crate::{Page, Render};

impl Render for SyncResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.skills.is_empty() {
            return page.line("No local logs to sync");
        }
        for skill in &self.skills {
            // Skills with only errors are reported on standard error.
            if skill.entries > 0 || skill.errors.is_empty() {
                page.line(line(skill, self.dry_run))?;
            }
        }
        Ok(())
    }
}

fn line(skill: &SyncedSkill, dry_run: bool) -> String {
    let SyncedSkill {
        skill: name,
        entries,
        removed,
        ..
    } = skill;
    let entries = match entries {
        1 => "1 entry".to_owned(),
        _ => format!("{entries} entries"),
    };
    match (dry_run, removed) {
        (true, _) => format!("Would sync {entries} for '{name}'"),
        (false, true) => format!("Synced {entries} for '{name}' (local logs removed)"),
        (false, false) => format!("Synced {entries} for '{name}' (local logs kept)"),
    }
}
