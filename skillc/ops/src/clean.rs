//! `skc clean`: removes builds without a source, dangling links, copies of deleted skills, and unfinished files.
//!
//! Only files that skillc created are removed, never a source. Usage logs are deleted only on request.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::contained::check_project;
use skillc_core::layout::{RuntimeDir, Scope, Store, canonical};
use skillc_core::{Result, Stop};
use skillc_storage::SearchIndex;

use crate::lookup::{FolderNames, Stub, stub_source};
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::remove::{
    AgentFolder, KeptPath, Removal, RemovedKind, RemovedPath, agent_folders, has_parts, is_linked,
    leftovers, names_in,
};
use crate::runtime::entry::FolderEntry;
use crate::runtime::lock::{BuildLock, Wait};
use crate::runtime::record;
use crate::toolkit::Toolkit;

/// Arguments of `skc clean`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CleanRequest {
    /// Also delete usage logs of deleted skills
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub logs: bool,
    /// Show what would be removed, without removing it
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub dry_run: bool,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CleanResponse {
    /// Whether this was a dry run
    pub dry_run: bool,
    /// What was removed, in order
    pub removed: Vec<RemovedPath>,
    /// What was found but kept
    pub kept: Vec<KeptPath>,
}

/// Implements `skc clean`.
pub struct Clean;

impl Operation for Clean {
    const NAME: &'static str = "clean";
    const ABOUT: &'static str =
        "Remove dangling links, unfinished files, and builds without a source";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc clean --dry-run",
            does: "preview",
        },
        Example {
            command: "skc clean",
            does: "clean the project, the user's store and agents' folders",
        },
    ];
    type Request = CleanRequest;
    type Response = CleanResponse;

    fn run(toolkit: &Toolkit, request: CleanRequest, notes: &mut Notes) -> Result<CleanResponse> {
        let is_project = |store: &&Store| store.scope == Scope::Project;
        let projects = toolkit.stores.iter().filter(is_project);
        let projects: Vec<PathBuf> = projects.map(|store| store.root.clone()).collect();
        let folders = agent_folders(toolkit, &projects, Vec::new());
        let mut cleaner = Cleaner {
            toolkit,
            logs: request.logs,
            removal: Removal {
                home: toolkit.context.home.clone(),
                is_dry: request.dry_run,
                ..Removal::default()
            },
            gone: BTreeSet::new(),
            in_folders: FolderNames::default(),
        };
        for store in &toolkit.stores {
            notes.detail(format!("store   {}", store.dir().display()));
            cleaner.clean_store(store)?;
            toolkit.stop.check()?;
        }
        for folder in &folders {
            notes.detail(format!("agents  {}", folder.dir.display()));
            cleaner.clean_folder(folder)?;
            toolkit.stop.check()?;
        }
        if !request.dry_run {
            record::forget_gone(&toolkit.context);
        }
        Ok(CleanResponse {
            dry_run: request.dry_run,
            removed: cleaner.removal.removed,
            kept: cleaner.removal.kept,
        })
    }
}

struct Cleaner<'a> {
    toolkit: &'a Toolkit,
    logs: bool,
    removal: Removal,
    /// Canonical paths of the builds that were removed, or, in a dry run, would be.
    gone: BTreeSet<PathBuf>,
    in_folders: FolderNames,
}

impl Cleaner<'_> {
    fn clean_store(&mut self, store: &Store) -> Result<()> {
        check_project(store)?;
        let wait = Wait::new(self.toolkit);
        if !leftovers(&store.skills()).is_empty() {
            let _lock = BuildLock::acquire(&store.import_lock(), "a skill", wait)?;
            self.removal.clear_leftovers(&store.skills())?;
        }
        self.removal.clear_leftovers(&store.runtimes())?;
        for name in names(&store.runtimes()) {
            let runtime = store.runtime(&name);
            let is_link = is_linked(&runtime);
            if !is_link && !runtime.meta().is_dir() {
                continue;
            }
            let is_orphan = !is_link && is_orphan(store, &name, &runtime);
            if !is_orphan && (is_link || unfinished(&runtime).is_empty()) {
                continue;
            }
            // Check before taking the lock, which would create the lock file.
            let has_parts = has_parts(&runtime) || self.logs;
            let _lock = if self.removal.is_dry || is_orphan && !has_parts {
                None
            } else {
                Some(BuildLock::acquire(&runtime.build_lock(), &name, wait)?)
            };
            // A build may have restored the skill while this command waited for the lock.
            if is_orphan && !self::is_orphan(store, &name, &runtime) {
                continue;
            }
            if is_orphan {
                self.gone.insert(canonical(&runtime.0));
                if has_parts {
                    let context = &self.toolkit.context;
                    self.removal.remove_runtime(context, &runtime, self.logs)?;
                }
            } else {
                for path in unfinished(&runtime) {
                    self.removal.remove(&path, RemovedKind::Leftover)?;
                }
            }
        }
        Ok(())
    }

    fn has_source(&self, name: &str, stub: &Path) -> bool {
        let context = &self.toolkit.context;
        matches!(stub_source(context, name, stub), Stub::Of(_))
    }

    /// Removes links to builds whose sources are gone, and committed copies of skills that the project no longer has.
    fn clean_folder(&mut self, folder: &AgentFolder) -> Result<()> {
        let Some(held) = folder.hold()? else {
            return Ok(());
        };
        let _lock = BuildLock::for_directory(&held, "a skill", Wait::new(self.toolkit))?;
        self.removal.clear_leftovers_in(&held, &folder.dir)?;
        for name in names_in(&held) {
            let name = match name.into_string() {
                Ok(name) if !name.starts_with('.') => name,
                _ => continue,
            };
            let place = folder.dir.join(&name);
            let (entry, id) = FolderEntry::read_in(&held, &place);
            match entry {
                FolderEntry::Link(Some(link)) => {
                    if self.gone.contains(&canonical(&link.runtime().0)) {
                        self.removal
                            .remove_in(&held, &place, id, RemovedKind::Link)?;
                    } else if is_missing(&link.runtime().stub()) {
                        let has_source = !is_missing(&link.source())
                            || self.in_folders.has(&self.toolkit.context, &link.name);
                        if has_source {
                            let why = "its build is missing but its source exists; rebuild it";
                            self.removal.keep(&place, why);
                        } else {
                            self.removal
                                .remove_in(&held, &place, id, RemovedKind::Link)?;
                        }
                    }
                }
                // The skill was built in place, so its source is not in the store: keep the copy.
                FolderEntry::Copy(_) if self.has_source(&name, &place) => {}
                FolderEntry::Copy(copy) => {
                    let project = folder.project.clone().map(Store::project);
                    let store = project.filter(|store| store.skills().is_dir());
                    let source = store.map(|store| store.source(&name));
                    if source.is_none_or(|source| source.symlink_metadata().is_ok()) {
                        continue;
                    }
                    if copy.is_intact {
                        self.removal
                            .remove_in(&held, &place, id, RemovedKind::Copy)?;
                    } else {
                        self.removal.keep(&place, "edited copy of a deleted skill");
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns whether the source of a build is gone: it is neither in the store nor at a path that one of the build's
/// indexes records.
fn is_orphan(store: &Store, name: &str, runtime: &RuntimeDir) -> bool {
    if store.source(name).symlink_metadata().is_ok() {
        return false;
    }
    let mut indexes = names_with_dots(&runtime.meta()).into_iter();
    // Reading must not be cancelled: otherwise the index would seem unreadable, and the build would be removed.
    let never = Stop::default();
    !indexes.any(|file| {
        let is_index = file.starts_with("search-")
            && Path::new(&file).extension().is_some_and(|end| end == "db");
        let index = is_index.then(|| SearchIndex::open(&runtime.meta().join(&file), &never));
        let source = index.and_then(std::result::Result::ok);
        source.is_some_and(|index| Path::new(&index.meta().skill_path).is_dir())
    })
}

/// Returns whether a path does not exist. A path that cannot be checked is not treated as missing.
fn is_missing(path: &Path) -> bool {
    path.try_exists().is_ok_and(|is_there| !is_there)
}

fn unfinished(runtime: &RuntimeDir) -> Vec<PathBuf> {
    let mut found = leftovers(&runtime.0);
    if !runtime.meta().is_symlink() {
        found.extend(leftovers(&runtime.meta()));
    }
    found
}

/// Returns the names of the entries of a directory, except hidden ones, sorted.
fn names(dir: &Path) -> Vec<String> {
    let mut names = names_with_dots(dir);
    names.retain(|name| !name.starts_with('.'));
    names
}

fn names_with_dots(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
