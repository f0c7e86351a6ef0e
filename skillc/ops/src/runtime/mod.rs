//! What builds leave behind: where it is, its manifest, what is remembered of it, and the lock that builds hold.

pub(crate) mod entry;
pub(crate) mod lock;
pub(crate) mod manifest;
pub(crate) mod record;

use std::path::{Path, PathBuf};

use skillc_core::layout::{RuntimeDir, Scope, Store, canonical};
use skillc_core::{Error, Result, SkillRef};

/// Returns a skill with the runtime that a build of it goes to; one outside the stores is meant to be built where it is.
///
/// A project's skill gets a runtime in its own project, which becomes one of skillc by that: another project's skill of
/// the name would have the same place among the user's builds.
///
/// A skill that lies outside the project, or is only linked into it, is built for the user. What a repository says of places
/// outside it is not believed, so a stub in a project's runtime could not be followed to such a skill.
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

/// Makes sure that a build does not go into its own source, nor through a link into another's, where its stub would
/// replace the skill.
pub(crate) fn check_apart(at: &SkillRef, runtime: &RuntimeDir) -> Result<()> {
    let real = canonical(&real_place(&runtime.0));
    let what = if real.starts_with(&at.canonical) || at.canonical.starts_with(&real) {
        "the source of the skill is there"
    } else if is_foreign(runtime) {
        "it leads to a skill that no build made"
    } else {
        return Ok(());
    };
    let place = runtime.0.display();
    Err(Error::internal(format!("building into '{place}': {what}")))
}

/// Says whether a runtime directory is one by a link only, and has a `SKILL.md` without anything of ours beside it.
fn is_foreign(runtime: &RuntimeDir) -> bool {
    // The directory, the one of all builds, and `.skillc`.
    let is_linked = runtime.0.ancestors().take(3).any(Path::is_symlink);
    is_linked && runtime.stub().exists() && !runtime.meta().is_dir()
}

/// Returns where an entry is or would be: the directories above it without links, the entry itself not followed.
pub(crate) fn real_place(path: &Path) -> PathBuf {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_path_buf();
    };
    dir.canonicalize()
        .unwrap_or_else(|_| real_place(dir))
        .join(name)
}
