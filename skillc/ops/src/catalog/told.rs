//! What is said besides of skills that are switched, allowed or denied.

use skillc_catalog::name::skill_name;
use skillc_catalog::{Catalog, Decision, Policy};
use skillc_core::near::near;
use skillc_core::{Context, Error, Result};

use super::settings;
use crate::notes::Notes;

/// The most names that are offered in place of one.
const MAX_SUGGESTIONS: usize = 5;

/// Returns the catalog of a working directory as it would be if skills were not switched off altogether, and whether they
/// are not.
pub(super) fn of_all(context: &Context, notes: &mut Notes) -> (Catalog, bool) {
    let (mut settings, notices) = settings(context);
    notes.notices.extend(notices);
    let is_enabled = std::mem::replace(&mut settings.enabled, true);
    let catalog = Catalog::scan(context, settings);
    notes
        .notices
        .extend(catalog.found().notices.iter().cloned());
    (catalog, is_enabled)
}

/// Reads the name of a skill, with or without a `$` before it.
///
/// # Errors
/// E100 if it is none.
pub(super) fn wanted_name(argument: &str) -> Result<String> {
    let bare = argument.trim();
    let bare = bare.strip_prefix('$').unwrap_or(bare);
    skill_name(bare).ok_or_else(|| Error::InvalidOption {
        message: if bare.is_empty() {
            "name: blank".to_owned()
        } else {
            format!("'{bare}' is no name of a skill")
        },
        hint: Some("Names have lower-case letters, digits and single hyphens, 64 at most.".into()),
    })
}

/// Says that there is no skill of a name, and what may have been meant.
pub(super) fn no_such_skill(catalog: &Catalog, name: &str) -> String {
    let similar = similar(catalog, name).map(|similar| format!(" {similar}"));
    format!(
        "No skill '{name}' is here now.{}",
        similar.unwrap_or_default()
    )
}

/// Returns a question with names that are nearly the same.
pub(super) fn similar(catalog: &Catalog, name: &str) -> Option<String> {
    let mut names: Vec<&str> = catalog.skills().iter().map(|entry| &*entry.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut near = near(name, names);
    near.truncate(MAX_SUGGESTIONS);
    did_you_mean(&near)
}

/// Asks whether one of some names was meant.
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

/// Says that a skill cannot be loaded, if rules say so.
pub(super) fn denied(policy: &Policy, name: &str) -> Option<String> {
    match policy.decide_load(Some(name)) {
        Decision::Deny(Some(rule)) => Some(format!("Loading it is denied by {rule}.")),
        Decision::Deny(None) => Some("Loading it is denied by permissions.default.".to_owned()),
        Decision::Allow | Decision::Confirm => None,
    }
}

/// Says that no skill is in use.
pub const ALL_OFF: &str =
    "All skills are switched off, by skills.enabled or SKILLC_SKILLS_ENABLED.";
