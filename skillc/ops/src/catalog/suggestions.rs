//! Messages about skills that are enabled, disabled, allowed or denied.

use skillc_catalog::name::skill_name;
use skillc_catalog::{Catalog, Decision, Policy};
use skillc_core::did_you_mean::near;
use skillc_core::{Context, Error, Result};

use super::settings;
use crate::notes::Notes;

const MAX_SUGGESTIONS: usize = 5;

/// Returns the catalog of a working directory as if skills were enabled, and whether they really are.
pub(super) fn full_catalog(context: &Context, notes: &mut Notes) -> (Catalog, bool) {
    let (mut settings, notices) = settings(context);
    notes.notices.extend(notices);
    let is_enabled = std::mem::replace(&mut settings.enabled, true);
    let catalog = Catalog::scan(context, settings);
    notes
        .notices
        .extend(catalog.found().notices.iter().cloned());
    (catalog, is_enabled)
}

/// Parses the name of a skill, with or without a leading `$`.
///
/// # Errors
/// E100 if the name is invalid.
pub(super) fn wanted_name(argument: &str) -> Result<String> {
    let bare = argument.trim();
    let bare = bare.strip_prefix('$').unwrap_or(bare);
    skill_name(bare).ok_or_else(|| Error::InvalidOption {
        message: if bare.is_empty() {
            "name: blank".to_owned()
        } else {
            format!("'{bare}' is not a valid skill name")
        },
        hint: Some("Names consist of a-z, 0-9 and single hyphens, at most 64 characters.".into()),
    })
}

/// Returns the message that no skill has this name, with suggestions.
pub(super) fn no_such_skill(catalog: &Catalog, name: &str) -> String {
    let similar = similar(catalog, name).map(|similar| format!(" {similar}"));
    format!(
        "No skill '{name}' exists here yet.{}",
        similar.unwrap_or_default()
    )
}

/// Returns a question that suggests similar names.
pub(super) fn similar(catalog: &Catalog, name: &str) -> Option<String> {
    let mut names: Vec<&str> = catalog.skills().iter().map(|entry| &*entry.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut near = near(name, names);
    near.truncate(MAX_SUGGESTIONS);
    did_you_mean(&near)
}

/// Returns a question that asks whether one of these names was meant.
pub(crate) fn did_you_mean<S: AsRef<str>>(names: &[S]) -> Option<String> {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("'{}'", name.as_ref()))
        .collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("Did you mean {one}?")),
        [first @ .., last] => Some(format!("Did you mean {} or {last}?", first.join(", "))),
    }
}

/// If rules prevent loading a skill, returns the message that says so.
pub(super) fn denied(policy: &Policy, name: &str) -> Option<String> {
    match policy.decide_load(Some(name)) {
        Decision::Deny(Some(rule)) => Some(format!("Loading it is denied by {rule}.")),
        Decision::Deny(None) => Some("Loading it is denied by permissions.default.".to_owned()),
        Decision::Allow | Decision::Confirm => None,
    }
}

/// The message that all skills are disabled.
pub const ALL_OFF: &str = "All skills are disabled by skills.enabled or SKILLC_SKILLS_ENABLED.";
