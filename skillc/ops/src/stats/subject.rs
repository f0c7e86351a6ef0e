//! Finds the skill or skills that the statistics are about.

use std::collections::BTreeSet;

use skillc_core::resolve::{is_skill, skill_in, stores};
use skillc_core::{Error, Result, SkillRef};

use super::StatsRequest;
use crate::catalog::closed_at;
use crate::named::names;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// The requested skills.
pub(super) enum Subjects {
    One(Box<SkillRef>),
    All(Vec<SkillRef>),
}

impl Subjects {
    /// Resolves the requested skills.
    ///
    /// # Errors
    /// E001 or E010 for a missing skill; E100 if both a skill and `--all` are given, or if neither is given.
    pub(super) fn find(
        toolkit: &Toolkit,
        request: &StatsRequest,
        notes: &mut Notes,
    ) -> Result<Self> {
        match (&request.skill, request.all) {
            (Some(skill), false) => Ok(Self::One(Box::new(toolkit.find(skill, notes)?))),
            (None, true) => Ok(Self::All(all(toolkit, notes))),
            (Some(_), true) => Err(Error::invalid_option("give either a skill or --all")),
            (None, false) => Err(Error::InvalidOption {
                message: "no skill given".into(),
                hint: Some("Give a skill, or count the uses of all skills: skc stats --all".into()),
            }),
        }
    }

    /// Returns the skills, sorted by name.
    pub(super) fn skills(&self) -> &[SkillRef] {
        match self {
            Self::One(skill) => std::slice::from_ref(skill),
            Self::All(skills) => skills,
        }
    }

    /// Returns the requested skill; `None` if all skills were requested.
    pub(super) fn only(&self) -> Option<&SkillRef> {
        match self {
            Self::One(skill) => Some(skill),
            Self::All(_) => None,
        }
    }
}

/// Finds every skill whose name can be resolved in the working directory, sorted by name. For an agent, skips the
/// skills that a rule denies.
fn all(toolkit: &Toolkit, notes: &mut Notes) -> Vec<SkillRef> {
    let context = &toolkit.context;
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for store in stores(context) {
        for name in names(&store, notes) {
            let source = store.source(&name);
            if is_skill(&source) && seen.insert(name.clone()) {
                found.push(skill_in(context, &name, &name, source, store.clone()));
            }
        }
    }
    if let Some(policy) = toolkit.closing_policy() {
        found.retain(|at| closed_at(&policy, at).is_none());
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
