//! Resolves the arguments of a build to skills, each of which succeeds or fails independently.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skillc_core::layout::{Scope, Store};
use skillc_core::resolve::{is_skill, skill_in};
use skillc_core::{Error, Pattern, Result, SkillRef};

use crate::lookup::{self, in_client_folders};
use crate::named::WILD;
use crate::named::names;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The skills to build.
pub(super) enum Selection {
    /// One skill, by name or path.
    One(String),
    /// Any number of skills, in the order in which they were named, without duplicates.
    Several(Vec<Selected>),
}

/// One of several skills to build.
pub(super) struct Selected {
    /// The argument or name that the report shows.
    pub(super) asked: String,
    /// The skill, or the error from finding it.
    pub(super) at: Result<SkillRef>,
    /// Whether to build it in place, regardless of the request.
    pub(super) is_in_place: bool,
}

impl Selected {
    const fn new(asked: String, at: Result<SkillRef>) -> Self {
        Self {
            asked,
            at,
            is_in_place: false,
        }
    }
}

/// Returns the named skills, or, with `all`, the skills of the project or of the user: see [`every`].
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
        return Err(Error::invalid_option("no skill given"));
    }
    let mut found = Vec::new();
    if all {
        found = every(toolkit, None, notes);
        if found.is_empty() {
            return Err(Error::InvalidOption {
                message: "no skills to build".into(),
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
            let at = lookup::find(&toolkit.context, &toolkit.stores, text).map(|found| found.at);
            found.push(Selected::new(text.clone(), at));
        }
    }
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    found.retain(|selected| match &selected.at {
        Ok(at) => seen.insert(at.canonical.clone()),
        Err(_) => true,
    });
    Ok(Selection::Several(found))
}

/// Returns whether a string is a glob: it has wildcards, can be parsed, and is neither a path nor the name of a skill.
fn is_glob(toolkit: &Toolkit, text: &str) -> bool {
    text.contains(WILD)
        && Pattern::parse(text).is_ok()
        && toolkit.context.cwd.join(text).symlink_metadata().is_err()
        && lookup::find(&toolkit.context, &toolkit.stores, text).is_err()
}

/// Returns the skills whose names match a glob, or a single entry with the error if none match.
fn matching(toolkit: &Toolkit, glob: &str, notes: &mut Notes) -> Vec<Selected> {
    let failed = |error| vec![Selected::new(glob.to_owned(), Err(error))];
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

/// Returns the skills of the project: those of its stores (nearest store first, sorted by name), then those of its
/// client folders. If the project has neither stores nor such skills, returns the user's skills in the same order.
///
/// Earlier skills take precedence over later ones of the same name, as in a lookup by name.
fn every(toolkit: &Toolkit, pattern: Option<&Pattern>, notes: &mut Notes) -> Vec<Selected> {
    let folders = in_client_folders(&toolkit.context, notes);
    let (user, project): (Vec<_>, Vec<_>) =
        folders.into_iter().partition(|found| found.folder.is_user);
    let is_project = |store: &&Store| store.scope == Scope::Project;
    let stores: Vec<&Store> = toolkit.stores.iter().filter(is_project).collect();
    let is_here = !stores.is_empty() || project.iter().any(|found| !found.skills.is_empty());
    let (stores, folders) = if is_here {
        (stores, project)
    } else {
        (toolkit.stores.iter().collect(), user)
    };
    let mut seen = BTreeSet::new();
    let mut is_meant = |name: &str| {
        pattern.is_none_or(|pattern| pattern.matches_name(name)) && seen.insert(name.to_owned())
    };
    let mut found = Vec::new();
    for store in stores {
        for name in names(store, notes) {
            let source = store.source(&name);
            if is_skill(&source) && is_meant(&name) {
                let at = skill_in(&toolkit.context, &name, &name, source, store.clone());
                found.push(Selected::new(name, Ok(at)));
            }
        }
    }
    for mut at in folders.into_iter().flat_map(|found| found.skills) {
        if is_meant(&at.name) {
            at.asked.clone_from(&at.name);
            found.push(Selected {
                asked: at.name.clone(),
                // A store's skill that is found through a link in a client's folder is built in its store.
                is_in_place: at.store.is_none(),
                at: Ok(at),
            });
        }
    }
    found
}
