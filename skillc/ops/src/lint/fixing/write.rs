//! Writes the changed files of a skill: all are prepared beside their targets and looked at again before the first is
//! renamed. Whoever wrote to one in the meantime keeps what they wrote.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skillc_core::{Error, RelPath, Result};
use tempfile::{Builder, NamedTempFile};

#[cfg(unix)]
use crate::staged::give;
use crate::staged::{Durability, PREFIX, clear_stale};

/// The new text of a file.
pub(super) struct Change<'a> {
    /// Relative to the skill's root.
    pub(super) path: &'a RelPath,
    /// What was read.
    pub(super) before: &'a str,
    /// What is to be there.
    pub(super) after: &'a str,
}

/// Writes files; permissions and owners stay.
///
/// `root`: the skill's directory, canonical.
///
/// # Errors
/// E999 if a file is not what was read, is not to be written to, or that fails; E012 if it has come to lie out of the skill.
/// Unless a rename fails, no file is changed then.
pub(super) fn write_all(root: &Path, changes: &[Change<'_>], durability: Durability) -> Result<()> {
    let mut ready = Vec::with_capacity(changes.len());
    let mut cleared = BTreeSet::new();
    for change in changes {
        let target = Target::find(root, change)?;
        if cleared.insert(target.dir().to_path_buf()) {
            clear_stale(target.dir());
        }
        ready.push((change, target.stage(change.after, durability)?));
    }
    for (change, (target, _)) in &ready {
        target.check(change)?;
    }
    for (change, (target, staged)) in ready {
        target.check(change)?;
        let fail = |e: tempfile::PersistError| Error::io("writing", &target.shown, &e.error);
        staged.persist(&target.real).map_err(fail)?;
        if durability == Durability::Synced {
            // Some file systems cannot sync a directory; the rename is done all the same.
            File::open(target.dir())
                .and_then(|dir| dir.sync_all())
                .unwrap_or_default();
        }
    }
    Ok(())
}

/// The file that a path leads to.
struct Target {
    /// As the skill has it.
    shown: PathBuf,
    /// Behind all links.
    real: PathBuf,
    metadata: Metadata,
}

impl Target {
    /// Finds a file that may be replaced.
    fn find(root: &Path, change: &Change<'_>) -> Result<Self> {
        let shown = change.path.under(root);
        let fail = |e: io::Error| Error::io("reading", &shown, &e);
        let real = shown.canonicalize().map_err(fail)?;
        if !real.starts_with(root) {
            return Err(Error::path_escapes(change.path.to_string()));
        }
        let metadata = real.metadata().map_err(fail)?;
        if metadata.permissions().readonly() {
            let hint = "Make it writable, or change it where it comes from.";
            return Err(unusable(&shown, "is read-only", hint));
        }
        Ok(Self {
            shown,
            real,
            metadata,
        })
    }

    fn dir(&self) -> &Path {
        self.real.parent().unwrap_or(Path::new("."))
    }

    /// Writes the new text beside the file; it vanishes unless it is persisted.
    fn stage(self, text: &str, durability: Durability) -> Result<(Self, NamedTempFile)> {
        let fail = |e: io::Error| Error::io("writing", &self.shown, &e);
        let made = Builder::new().prefix(PREFIX).tempfile_in(self.dir());
        let mut file = made.map_err(fail)?;
        #[cfg(unix)]
        give(file.as_file(), &self.metadata).map_err(|_| {
            let hint = "Try again as the user that it belongs to.";
            unusable(&self.shown, "belongs to another user or group", hint)
        })?;
        let permissions = self.metadata.permissions();
        file.as_file().set_permissions(permissions).map_err(fail)?;
        file.write_all(text.as_bytes()).map_err(fail)?;
        if durability == Durability::Synced {
            file.as_file().sync_all().map_err(fail)?;
        }
        Ok((self, file))
    }

    /// Makes sure that the file is what was read.
    fn check(&self, change: &Change<'_>) -> Result<()> {
        let now = fs::read(&self.real).map_err(|e| Error::io("reading", &self.shown, &e))?;
        if now == change.before.as_bytes() {
            return Ok(());
        }
        let hint = "Somebody else writes to it. Try again.";
        Err(unusable(&self.shown, "has changed since it was read", hint))
    }
}

/// Says what is wrong with a file, and what to do.
fn unusable(path: &Path, what: &str, hint: &'static str) -> Error {
    Error::Internal {
        message: format!("'{}' {what}", path.display()),
        hint: Some(format!("Nothing of the skill was changed. {hint}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tempfile::TempDir;

    /// A skill's directory with two files, canonical.
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

    /// Both files are as they were, and nothing lies beside them.
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
    fn what_somebody_wrote_in_the_meantime_stays_and_no_other_file_is_written() {
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
    fn a_read_only_file_is_not_replaced_nor_any_other() {
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
    fn permissions_stay() {
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
    fn a_link_stays_one_and_is_followed_only_within_the_skill() {
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
