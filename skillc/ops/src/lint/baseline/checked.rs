//! Determines which entries of a baseline a run has checked: only those may be removed, or reported as stale.
//!
//! If in doubt, the entry stays: it may have an owner and a reason.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use skillc_core::clients::Clients;
use skillc_lint::Linter;
use skillc_lint::baseline::BaselineEntry;

use super::super::config::Linters;
use super::super::scope::{Scope, is_meant_as_skill};
use super::rewrite::Listed;
use crate::toolkit::Toolkit;

/// The family of rules whose findings depend on which clients are selected.
const CLIENTS: &str = "CLT";

/// The rule whose findings depend on which other rules run.
const UNUSED_DIRECTIVE: &str = "CFG101";

/// A message of at most this many characters is complete. Longer messages may be truncated.
const MAX_WHOLE: usize = 299;

/// The limit on the length of a path that is looked up on disk, in bytes.
const MAX_PATH: usize = 4096;

/// The scope of a run, which determines the entries that the run has checked.
pub(super) struct Checked<'a> {
    pub(super) toolkit: &'a Toolkit,
    pub(super) linters: &'a Linters<'a>,
    pub(super) scope: &'a Scope,
    /// The canonical directory of the baseline.
    pub(super) dir: &'a Path,
    /// The directory of each linted skill, by the name that entries use for the skill.
    pub(super) skills: BTreeMap<String, &'a Path>,
    /// If the run linted only one file, that file, relative to the baseline's directory.
    pub(super) only: Option<String>,
    /// The path, rule and client of each client-specific finding that the baseline does not list.
    pub(super) news: BTreeSet<(Arc<str>, String, String)>,
    /// A cache for skill directories that no longer exist: for each, the nearest existing ancestor, if the run covered
    /// the skill directory.
    pub(super) gone: RefCell<BTreeMap<String, Option<PathBuf>>>,
}

impl Checked<'_> {
    /// Returns whether the run would have reported the finding of an entry if the finding still existed.
    pub(super) fn has(&self, entry: &BaselineEntry) -> bool {
        let only = self.only.as_ref();
        if only.is_some_and(|only| **only != *entry.identity.path) {
            return false;
        }
        if let Some(dir) = self.skills.get(&entry.skill) {
            return self.has_judged(entry, dir, dir);
        }
        let mut known = self.gone.borrow_mut();
        let left = known.entry(entry.skill.clone());
        let left = left.or_insert_with(|| self.left_of(&entry.skill)).clone();
        left.is_some_and(|left| self.has_judged(entry, &left, &resolved(self.dir, &entry.skill)))
    }

    /// Returns whether an entry's rule ran, or no longer exists.
    ///
    /// `configured`: the directory whose configuration applies. `dir`: the skill's directory.
    fn has_judged(&self, entry: &BaselineEntry, configured: &Path, dir: &Path) -> bool {
        let rule = entry.identity.rule.as_str();
        if self.toolkit.plugins().rule(rule).is_none() {
            return true;
        }
        let Ok(linter) = self.linters.for_dir(configured) else {
            return false;
        };
        let is_certain = if rule.starts_with(CLIENTS) {
            self.has_judged_clients(entry, &linter)
        } else {
            rule != UNUSED_DIRECTIVE || self.linters.is_usual()
        };
        is_certain && linter.is_on(rule, &dir.join(&entry.file))
    }

    /// Returns whether the run checked all clients in an entry's message: the message is complete, all these clients
    /// are selected, and no new finding concerns any of them.
    fn has_judged_clients(&self, entry: &BaselineEntry, linter: &Linter) -> bool {
        let is_whole = entry.message.chars().count() <= MAX_WHOLE;
        let named = clients_in(&entry.message);
        let is_asked = |id: &&str| linter.clients().iter().any(|client| client.id == **id);
        let is_new = |id: &&str| {
            let BaselineEntry { identity, .. } = entry;
            let key = (
                identity.path.clone(),
                identity.rule.clone(),
                (*id).to_owned(),
            );
            self.news.contains(&key)
        };
        is_whole && !named.is_empty() && named.iter().all(is_asked) && !named.iter().any(is_new)
    }

    /// Records a finding that the baseline lacks. Ignores findings that are not client-specific.
    pub(super) fn add_new(&mut self, found: &Listed<'_>) {
        if !found.identity.rule.starts_with(CLIENTS) {
            return;
        }
        let keys = clients_in(found.message).into_iter().map(|id| {
            let identity = &found.identity;
            (identity.path.clone(), identity.rule.clone(), id.to_owned())
        });
        self.news.extend(keys);
    }

    /// Returns the nearest existing ancestor of a deleted skill, if the run would have found that skill.
    fn left_of(&self, skill: &str) -> Option<PathBuf> {
        let dir = resolved(self.dir, skill);
        if dir.as_os_str().len() > MAX_PATH {
            return None;
        }
        let over = self.scope.over.iter().find(|over| over.has(&dir))?;
        let is_gone = match dir.read_dir() {
            Ok(_) => !is_meant_as_skill(&dir),
            Err(why) => matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        };
        let below = dir.strip_prefix(&over.root).ok()?;
        let mut left = over.root.clone();
        for part in below.components() {
            let next = left.join(part);
            if !next.is_dir() {
                break;
            }
            left = next;
        }
        is_gone.then_some(left)
    }
}

/// Returns the client ids that occur as words in a message.
fn clients_in(message: &str) -> Vec<&'static str> {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let words: BTreeSet<&str> = message.split(is_end).collect();
    let ids = Clients::shared().clients.iter().map(|client| &*client.id);
    ids.filter(|id| words.contains(id)).collect()
}

/// Resolves the skill directory of an entry.
fn resolved(from: &Path, skill: &str) -> PathBuf {
    let mut dir = from.to_path_buf();
    for part in Path::new(skill).components() {
        match part {
            Component::ParentDir => {
                dir.pop();
            }
            Component::CurDir => {}
            other => dir.push(other),
        }
    }
    dir
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skill_paths_are_relative_to_the_baseline() {
        let of = |skill| resolved(Path::new("/a/b"), skill);
        assert_eq!(of("."), Path::new("/a/b"));
        assert_eq!(of("../c/d"), Path::new("/a/c/d"));
        assert_eq!(of("../../../../x"), Path::new("/x"));
        assert_eq!(of("/x/y"), Path::new("/x/y"));
    }
}
