//! Where the rows of a local log belong: in the log in which `skc stats` looks for them.
//!
//! Design: C-SYNC, D-SYNC-DEST.

use std::path::{Path, PathBuf};

use skillc_core::layout::{Store, canonical};
use skillc_core::resolve::{Surroundings, is_skill, stores};
use skillc_core::{Context, SkillRef};

use crate::access::logged_in;
use crate::lookup;

/// What is known around the directory that was worked in.
pub(super) struct Places<'a> {
    context: &'a Context,
    surroundings: Surroundings<'a>,
    /// The stores in reach, each with its sources' directory, canonical.
    stores: Vec<(PathBuf, Store)>,
}

impl<'a> Places<'a> {
    /// Looks around. `context`: that of the directory that was worked in.
    pub(super) fn of(context: &'a Context) -> Self {
        let with_skills = |store: Store| (canonical(&store.skills()), store);
        Self {
            context,
            surroundings: Surroundings::of(context),
            stores: stores(context).into_iter().map(with_skills).collect(),
        }
    }

    /// Finds the skill that a name stands for in the directory that was worked in.
    pub(super) fn named(&self, name: &str) -> Named {
        let found = lookup::find(self.context, &stores(self.context), name);
        let found = found.ok().map(|found| found.at);
        let log = found
            .as_ref()
            .map_or_else(|| Store::global(self.context).runtime(name).logs(), log_of);
        Named {
            canonical: found.map(|at| at.canonical),
            log,
        }
    }

    /// Returns the log that rows with a `skill_path` belong in. `named`: the skill that the local log is named after,
    /// which gets what nobody else does.
    ///
    /// Only a skill that is there, or that was in a store in reach, counts: a log may be a stranger's, and name any path.
    pub(super) fn log_of(&self, skill_path: &str, named: &Named) -> PathBuf {
        let path = Path::new(skill_path);
        if named.canonical.as_deref() == Some(path) || !path.is_absolute() {
            return named.log.clone();
        }
        if is_skill(path) {
            return log_of(&self.surroundings.skill_at(skill_path, path));
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let store = self
            .stores
            .iter()
            .find(|(skills, _)| path.parent() == Some(skills));
        match (store, name) {
            (Some((_, store)), Some(name)) => store.runtime(name).logs(),
            _ => named.log.clone(),
        }
    }
}

/// What a name stands for.
pub(super) struct Named {
    /// The skill's directory, canonical; `None` if there is no such skill.
    canonical: Option<PathBuf>,
    /// Where its uses are logged: that of a skill which is not there, among the user's.
    log: PathBuf,
}

fn log_of(at: &SkillRef) -> PathBuf {
    logged_in(at).logs()
}
