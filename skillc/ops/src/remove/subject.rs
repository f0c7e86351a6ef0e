//! What is to be removed: from a name to a source, its builds, and the entries of agents that lead to them.

use std::path::{Path, PathBuf};

use skillc_core::layout::{RuntimeDir, Scope, Store, canonical};
use skillc_core::path::is_one_component;
use skillc_core::resolve::{skill_at, skill_in};
use skillc_core::{Error, Result, SkillRef};

use super::folders::AgentFolder;
use super::parts::has_parts;
use crate::build::check_apart;
use crate::build::entry::{BuildLink, Entry};
use crate::build::manifest::Manifest;
use crate::operation::Toolkit;
use crate::staged::sibling;

/// A skill whose builds are removed. Its source may be gone.
pub(super) struct Subject {
    pub(super) at: SkillRef,
    pub(super) store: Store,
}

/// What an agent's entry is to a removal.
pub(super) enum Verdict {
    Nothing,
    Link,
    Copy,
    /// It stays, for this reason.
    Kept(String),
}

impl Subject {
    /// Finds a skill by its name, in the nearest store that has its source or a build of it; or by the path of its source.
    ///
    /// # Errors
    /// E001 if nothing of it is there; E999 if a link would lead the removal out of the store.
    pub(super) fn find(
        toolkit: &Toolkit,
        asked: &str,
        global: bool,
        folders: &[AgentFolder],
    ) -> Result<Self> {
        let context = &toolkit.context;
        let not_found = || Error::SkillNotFound {
            skill: asked.to_owned(),
        };
        let (name, store) = if is_one_component(asked) {
            let stores = if global {
                vec![Store::global(context)]
            } else {
                toolkit.stores.clone()
            };
            let store = store_of(&stores, asked, folders).ok_or_else(not_found)?;
            (asked.to_owned(), store)
        } else {
            let path = context.cwd.join(asked);
            let at = skill_at(context, asked, &path);
            (at.name, at.store.ok_or_else(not_found)?)
        };
        let source = store.source(&name);
        let at = skill_in(context, asked, &name, source, store.clone());
        check_inside(&store)?;
        for runtime in [&at.runtime, &at.global_runtime] {
            if !runtime.0.is_symlink() {
                check_apart(&at, runtime)?;
            }
        }
        Ok(Self { at, store })
    }

    /// Returns the directories of its builds: in its own store, and in the user's if it was built there.
    pub(super) fn runtimes(&self) -> Vec<RuntimeDir> {
        let mut runtimes = vec![self.at.runtime.clone()];
        if self.is_built_globally() {
            runtimes.push(self.at.global_runtime.clone());
        }
        runtimes
    }

    fn is_built_globally(&self) -> bool {
        let own = &self.at.global_runtime;
        let skills = own
            .0
            .parent()
            .and_then(Path::parent)
            .map(|dir| dir.join("skills"));
        // The user has a skill of that name: its build stays.
        let is_other = skills.is_some_and(|skills| skills.join(&self.at.name).exists());
        self.store.scope == Scope::Project && !is_other && own.index(&self.at.hash16()).exists()
    }

    /// Says what the entry of its name in a folder is to it.
    pub(super) fn verdict(&self, folder: &AgentFolder) -> Verdict {
        match Entry::read(&folder.dir.join(&self.at.name)) {
            Entry::Free => Verdict::Nothing,
            Entry::Link(Some(link)) if self.is_led_to_by(&link) => Verdict::Link,
            Entry::Link(Some(link)) => {
                Verdict::Kept(format!("it is of '{}'", link.source().display()))
            }
            Entry::Link(None) => Verdict::Kept("a link that skc did not make".to_owned()),
            Entry::Copy(copy) if !copy.is_intact => {
                Verdict::Kept("a copy that was edited".to_owned())
            }
            Entry::Copy(copy) => {
                let is_of_project = folder.project.as_ref() == Some(&self.store.root);
                if is_of_project || self.has_built(&copy.manifest) {
                    Verdict::Copy
                } else {
                    Verdict::Kept("a copy of another build".to_owned())
                }
            }
            Entry::Foreign(kind) => Verdict::Kept(format!("{kind} that skc did not make")),
        }
    }

    fn is_led_to_by(&self, link: &BuildLink) -> bool {
        let runtime = canonical_place(&link.runtime().0);
        let mut own = self.runtimes().into_iter();
        own.any(|own| canonical_place(&own.0) == runtime)
    }

    fn has_built(&self, copy: &Manifest) -> bool {
        let built = self.runtimes().into_iter();
        let mut built = built.filter_map(|runtime| Manifest::read(&runtime.manifest()));
        built.any(|built| built.skill == copy.skill && built.source_hash == copy.source_hash)
    }
}

/// Returns the first store that has a skill's source or a build of it, else the first whose build an agent is led to, else
/// the first with a log.
fn store_of(stores: &[Store], name: &str, folders: &[AgentFolder]) -> Option<Store> {
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    let has_it = |store: &&Store| {
        let (source, runtime) = (store.source(name), store.runtime(name));
        is_there(sibling(&source, "old")) || is_there(source) || has_parts(&runtime)
    };
    let is_deployed = |store: &&Store| {
        let runtime = canonical_place(&store.runtime(name).0);
        folders
            .iter()
            .any(|folder| match Entry::read(&folder.dir.join(name)) {
                Entry::Link(Some(link)) => canonical_place(&link.runtime().0) == runtime,
                Entry::Copy(_) => folder.project.as_ref() == Some(&store.root),
                _ => false,
            })
    };
    let has_log = |store: &&Store| is_there(store.runtime(name).logs());
    let mut found = stores.iter().find(has_it);
    found = found.or_else(|| stores.iter().find(is_deployed));
    found.or_else(|| stores.iter().find(has_log)).cloned()
}

/// Returns a path whose directory is canonical as far as it is there; the last part is not followed.
fn canonical_place(path: &Path) -> PathBuf {
    let found = path.ancestors().skip(1).find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some(real.join(path.strip_prefix(above).ok()?))
    });
    found.unwrap_or_else(|| path.to_path_buf())
}

/// Makes sure that a project's `.skillc` has no link that would lead a removal out of the project.
///
/// # Errors
/// E999 if it has.
pub(crate) fn check_inside(store: &Store) -> Result<()> {
    let root = canonical(&store.root);
    for dir in [store.runtimes(), store.skills()] {
        if store.scope == Scope::Project && dir.exists() && !canonical(&dir).starts_with(&root) {
            let dir = dir.display();
            return Err(Error::internal(format!(
                "removing from '{dir}': a link leads out of the project"
            )));
        }
    }
    Ok(())
}
