//! Writing results to a file (`--output`).

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use skillc_core::contained::leaves_by_link;
use skillc_core::fs::{Readers, Unfinished, plain_permissions};
use skillc_core::layout::{canonical, is_of_another};
use skillc_core::source::hold;
use skillc_core::{Error, Result};

/// Replaces a file's content atomically; a target that is not a regular file, such as a pipe, is written to directly.
///
/// `cwd`: the working directory. `path`: absolute. `sources`: files and skill directories that must not be overwritten.
/// Returns the file that was written: `path` with symlinks resolved.
///
/// # Errors
/// E100 if the target is one of the sources, or if a symlink in the path leads out of the symlink's directory or the
/// working directory, or belongs to another user; E999 if the target cannot be written or is a directory.
pub(crate) fn write_file(
    cwd: &Path,
    path: &Path,
    content: &[u8],
    sources: &[PathBuf],
) -> Result<PathBuf> {
    let fail = |e: io::Error| Error::io("writing", path, &e);
    // Write through a symlink instead of replacing it.
    let target = path.canonicalize().unwrap_or_else(|_| in_real_folder(path));
    check_target(path, &target, sources)?;
    check_link(cwd, path, &target)?;
    check_owner(cwd, path)?;
    match target.metadata() {
        Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() => fs::write(&target, content).map_err(fail)?,
        _ => replace(&target, content).map_err(fail)?,
    }
    Ok(target)
}

/// Rejects an existing file that was an input: `skc lint my-skill --output my-skill/SKILL.md` would destroy the skill.
fn check_target(path: &Path, target: &Path, sources: &[PathBuf]) -> Result<()> {
    let is_source = |source: &PathBuf| {
        let source = canonical(source);
        let below = target.strip_prefix(&source);
        // Hidden files are not part of a skill.
        below.is_ok_and(|below| !below.components().any(is_hidden))
    };
    if !target.is_file() || !sources.iter().any(is_source) {
        return Ok(());
    }
    Err(Error::InvalidOption {
        message: format!(
            "--output would overwrite '{}', an input of this run",
            path.display()
        ),
        hint: Some("Choose a file outside the skill, or a new one.".into()),
    })
}

/// Rejects a symlink that leaves its directory, and a path that leaves the working directory through a symlink.
fn check_link(cwd: &Path, path: &Path, target: &Path) -> Result<()> {
    if !leaves_by_link(cwd, path, target) {
        return Ok(());
    }
    Err(Error::InvalidOption {
        message: format!(
            "--output '{}' is a symlink that leads out of its directory, to '{}'",
            path.strip_prefix(cwd).unwrap_or(path).display(),
            target.display()
        ),
        hint: Some("Pass the link's target, or another file.".into()),
    })
}

/// Rejects a path through another user's symlink: in a world-writable directory, an attacker could point a symlink at
/// any file of the user. See [`is_of_another`] for the owners that are trusted.
fn check_owner(cwd: &Path, path: &Path) -> Result<()> {
    let is_foreign = |part: &&Path| part.is_symlink() && is_of_another(part, cwd);
    let Some(link) = path.ancestors().find(is_foreign) else {
        return Ok(());
    };
    Err(Error::InvalidOption {
        message: format!(
            "--output '{}' goes through '{}', a symlink owned by another user",
            path.display(),
            link.display()
        ),
        hint: Some("Pass a path that does not go through this symlink.".into()),
    })
}

fn is_hidden(part: Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().starts_with(b".")
}

/// Returns the path with its parent directory canonicalized; the last component need not exist.
fn in_real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let joined = folder
        .zip(path.file_name())
        .map(|(folder, name)| folder.join(name));
    joined.unwrap_or_else(|| path.to_path_buf())
}

/// Replaces a file and keeps its permissions.
///
/// `target`: canonical. If a symlink has replaced the parent directory since the checks (a race), replacing fails.
fn replace(target: &Path, content: &[u8]) -> io::Result<()> {
    let dir = hold(target.parent().unwrap_or(target))?;
    let found = target.metadata().ok();
    let permissions = found.as_ref().map(plain_permissions);
    let readers = permissions
        .as_ref()
        .map_or(Readers::Usual, |_| Readers::User);
    let mut file = Unfinished::create(dir, readers)?;
    if let Some(permissions) = permissions {
        file.file().set_permissions(permissions)?;
    }
    file.write_all(content)?;
    file.file().sync_all()?;
    file.replace(target.file_name().unwrap_or_default())
}

#[cfg(all(test, unix))]
mod tests {
    use skillc_core::source::read_start;

    use super::*;

    use std::os::unix::fs::{lchown, symlink};

    /// Only root can create a symlink owned by another user.
    #[test]
    fn a_symlink_of_another_user_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let [cwd, shared] = ["cwd", "shared"].map(|name| root.join(name));
        for folder in [&cwd, &shared] {
            fs::create_dir(folder).unwrap();
        }
        let (file, link) = (shared.join("precious"), shared.join("report"));
        fs::write(&file, "kept").unwrap();
        symlink(&file, &link).unwrap();
        write_file(&cwd, &link, b"mine", &[]).unwrap();
        if lchown(&link, Some(4_711), Some(4_711)).is_err() {
            return;
        }
        let refused = write_file(&cwd, &link, b"lost", &[]).unwrap_err();
        assert!(
            refused
                .message()
                .contains("a symlink owned by another user")
        );
        assert_eq!(read_start(&file, 99).unwrap(), b"mine");
    }
}
