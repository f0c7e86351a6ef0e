//! SKL104 name-match-dir.
//!
//! Design: C-REGISTRY.8.

use std::path::Path;

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::support::fields::text_of;
use crate::support::fixes::set_name;
use crate::support::right_name::{advice, directory, is_right};
use crate::support::text::shown;

declare_rule! {
    /// Reports a name that differs from the name of the skill's directory.
    ///
    /// ## Why
    /// Some clients identify a skill by its name, others by its directory, and some drop the skill if the two differ.
    /// If they are the same, all clients and users know the skill by the same name.
    ///
    /// The name of a skill in a group may consist of the name of the group's directory, a hyphen, and the name of the
    /// skill's directory: `group-debugging` in `group/debugging`. If the directory is a symlink, the name must match
    /// the symlink's name, because that is the name that clients see.
    ///
    /// ## Example
    /// In `skills/sql-format/SKILL.md`:
    /// ```yaml
    /// name: format-sql
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// ```
    ///
    /// ## Fix
    /// If the directory's name is valid, the fix uses it as the name of the skill. The fix never renames the directory.
    /// The fix needs review: the directory's name may be the wrong one, and the name in the frontmatter may already be
    /// in use.
    pub(crate) struct NameMatchDir {
        code: "SKL104",
        name: "name-match-dir",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for NameMatchDir {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let (Some((name, at)), Some(dir)) = (text_of(doc, "name"), directory(skill)) else {
            return;
        };
        if name.is_empty()
            || name == dir
            || is_inner_name(name, dir, skill) && !out.is_by_the_letter()
        {
            return;
        }
        let found = out.at(at, mismatch(name, dir));
        if let Some(help) = help(name, dir, skill) {
            found.help(help);
        }
        if let Some(edit) = set_name(doc, dir).filter(|_| is_right(dir)) {
            found.fix(Fix::unsafe_(format!("write 'name: {dir}'"), vec![edit]));
        }
    }
}

/// Returns whether a name combines the names of the parent directory and the directory: `group-debugging` in
/// `group/debugging`.
fn is_inner_name(name: &str, dir: &str, skill: &Skill) -> bool {
    let above = skill.at.source.parent().and_then(Path::file_name);
    let above = above.and_then(|above| above.to_str()).unwrap_or_default();
    let group = name
        .strip_suffix(dir)
        .and_then(|rest| rest.strip_suffix('-'));
    group.is_some_and(|group| group == above)
}

fn help(name: &str, dir: &str, skill: &Skill) -> Option<String> {
    match (is_right(name), is_right(dir)) {
        (true, true) => Some(format!(
            "write 'name: {dir}', or rename the directory to '{name}'"
        )),
        (true, false) => Some(format!("rename the directory to '{name}'")),
        (false, true) => advice(name, skill),
        // The suggestion differs from the name only in case or separators.
        (false, false) => Some(format!(
            "{}, and rename the directory to match",
            advice(name, skill)?
        )),
    }
}

fn mismatch(name: &str, dir: &str) -> String {
    format!(
        "name '{}' does not match directory '{}'",
        shown(name),
        shown(dir)
    )
}
