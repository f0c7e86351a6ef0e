//! Which skills a build is for: from what the user named to the skills, each with its own success or failure.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skillc_core::layout::{Scope, Store};
use skillc_core::resolve::{is_skill, skill_in};
use skillc_core::{Error, Pattern, Result, SkillRef};

use crate::lint::scope::WILD;
use crate::list::names;
use crate::lookup;
use crate::operation::{Notes, Toolkit};

/// What a build is for.
pub(super) enum Selection {
    /// One skill, by its name or path.
    One(String),
    /// Any number, in the order in which they were named, none twice.
    Several(Vec<Selected>),
}

/// One of several skills.
pub(super) struct Selected {
    /// What it is called in the report.
    pub(super) asked: String,
    /// The skill, or why there is none.
    pub(super) at: Result<SkillRef>,
}

/// Returns the skills that were named, or all of the project's stores; outside a project, all of the user's.
///
/// # Errors
/// E100 if nothing is named, or if `all` finds nothing.
pub(super) fn select(
    toolkit: &Toolkit,
    asked: &[String],
    all: bool,
    notes: &mut Notes,
) -> Result<Selection> {
    if let ([one], false) = (asked, all)
        && !is_glob(toolkit, one)
    {
        return Ok(Selection::One(one.clone()));
    }
    if asked.is_empty() && !all {
        return Err(Error::invalid_option("no skill is named"));
    }
    let mut found = Vec::new();
    if all {
        found = every(toolkit, None, notes);
        if found.is_empty() {
            return Err(Error::InvalidOption {
                message: "there is no skill to build".into(),
                hint: Some(
                    "Create one with 'skc init NAME', or build a folder by its path.".into(),
                ),
            });
        }
    }
    for text in asked {
        if is_glob(toolkit, text) {
            found.extend(matching(toolkit, text, notes));
        } else {
            found.push(Selected {
                asked: text.clone(),
                at: lookup::find(&toolkit.context, &toolkit.stores, text).map(|found| found.at),
            });
        }
    }
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    found.retain(|selected| match &selected.at {
        Ok(at) => seen.insert(at.canonical.clone()),
        Err(_) => true,
    });
    Ok(Selection::Several(found))
}

/// Says whether a text is a glob: one that is a path or the name of a skill is none, nor is one that cannot be parsed.
fn is_glob(toolkit: &Toolkit, text: &str) -> bool {
    text.contains(WILD)
        && Pattern::parse(text).is_ok()
        && toolkit.context.cwd.join(text).symlink_metadata().is_err()
        && lookup::find(&toolkit.context, &toolkit.stores, text).is_err()
}

/// Returns the skills whose name matches a glob; a failure if there is none.
fn matching(toolkit: &Toolkit, glob: &str, notes: &mut Notes) -> Vec<Selected> {
    let failed = |error| {
        let asked = glob.to_owned();
        vec![Selected {
            asked,
            at: Err(error),
        }]
    };
    let found = match Pattern::parse(glob) {
        Ok(pattern) => every(toolkit, Some(&pattern), notes),
        Err(error) => return failed(error),
    };
    if found.is_empty() {
        let skill = glob.to_owned();
        return failed(Error::SkillNotFound { skill });
    }
    found
}

/// Returns the skills of the project's stores, nearest first, or of the user's outside a project; by name. A nearer
/// skill hides one of the same name farther up, as it does for its name alone.
fn every(toolkit: &Toolkit, pattern: Option<&Pattern>, notes: &mut Notes) -> Vec<Selected> {
    let is_project = |store: &&Store| store.scope == Scope::Project;
    let projects: Vec<&Store> = toolkit.stores.iter().filter(is_project).collect();
    let stores = if projects.is_empty() {
        toolkit.stores.iter().collect()
    } else {
        projects
    };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for store in stores {
        for name in names(store, notes) {
            let source = store.source(&name);
            let is_meant = pattern.is_none_or(|pattern| pattern.matches_name(&name));
            if is_meant && is_skill(&source) && seen.insert(name.clone()) {
                let at = skill_in(&toolkit.context, &name, &name, source, store.clone());
                let at = Ok(at);
                found.push(Selected { asked: name, at });
            }
        }
    }
    found
}
