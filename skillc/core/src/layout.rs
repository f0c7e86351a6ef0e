//! The names and locations of skillc's own directories and files.
//!
//! Other modules use the paths from this module and never construct such paths themselves. The methods of [`Store`] and
//! [`RuntimeDir`] do not access the disk.
//!
//! Design: C-DEPLOYMENT, C-INDEX, C-RESOLUTION@7, C-LOGGING@7, C-ENV-OVERRIDE, D-MANIFEST-PATH, D-PROJECT-ROOT,
//! catalog-files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;

/// The file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// The name of the directory that marks a project. The global directory in the home directory has the same name.
pub const SKILLC_DIR: &str = ".skillc";

/// Entries that mark the root of a repository.
pub const REPOSITORY_MARKS: [&str; 2] = [".git", ".jj"];

/// The file name of the database with skillc's own state.
const STATE_FILE: &str = "state.db";

/// Entries of `.skillc` that make the parent directory a project; an empty `.skillc` does too. Logs alone do not: they
/// can appear in any directory where an agent works, if their usual place is not writable.
const PROJECT_MARKS: [&str; 4] = ["skills", "runtime", "plugins", "config.toml"];

/// The prefix of the names of the temporary files that atomic writes use.
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

/// A directory of sources and builds: a project's `.skillc`, or the global one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// The directory that contains `.skillc`.
    pub root: PathBuf,
    /// Whether the store is a project's or the user's.
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

    /// The directory of skill sources.
    pub fn skills(&self) -> PathBuf {
        self.dir().join("skills")
    }

    /// The source directory of a skill, whether or not it exists.
    pub fn source(&self, skill: &str) -> PathBuf {
        self.skills().join(skill)
    }

    /// The build directory of a skill, whether or not it exists.
    pub fn runtime(&self, skill: &str) -> RuntimeDir {
        RuntimeDir(self.runtimes().join(skill))
    }

    /// The lock file of an import. It is outside the directory of sources, because users commit that directory.
    pub fn import_lock(&self) -> PathBuf {
        self.runtimes().join(".import.lock")
    }

    /// The file that keeps machine-specific files out of version control.
    pub fn ignore_file(&self) -> PathBuf {
        self.dir().join(".gitignore")
    }

    /// The directory of skill builds.
    pub fn runtimes(&self) -> PathBuf {
        self.dir().join("runtime")
    }

    /// The record of the files that builds wrote in projects; only in the global store.
    pub fn builds(&self) -> PathBuf {
        self.dir().join("builds")
    }

    /// The directory to which `--force` moves the files that it replaces; only in the global store.
    pub fn trash(&self) -> PathBuf {
        self.dir().join("trash")
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.dir().join("config.toml")
    }

    /// The database in which skc records its own activity in all projects; only in the global store.
    pub fn state(&self) -> PathBuf {
        self.dir().join(STATE_FILE)
    }

    /// The directory of the skill registries, each of which is a cache.
    pub fn registries(&self) -> PathBuf {
        self.dir().join("registry")
    }

    /// The skill registry for the list of directories with this hash.
    ///
    /// Design: catalog-files.
    pub fn registry(&self, hash16: &str) -> PathBuf {
        self.registries().join(format!("{hash16}.db"))
    }
}

/// The directory of one built skill: the stub that agents see, and skillc's own files next to it.
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

    /// The manifest that skillc reads.
    pub fn manifest(&self) -> PathBuf {
        self.meta().join("manifest.json")
    }

    /// A copy of the manifest at a second path that the specification requires. skillc compares the copy with the
    /// manifest, but takes no data from it.
    pub fn compatible_manifest(&self) -> PathBuf {
        self.0.join(SKILLC_DIR).join("manifest.json")
    }

    /// The search index of the source directory whose path has this hash.
    pub fn index(&self, hash16: &str) -> PathBuf {
        self.meta().join(format!("search-{hash16}.db"))
    }

    /// The freshness table of the index with this hash.
    pub fn stamps(&self, hash16: &str) -> PathBuf {
        self.meta().join(format!("stamps-{hash16}"))
    }

    /// The usage log.
    pub fn logs(&self) -> PathBuf {
        self.meta().join("logs.db")
    }

    /// The lock file of a build.
    pub fn build_lock(&self) -> PathBuf {
        self.meta().join("build.lock")
    }
}

/// Returns the directory with the local logs of a working directory; it has one subdirectory per skill.
pub fn local_logs(dir: &Path) -> PathBuf {
    dir.join(SKILLC_DIR).join("logs")
}

/// Returns the directory for the usage log of a skill whose runtime directory is not writable.
///
/// Design: C-LOGGING@7.
pub fn local_runtime(dir: &Path, skill: &str) -> RuntimeDir {
    RuntimeDir(local_logs(dir).join(skill))
}

/// Returns the local state file, which is used if the global state file is not writable.
///
/// Design: catalog-files.
pub fn local_state(dir: &Path) -> PathBuf {
    local_logs(dir).join(STATE_FILE)
}

/// Returns the project roots at or above the working directory, nearest first; the home directories are excluded.
///
/// Design: D-PROJECT-ROOT.
pub fn project_roots(context: &Context) -> Vec<PathBuf> {
    project_roots_above(context, &context.cwd)
}

/// Returns the project roots at or above an absolute directory, as [`project_roots`] does.
pub fn project_roots_above(context: &Context, dir: &Path) -> Vec<PathBuf> {
    let mut roots = marked_above(context, dir);
    roots.retain(|root| !is_foreign(root, dir));
    roots
}

/// Returns the directories at or above the working directory that would be project roots if their `.skillc` did not
/// belong to another user.
///
/// In a world-writable directory such as `/tmp`, anyone can create a `.skillc`; its scripts, configuration and skills
/// would apply to everything below. Git had the same vulnerability: CVE-2022-24765.
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

/// Returns whether a directory's `.skillc` belongs to an unrelated user: see [`is_of_another`].
fn is_foreign(root: &Path, below: &Path) -> bool {
    is_of_another(&root.join(SKILLC_DIR), below)
}

/// Returns whether a path below `dir`, or a directory between the two, belongs to an unrelated user: see
/// [`is_of_another`].
pub fn is_by_way_of_another(dir: &Path, path: &Path, below: &Path) -> bool {
    let mut parts = path.ancestors().take_while(|part| part.starts_with(dir));
    parts.any(|part| part != dir && is_of_another(part, below))
}

/// Returns whether a file or directory belongs to an unrelated user: neither the current user, nor root, nor the owner
/// of `below`, the directory where the user has chosen to work. Returns `false` if the path does not exist.
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
    // Check the owners of the symlink and of its target: each of them controls what is read.
    let end = found.is_symlink().then(|| path.metadata().ok()).flatten();
    !trusted(found.uid()) || end.is_some_and(|end| !trusted(end.uid()))
}

/// Always `false`: ownership is not available on this platform.
#[cfg(not(unix))]
pub fn is_of_another(_path: &Path, _below: &Path) -> bool {
    false
}

/// Returns whether a directory is a home directory: the user's, or the one set by `SKILLC_HOME`.
pub fn is_home(context: &Context, dir: &Path) -> bool {
    is_same_dir(&context.home, dir)
        || context.user_home != context.home && is_same_dir(&context.user_home, dir)
}

/// Returns the canonical path, or the path itself if it cannot be resolved.
pub fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Returns whether two paths lead to the same directory.
#[cfg(unix)]
fn is_same_dir(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Returns whether two paths lead to the same directory.
#[cfg(not(unix))]
fn is_same_dir(one: &Path, other: &Path) -> bool {
    canonical(one) == canonical(other)
}

/// Returns whether a name belongs to a temporary file, either in use or left behind by a killed process.
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
    let has_mark = || PROJECT_MARKS.iter().any(|mark| dir.join(mark).exists());
    // Between the first two checks, another process may create the first entry of `.skillc`. Without the third check,
    // the directory would then not count as a project, and an edit of the configuration would change the user's file.
    has_mark() || is_empty() || has_mark()
}
