//! Runtime directories: their location, manifest, build record and lock.

pub(crate) mod entry;
pub(crate) mod lock;
pub(crate) mod manifest;
pub(crate) mod record;

use std::path::{Path, PathBuf};

use skillc_core::layout::{RuntimeDir, Scope, Store, canonical};
use skillc_core::{Error, Result, SkillRef};

/// Returns a skill with the runtime directory to which its builds are written. A skill outside the stores is built in
/// place.
///
/// A project's skill is built into its own project, which thereby becomes a skillc project. In the user's `.skillc`,
/// the build would collide with the build of another project's skill of the same name.
///
/// A skill that is outside the project, or is only linked into it, is built for the user. A stub in the project's
/// `.skillc` could not be resolved to such a skill: its path would be recorded in the repository's files, and those
/// files are not trusted to name a path outside the repository.
pub(crate) fn with_runtime(mut at: SkillRef) -> SkillRef {
    if at.store.is_some() {
        return at;
    }
    if let Some(folder) = &at.client_folder
        && at.scope == Scope::Project
        && at.runtime == at.global_runtime
    {
        at.runtime = Store::project(folder.root.clone()).runtime(&at.name);
    }
    let root = at.runtime.0.ancestors().nth(3).map(canonical);
    if !root.is_some_and(|root| at.canonical.starts_with(root)) {
        at.runtime = at.global_runtime.clone();
    }
    at
}

/// Makes sure that a build is written neither into its own source nor, through a symlink, into another skill's source,
/// where its stub would replace the skill.
pub(crate) fn check_apart(at: &SkillRef, runtime: &RuntimeDir) -> Result<()> {
    let real = canonical(&real_place(&runtime.0));
    let what = if real.starts_with(&at.canonical) || at.canonical.starts_with(&real) {
        "the skill's own source is there"
    } else if is_foreign(runtime) {
        "it resolves to a skill that is not a build"
    } else {
        return Ok(());
    };
    let place = runtime.0.display();
    Err(Error::internal(format!("building into '{place}': {what}")))
}

/// Returns whether a runtime directory is reached through a symlink and has a `SKILL.md` that no build made.
fn is_foreign(runtime: &RuntimeDir) -> bool {
    // Check the directory itself, `runtime`, and `.skillc`.
    let is_linked = runtime.0.ancestors().take(3).any(Path::is_symlink);
    is_linked && runtime.stub().exists() && !runtime.meta().is_dir()
}

/// Resolves the symlinks in the directories above an entry, existing or not; the entry itself is not followed.
pub(crate) fn real_place(path: &Path) -> PathBuf {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_path_buf();
    };
    dir.canonicalize()
        .unwrap_or_else(|_| real_place(dir))
        .join(name)
}
