//! Writes the changed files of a skill. The new files are staged next to their targets, and every target is read again
//! before the first rename, so that concurrent edits are not overwritten.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use skillc_core::fs::{Readers, Unfinished, plain_permissions};
use skillc_core::source::{Located, has_links, hold, locate, open_real};
use skillc_core::{Error, RelPath, Result};

#[cfg(unix)]
use crate::staged::give;
use crate::staged::{Durability, clear_stale, sync};

/// The old and the new text of a file.
pub(super) struct Change<'a> {
    /// Relative to the skill's root.
    pub(super) path: &'a RelPath,
    /// The old text.
    pub(super) before: &'a str,
    /// The text to write.
    pub(super) after: &'a str,
}

/// Writes files; permissions and ownership are preserved.
///
/// `root`: the canonical path of the skill's directory.
///
/// # Errors
/// E999 if a file has changed since it was read, is not writable or cannot be written; E012 if it is now outside the
/// skill. In each case no file is changed, unless the last check or the rename of one file fails after other files have
/// been renamed.
pub(super) fn write_all(root: &Path, changes: &[Change<'_>], durability: Durability) -> Result<()> {
    let mut ready = Vec::with_capacity(changes.len());
    let mut cleared = BTreeSet::new();
    for change in changes {
        let target = Target::find(root, change)?;
        if let Some(dir) = target.real.parent()
            && cleared.insert(dir.to_path_buf())
        {
            clear_stale(&target.dir);
        }
        ready.push((change, target.stage(change.after, durability)?));
    }
    for (change, staged) in &ready {
        staged.target.check(change)?;
    }
    for (change, staged) in ready {
        staged.target.check(change)?;
        staged.put(durability)?;
    }
    Ok(())
}

/// The file that a path resolves to. Its directory is held open: if the directory is replaced in the meantime (a race),
/// nothing is written to the replacement.
struct Target {
    /// The path with its symlinks, for messages.
    shown: PathBuf,
    /// The path with all symlinks resolved.
    real: PathBuf,
    dir: Dir,
    metadata: Metadata,
}

/// The target file, and the temporary file next to it with the new text.
struct Staged {
    target: Target,
    new: Unfinished,
}

impl Target {
    /// Finds the file that a change replaces. Fails if the file must not be replaced.
    fn find(root: &Path, change: &Change<'_>) -> Result<Self> {
        let shown = change.path.under(root);
        let fail = |e: io::Error| {
            if has_links(&e) {
                Error::path_escapes(change.path.to_string())
            } else {
                Error::io("reading", &shown, &e)
            }
        };
        let real = match locate(root, change.path) {
            Located::Inside(real) => real,
            Located::Outside => return Err(Error::path_escapes(change.path.to_string())),
            Located::Missing => return Err(fail(io::ErrorKind::NotFound.into())),
        };
        let (_, metadata) = open_file(&real).map_err(fail)?;
        let dir = hold(real.parent().unwrap_or(root)).map_err(fail)?;
        if metadata.permissions().readonly() {
            let hint = "Make the file writable. If the file is a copy, fix the original instead.";
            return Err(unusable(&shown, "is read-only", hint));
        }
        Ok(Self {
            shown,
            real,
            dir,
            metadata,
        })
    }

    /// Writes the new text to a staged file.
    fn stage(self, text: &str, durability: Durability) -> Result<Staged> {
        let fail = |e: io::Error| Error::io("writing", &self.shown, &e);
        let dir = self.dir.try_clone().map_err(fail)?;
        let mut new = Unfinished::create(dir, Readers::User).map_err(fail)?;
        #[cfg(unix)]
        give(new.file(), &self.metadata).map_err(|_| {
            let hint = "Try again as the file's owner.";
            unusable(&self.shown, "belongs to another user or group", hint)
        })?;
        let permissions = plain_permissions(&self.metadata);
        new.file().set_permissions(permissions).map_err(fail)?;
        new.write_all(text.as_bytes()).map_err(fail)?;
        if durability == Durability::Synced {
            new.file().sync_all().map_err(fail)?;
        }
        Ok(Staged { target: self, new })
    }

    /// Makes sure that the file still has the text that was read.
    fn check(&self, change: &Change<'_>) -> Result<()> {
        let mut now = Vec::new();
        let read = open_file(&self.real).and_then(|(file, _)| {
            let most = change.before.len() as u64 + 1;
            file.take(most).read_to_end(&mut now)
        });
        read.map_err(|e| Error::io("reading", &self.shown, &e))?;
        if now == change.before.as_bytes() {
            return Ok(());
        }
        let hint = "Another program is writing to the file. Try again.";
        Err(unusable(&self.shown, "has changed since it was read", hint))
    }
}

impl Staged {
    /// Renames the new file over the target.
    fn put(self, durability: Durability) -> Result<()> {
        let Self { target, new } = self;
        let put = new.replace(target.real.file_name().unwrap_or_default());
        put.map_err(|e| Error::io("writing", &target.shown, &e))?;
        if durability == Durability::Synced {
            sync(&target.dir);
        }
        Ok(())
    }
}

/// Opens a file. Fails if a component of the path is a symlink.
fn open_file(path: &Path) -> io::Result<(File, Metadata)> {
    open_real(path)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Creates the error for a file that cannot be replaced.
fn unusable(path: &Path, what: &str, hint: &'static str) -> Error {
    Error::Internal {
        message: format!("'{}' {what}", path.display()),
        hint: Some(format!("The skill was not changed. {hint}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use tempfile::TempDir;

    /// Creates a skill with two files. Returns the canonical path of its directory.
    fn skill() -> (TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::write(root.join("a.md"), "a").unwrap();
        fs::write(root.join("b.md"), "b").unwrap();
        (dir, root)
    }

    fn write(root: &Path, files: &[(&str, &str, &str)]) -> Result<()> {
        let paths: Vec<RelPath> = files
            .iter()
            .map(|(path, ..)| RelPath::parse(path).unwrap())
            .collect();
        let changes = paths
            .iter()
            .zip(files)
            .map(|(path, (_, before, after))| Change {
                path,
                before,
                after,
            });
        write_all(root, &changes.collect::<Vec<_>>(), Durability::Unsynced)
    }

    fn texts(root: &Path) -> [String; 2] {
        ["a.md", "b.md"].map(|name| fs::read_to_string(root.join(name)).unwrap())
    }

    /// Asserts that both files are unchanged, and that the directory has `found` entries.
    #[track_caller]
    fn is_untouched(root: &Path, found: usize) {
        assert_eq!(texts(root), ["a", "b"]);
        assert_eq!(root.read_dir().unwrap().count(), found);
    }

    #[test]
    fn files_are_replaced() {
        let (_dir, root) = skill();
        write(&root, &[("a.md", "a", "A"), ("b.md", "b", "B")]).unwrap();
        assert_eq!(texts(&root), ["A", "B"]);
        assert_eq!(root.read_dir().unwrap().count(), 2);
    }

    #[test]
    fn concurrent_edits_are_kept_and_no_other_file_is_written() {
        let (_dir, root) = skill();
        let error = write(&root, &[("a.md", "a", "A"), ("b.md", "old", "B")]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("b.md' has changed since it was read"),
            "{error}"
        );
        is_untouched(&root, 2);
    }

    #[test]
    fn with_a_read_only_file_nothing_is_replaced() {
        let (_dir, root) = skill();
        let mut permissions = root.join("b.md").metadata().unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(root.join("b.md"), permissions).unwrap();
        let error = write(&root, &[("a.md", "a", "A"), ("b.md", "b", "B")]).unwrap_err();
        assert!(error.to_string().contains("b.md' is read-only"), "{error}");
        is_untouched(&root, 2);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_preserved() {
        use std::os::unix::fs::PermissionsExt;

        let (_dir, root) = skill();
        for mode in [0o640, 0o755] {
            fs::set_permissions(root.join("a.md"), fs::Permissions::from_mode(mode)).unwrap();
            let before = fs::read_to_string(root.join("a.md")).unwrap();
            write(&root, &[("a.md", &before, &format!("{mode:o}"))]).unwrap();
            assert_eq!(texts(&root)[0], format!("{mode:o}"));
            let now = root.join("a.md").metadata().unwrap().permissions().mode();
            assert_eq!(now & 0o777, mode);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_is_preserved_and_followed_only_within_the_skill() {
        use std::os::unix::fs::symlink;

        let (_dir, root) = skill();
        symlink("a.md", root.join("inside.md")).unwrap();
        write(&root, &[("inside.md", "a", "A")]).unwrap();
        assert_eq!(texts(&root)[0], "A");
        assert!(root.join("inside.md").is_symlink());
        fs::write(root.join("a.md"), "a").unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("c.md"), "c").unwrap();
        symlink(elsewhere.path().join("c.md"), root.join("out.md")).unwrap();
        assert!(write(&root, &[("a.md", "a", "A"), ("out.md", "c", "C")]).is_err());
        assert_eq!(
            fs::read_to_string(elsewhere.path().join("c.md")).unwrap(),
            "c"
        );
        is_untouched(&root, 4);
    }
}
