//! Determines the log to which each row of a local log belongs: the log that `skc stats` reads.
//!
//! Design: C-SYNC, D-SYNC-DEST.

use std::path::{Path, PathBuf};

use skillc_core::layout::{Store, canonical};
use skillc_core::resolve::{Surroundings, is_skill, stores};
use skillc_core::{Context, SkillRef};

use crate::access::logged_in;
use crate::lookup;

/// The stores around the directory with the local logs.
pub(super) struct Places<'a> {
    context: &'a Context,
    surroundings: Surroundings<'a>,
    /// The stores, each with its canonical directory of sources.
    stores: Vec<(PathBuf, Store)>,
}

impl<'a> Places<'a> {
    /// Finds the stores. `context`: the context of the directory with the local logs.
    pub(super) fn new(context: &'a Context) -> Self {
        let with_skills = |store: Store| (canonical(&store.skills()), store);
        Self {
            context,
            surroundings: Surroundings::new(context),
            stores: stores(context).into_iter().map(with_skills).collect(),
        }
    }

    /// Finds the skill with this name, as seen from the directory with the local logs.
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

    /// Returns the log to which rows with this `skill_path` belong. `named`: the skill that the local log is named
    /// after. Rows with an unusable `skill_path` belong to this skill's log.
    ///
    /// An untrusted log may contain any `skill_path`. The path is used only if it is the directory of a skill, or if it
    /// is directly in a store, where a skill may have been before the skill was deleted or moved.
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

/// The skill that a name resolves to.
pub(super) struct Named {
    /// The canonical directory of the skill; `None` if no skill has this name.
    canonical: Option<PathBuf>,
    /// The skill's log. If the skill does not exist, this is a log in the user's store.
    log: PathBuf,
}

fn log_of(at: &SkillRef) -> PathBuf {
    logged_in(at).logs()
}
