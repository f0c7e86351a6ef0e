//! Resolves a name to the files to remove: the source, its builds, and the entries in agent folders that belong to the
//! builds.

use std::path::{Path, PathBuf};

use skillc_core::contained::check_project;
use skillc_core::layout::{RuntimeDir, Scope, Store, canonical};
use skillc_core::path::is_one_component;
use skillc_core::resolve::{is_skill, skill_at, skill_in};
use skillc_core::{Context, Error, Result, SkillRef};

use super::RemoveRequest;
use super::folders::AgentFolder;
use super::parts::has_parts;
use crate::lookup;
use crate::runtime::entry::{BuildLink, FolderEntry};
use crate::runtime::manifest::Manifest;
use crate::runtime::{check_apart, with_runtime};
use crate::staged::sibling;
use crate::toolkit::Toolkit;
use skillc_core::shell::shell_word;

/// A skill whose builds are removed. Its source may be gone.
pub(super) struct Subject {
    pub(super) at: SkillRef,
    /// The store that contains the skill's builds.
    pub(super) store: Store,
    /// Whether the skill's source is outside that store. If so, the source is never deleted.
    pub(super) is_outside: bool,
}

/// How a removal treats an agent's entry.
pub(super) enum Verdict {
    Nothing,
    Link,
    Copy,
    /// The entry is kept, for this reason.
    SharedCache(String),
}

impl Subject {
    /// Finds a skill by its name or by the path of its source, in the nearest store that contains its source or a build
    /// of it. If there is no such store, tries the lookup of other commands, which also accepts the name or path of a
    /// stub. Finally, looks for a usage log that a deleted skill of this name left behind.
    ///
    /// # Errors
    /// Returns E001 if nothing is found; E100 if the source is to be deleted but belongs to another project; E999 if a
    /// symlink would lead the removal out of the store.
    pub(super) fn find(
        toolkit: &Toolkit,
        asked: &str,
        request: &RemoveRequest,
        folders: &[AgentFolder],
    ) -> Result<Self> {
        let context = &toolkit.context;
        let stores = if request.global {
            vec![Store::global(context)]
        } else {
            toolkit.stores.clone()
        };
        let in_store = if is_one_component(asked) {
            let store = store_of(&stores, asked, folders);
            store.map(|store| Self::stored(context, asked, asked, store))
        } else {
            let at = skill_at(context, asked, &context.cwd.join(asked));
            let (name, store) = (at.name, at.store);
            store.map(|store| Self::stored(context, asked, &name, store))
        };
        let subject = match in_store {
            Some(subject) => subject,
            // A source that a stub resolves to takes precedence over a leftover log of that name.
            None => Self::looked_up(toolkit, asked, request, folders).or_else(
                |error| -> Result<Self> {
                    let logged = is_one_component(asked).then(|| logged_store(&stores, asked));
                    let store = logged.flatten().ok_or(error)?;
                    Ok(Self::stored(context, asked, asked, store))
                },
            )?,
        };
        check_project(&subject.store)?;
        for runtime in [&subject.at.runtime, &subject.at.global_runtime] {
            if !runtime.0.is_symlink() {
                check_apart(&subject.at, runtime)?;
            }
        }
        Ok(subject)
    }

    /// Returns the skill with this name in a store. If its source is not in the store, uses the source that the store's
    /// build was made from.
    fn stored(context: &Context, asked: &str, name: &str, store: Store) -> Self {
        let source = store.source(name);
        let is_stored = is_there(&source) || is_there(&sibling(&source, "old"));
        let outside = (!is_stored).then(|| source_of(&store, name)).flatten();
        let Some(outside) = outside else {
            return Self {
                at: skill_in(context, asked, name, source, store.clone()),
                store,
                is_outside: false,
            };
        };
        let at = SkillRef {
            name: name.to_owned(),
            runtime: store.runtime(name),
            ..skill_at(context, asked, &outside)
        };
        Self {
            at,
            store,
            is_outside: true,
        }
    }

    /// Finds a skill outside the reachable stores: one that a stub resolves to, or one that was built in place.
    fn looked_up(
        toolkit: &Toolkit,
        asked: &str,
        request: &RemoveRequest,
        folders: &[AgentFolder],
    ) -> Result<Self> {
        let context = &toolkit.context;
        let is_meant = |at: &SkillRef| !request.global || at.scope == Scope::Global;
        let found = lookup::find(context, &toolkit.stores, asked).map(|found| found.at);
        let subject = match found {
            Ok(at) if is_meant(&at) => Self::new(context, at),
            // The target path of a link identifies the build, even if the source is gone.
            _ if !request.global => {
                linked_store(asked, folders).map(|store| Self::stored(context, asked, asked, store))
            }
            _ => None,
        };
        let subject = subject.ok_or_else(|| Error::SkillNotFound {
            skill: asked.to_owned(),
        })?;
        if request.source && !subject.is_outside && !toolkit.stores.contains(&subject.store) {
            // A repository can contain stubs. They must not cause the source of another project to be deleted.
            let source = subject.at.source.display().to_string();
            return Err(Error::InvalidOption {
                message: format!("--source: '{asked}' belongs to another project"),
                hint: Some(
                    format!("Use its path: skc remove {} --source", shell_word(&source)).into(),
                ),
            });
        }
        Ok(subject)
    }

    /// Returns the subject for a skill; `None` for a directory that is not built and is neither in a store nor in a
    /// client's folder.
    fn new(context: &Context, at: SkillRef) -> Option<Self> {
        let at = with_runtime(at);
        let is_outside = at.store.is_none();
        let store = match &at.store {
            Some(store) => store.clone(),
            None if at.runtime == at.global_runtime => Store::global(context),
            None => Store::project(at.runtime.0.ancestors().nth(3)?.to_path_buf()),
        };
        let subject = Self {
            at,
            store,
            is_outside,
        };
        let is_known =
            !is_outside || subject.at.client_folder.is_some() || !subject.runtimes().is_empty();
        is_known.then_some(subject)
    }

    /// Returns the runtime directories of the skill's builds: in its own store, and in the user's store if the skill
    /// was built there.
    pub(super) fn runtimes(&self) -> Vec<RuntimeDir> {
        let mut runtimes = Vec::new();
        // The store may contain another skill with this skill's name.
        if !self.is_outside || self.is_build_of(&self.at.runtime) {
            runtimes.push(self.at.runtime.clone());
        }
        if self.is_built_globally() {
            runtimes.push(self.at.global_runtime.clone());
        }
        runtimes
    }

    fn is_build_of(&self, runtime: &RuntimeDir) -> bool {
        let built = Manifest::read(&runtime.manifest());
        runtime.index(&self.at.hash16()).exists()
            || built.is_some_and(|built| self.is_source(&built.source))
    }

    /// Returns whether a path from a manifest is the source of this skill, which need not exist.
    fn is_source(&self, text: &str) -> bool {
        let path = Path::new(text);
        path.is_absolute()
            && (path == self.at.canonical
                || canonical_place(path) == canonical_place(&self.at.source))
    }

    fn is_built_globally(&self) -> bool {
        let own = &self.at.global_runtime;
        let skills = own
            .0
            .parent()
            .and_then(Path::parent)
            .map(|dir| dir.join("skills"));
        // If the user has another skill of that name, the build belongs to that skill and stays.
        let is_other = skills.is_some_and(|skills| skills.join(&self.at.name).exists());
        self.store.scope == Scope::Project && !is_other && own.index(&self.at.hash16()).exists()
    }

    /// Decides what to do with the skill's entry in a folder. `entry`: read through the open folder.
    pub(super) fn verdict(&self, folder: &AgentFolder, entry: FolderEntry) -> Verdict {
        let place = folder.dir.join(&self.at.name);
        if self.is_outside && canonical(&place) == self.at.canonical {
            return Verdict::Nothing;
        }
        match entry {
            FolderEntry::Free => Verdict::Nothing,
            FolderEntry::Link(Some(link)) if self.is_led_to_by(&link) => Verdict::Link,
            FolderEntry::Link(Some(link)) => {
                Verdict::SharedCache(format!("belongs to '{}'", link.source().display()))
            }
            FolderEntry::Link(None) => Verdict::SharedCache("a link not created by skc".to_owned()),
            FolderEntry::Copy(copy) if !copy.is_intact => {
                Verdict::SharedCache("an edited copy".to_owned())
            }
            FolderEntry::Copy(copy) => {
                let is_of_project = folder.project.as_ref() == Some(&self.store.root);
                if is_of_project || self.has_built(&copy.manifest) {
                    Verdict::Copy
                } else {
                    Verdict::SharedCache("a copy of another build".to_owned())
                }
            }
            FolderEntry::Foreign(kind) => {
                Verdict::SharedCache(format!("{kind} not created by skc"))
            }
        }
    }

    fn is_led_to_by(&self, link: &BuildLink) -> bool {
        let runtime = canonical_place(&link.runtime().0);
        let mut own = self.runtimes().into_iter();
        own.any(|own| canonical_place(&own.0) == runtime)
    }

    /// Returns whether a copy was made by one of this skill's builds.
    fn has_built(&self, copy: &Manifest) -> bool {
        if self.is_source(&copy.source) {
            return true;
        }
        let built = self.runtimes().into_iter();
        let mut built = built.filter_map(|runtime| Manifest::read(&runtime.manifest()));
        built.any(|built| built.skill == copy.skill && built.source_hash == copy.source_hash)
    }
}

/// Returns the first store that has a skill's source or a build of it. Without one, returns the first store whose build
/// of the skill is deployed.
fn store_of(stores: &[Store], name: &str, folders: &[AgentFolder]) -> Option<Store> {
    let has_it = |store: &&Store| {
        let (source, runtime) = (store.source(name), store.runtime(name));
        is_there(&sibling(&source, "old")) || is_there(&source) || has_parts(&runtime)
    };
    let is_deployed = |store: &&Store| {
        let runtime = canonical_place(&store.runtime(name).0);
        folders
            .iter()
            .any(|folder| match FolderEntry::read(&folder.dir.join(name)) {
                FolderEntry::Link(Some(link)) => canonical_place(&link.runtime().0) == runtime,
                FolderEntry::Copy(_) => folder.project.as_ref() == Some(&store.root),
                _ => false,
            })
    };
    let found = stores.iter().find(has_it);
    found.or_else(|| stores.iter().find(is_deployed)).cloned()
}

/// Returns the first store that has a log of a skill.
fn logged_store(stores: &[Store], name: &str) -> Option<Store> {
    let has_log = |store: &&Store| is_there(&store.runtime(name).logs());
    stores.iter().find(has_log).cloned()
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns the source of a store's build with this name, if the source is outside the store. For a project, the source
/// must be inside the project, because the manifest may be part of a cloned repository.
fn source_of(store: &Store, name: &str) -> Option<PathBuf> {
    let manifest = Manifest::read(&store.runtime(name).manifest())?;
    let source = PathBuf::from(manifest.source);
    let may =
        store.scope == Scope::Global || canonical(&source).starts_with(canonical(&store.root));
    (may && source.is_absolute() && is_skill(&source)).then_some(source)
}

/// Returns the project whose build with this name is linked in one of the user's agent folders. Links in a project's
/// folders are ignored, because they may come with a repository.
fn linked_store(name: &str, folders: &[AgentFolder]) -> Option<Store> {
    let users = folders.iter().filter(|folder| folder.project.is_none());
    let entries = users.map(|folder| FolderEntry::read(&folder.dir.join(name)));
    let mut links = entries.filter_map(|entry| match entry {
        FolderEntry::Link(Some(link)) if link.name == name => Some(link.root),
        _ => None,
    });
    links.next().map(Store::project)
}

/// Returns a path with its existing parent directories resolved; the last component is not followed.
fn canonical_place(path: &Path) -> PathBuf {
    let found = path.ancestors().skip(1).find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some(real.join(path.strip_prefix(above).ok()?))
    });
    found.unwrap_or_else(|| path.to_path_buf())
}
