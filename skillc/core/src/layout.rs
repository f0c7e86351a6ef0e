//! The names of skillc's own directories and files, and which of them lies in which.
//!
//! Other modules ask here and join no such names themselves. Only [`project_roots`], [`is_home`] and [`canonical`] look at the disk.
//!
//! Source: RFC-0001 C-DEPLOYMENT, RFC-0004 C-INDEX, RFC-0007 C-RESOLUTION, C-LOGGING, RFC-0009 C-ENV-OVERRIDE,
//! LEDGER D-MANIFEST-PATH, D-PROJECT-ROOT, CATALOG §3.8.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;

/// The file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// The directory that marks a project, and the global one in the home directory.
pub const SKILLC_DIR: &str = ".skillc";

/// What marks the top of a repository.
pub const REPOSITORY_MARKS: [&str; 2] = [".git", ".jj"];

/// The file of what skillc remembers of its own doings.
const STATE_FILE: &str = "state.db";

/// Entries of `.skillc` that make its parent a project. Logs alone do not: they appear wherever an agent works.
const PROJECT_MARKS: [&str; 4] = ["skills", "runtime", "plugins", "config.toml"];

/// What the names of files begin with while they are written.
pub const TEMPORARY: &str = ".skc-tmp-";

/// Whether a skill belongs to a project or to the user.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// In a project's `.skillc`.
    Project,
    /// In the user's `.skillc`.
    Global,
}

impl Scope {
    /// Returns `project` or `global`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// A place that holds sources and builds: a project's `.skillc`, or the global one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// The directory that holds `.skillc`.
    pub root: PathBuf,
    /// Whose it is.
    pub scope: Scope,
}

impl Store {
    /// Returns the global store.
    pub fn global(context: &Context) -> Self {
        Self {
            root: context.home.clone(),
            scope: Scope::Global,
        }
    }

    /// Returns a project's store.
    pub fn project(root: PathBuf) -> Self {
        Self {
            root,
            scope: Scope::Project,
        }
    }

    /// `.skillc` itself.
    pub fn dir(&self) -> PathBuf {
        self.root.join(SKILLC_DIR)
    }

    /// Where the sources of skills are.
    pub fn skills(&self) -> PathBuf {
        self.dir().join("skills")
    }

    /// Where a skill's source is, or would be.
    pub fn source(&self, skill: &str) -> PathBuf {
        self.skills().join(skill)
    }

    /// Where a skill's build is, or would be.
    pub fn runtime(&self, skill: &str) -> RuntimeDir {
        RuntimeDir(self.runtimes().join(skill))
    }

    /// The file whose lock an import holds; not among the sources, which people commit.
    pub fn import_lock(&self) -> PathBuf {
        self.runtimes().join(".import.lock")
    }

    /// The file that keeps what is made on each machine out of version control.
    pub fn ignore_file(&self) -> PathBuf {
        self.dir().join(".gitignore")
    }

    /// Where the builds of skills are.
    pub fn runtimes(&self) -> PathBuf {
        self.dir().join("runtime")
    }

    /// Where it is recorded what builds in projects wrote; of the global store only.
    pub fn builds(&self) -> PathBuf {
        self.dir().join("builds")
    }

    /// Where `--force` puts what it replaces; of the global store only.
    pub fn trash(&self) -> PathBuf {
        self.dir().join("trash")
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.dir().join("config.toml")
    }

    /// What skillc remembers of its own doings; the global one is for all projects.
    pub fn state(&self) -> PathBuf {
        self.dir().join(STATE_FILE)
    }

    /// The directory of the skill registries, of which each is a cache.
    pub fn registries(&self) -> PathBuf {
        self.dir().join("registry")
    }

    /// The skill registry of the list of directories that has this hash.
    ///
    /// # Source
    /// CATALOG §3.8.
    pub fn registry(&self, hash16: &str) -> PathBuf {
        self.registries().join(format!("{hash16}.db"))
    }
}

/// The directory of one built skill: the stub that agents see, and skillc's own files beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDir(pub PathBuf);

impl RuntimeDir {
    /// The compiled `SKILL.md`.
    pub fn stub(&self) -> PathBuf {
        self.0.join(SKILL_FILE)
    }

    /// The directory of skillc's own files.
    pub fn meta(&self) -> PathBuf {
        self.0.join(".skillc-meta")
    }

    /// The manifest that everyone reads.
    pub fn manifest(&self) -> PathBuf {
        self.meta().join("manifest.json")
    }

    /// The manifest at the place RFC-0001 names; equal to the other, and read by nobody here.
    pub fn compatible_manifest(&self) -> PathBuf {
        self.0.join(SKILLC_DIR).join("manifest.json")
    }

    /// The search index of the source directory whose path has this hash.
    pub fn index(&self, hash16: &str) -> PathBuf {
        self.meta().join(format!("search-{hash16}.db"))
    }

    /// The freshness table beside that index.
    pub fn stamps(&self, hash16: &str) -> PathBuf {
        self.meta().join(format!("stamps-{hash16}"))
    }

    /// The access log.
    pub fn logs(&self) -> PathBuf {
        self.meta().join("logs.db")
    }

    /// The file whose lock a build holds.
    pub fn build_lock(&self) -> PathBuf {
        self.meta().join("build.lock")
    }
}

/// Returns the directory that holds the local logs of a working directory, one subdirectory for each skill.
pub fn local_logs(dir: &Path) -> PathBuf {
    dir.join(SKILLC_DIR).join("logs")
}

/// Returns what stands in for a skill's runtime directory while that cannot be written: its log is logged to instead.
///
/// # Source
/// RFC-0007 C-LOGGING (fallback).
pub fn local_runtime(dir: &Path, skill: &str) -> RuntimeDir {
    RuntimeDir(local_logs(dir).join(skill))
}

/// Returns what stands in for the global state file while that cannot be written.
///
/// # Source
/// CATALOG §3.8.
pub fn local_state(dir: &Path) -> PathBuf {
    local_logs(dir).join(STATE_FILE)
}

/// Returns the project roots at or above the working directory, nearest first; neither home directory is one.
///
/// # Source
/// LEDGER D-PROJECT-ROOT.
pub fn project_roots(context: &Context) -> Vec<PathBuf> {
    project_roots_above(context, &context.cwd)
}

/// Returns the project roots at or above a directory, which is absolute, as [`project_roots`] does.
pub fn project_roots_above(context: &Context, dir: &Path) -> Vec<PathBuf> {
    let mut roots = marked_above(context, dir);
    roots.retain(|root| !is_foreign(root, dir));
    roots
}

/// Returns the directories at or above the working directory that would be project roots if they did not belong to another
/// user.
///
/// In a directory that everyone may write to, such as `/tmp`, anyone can make a `.skillc`; its scripts, configuration and
/// skills would count for all that is done below. Git had that hole: CVE-2022-24765.
pub fn foreign_roots(context: &Context) -> Vec<PathBuf> {
    let mut roots = marked_above(context, &context.cwd);
    roots.retain(|root| is_foreign(root, &context.cwd));
    roots
}

fn marked_above(context: &Context, dir: &Path) -> Vec<PathBuf> {
    let is_root = |dir: &&Path| is_marked(&dir.join(SKILLC_DIR)) && !is_home(context, dir);
    dir.ancestors()
        .filter(is_root)
        .map(Path::to_path_buf)
        .collect()
}

/// Says whether the `.skillc` of a directory belongs to someone who has nothing to do with what is below it.
fn is_foreign(root: &Path, below: &Path) -> bool {
    is_of_another(&root.join(SKILLC_DIR), below)
}

/// Says whether a path below a directory, or a directory on the way there, belongs to another user: [`is_of_another`].
pub fn is_by_way_of_another(dir: &Path, path: &Path, below: &Path) -> bool {
    let mut parts = path.ancestors().take_while(|part| part.starts_with(dir));
    parts.any(|part| part != dir && is_of_another(part, below))
}

/// Says whether a file or directory above the user's work belongs to someone who has nothing to do with it: not the user, not
/// root, and not the owner of `below`, where the user has chosen to work. A path that does not exist is not of another.
#[cfg(unix)]
pub fn is_of_another(path: &Path, below: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let trusted = |owner: u32| {
        owner == 0
            || owner == rustix::process::geteuid().as_raw()
            || below.metadata().is_ok_and(|below| below.uid() == owner)
    };
    let Ok(found) = path.symlink_metadata() else {
        return false;
    };
    // A link belongs to who made it, whatever it leads to.
    let end = found.is_symlink().then(|| path.metadata().ok()).flatten();
    !trusted(found.uid()) || end.is_some_and(|end| !trusted(end.uid()))
}

/// Says whether something above the user's work belongs to someone else; that is not known here.
#[cfg(not(unix))]
pub fn is_of_another(_path: &Path, _below: &Path) -> bool {
    false
}

/// Says whether a directory is one of the home directories: the user's, or the one that skillc was told to use.
pub fn is_home(context: &Context, dir: &Path) -> bool {
    is_same_dir(&context.home, dir)
        || context.user_home != context.home && is_same_dir(&context.user_home, dir)
}

/// Returns the canonical path where there is one, else the path itself.
pub fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Says whether two paths lead to one directory.
#[cfg(unix)]
fn is_same_dir(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Says whether two paths lead to one directory.
#[cfg(not(unix))]
fn is_same_dir(one: &Path, other: &Path) -> bool {
    canonical(one) == canonical(other)
}

/// Says whether a file is one that is being written, or was when the program was killed.
pub fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

fn is_marked(dir: &Path) -> bool {
    if !dir.is_dir() {
        return false;
    }
    let is_empty = || {
        let entries = dir.read_dir();
        entries.is_ok_and(|entries| {
            entries
                .flatten()
                .all(|entry| is_temporary(&entry.file_name()))
        })
    };
    PROJECT_MARKS.iter().any(|mark| dir.join(mark).exists()) || is_empty()
}
