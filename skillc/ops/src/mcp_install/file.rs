//! A client's configuration file: read completely, replaced atomically, with a backup next to it.
//!
//! A symlink is followed and preserved, unless it leads out of a project. A file that is too large, not text or not
//! regular is refused before anything is written. Clients can write to their files at any time: a file that changed
//! since it was read is not replaced.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use skillc_core::fs::{Readers, Unfinished, hold_or_create, plain_permissions, real_dir};
use skillc_core::source::open;
use skillc_core::{Error, Result};

use crate::mcp_install::backup::Backup;
#[cfg(unix)]
use crate::staged::give;
use crate::staged::{Durability, clear_stale};

/// The size limit of an edited file. It is large because some clients store their history in the same file.
pub(crate) const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A client's file that has been read.
#[derive(Debug)]
pub(crate) struct ClientFile {
    /// The path that the client uses.
    pub path: PathBuf,
    /// Its text; `None` if there is no file.
    pub text: Option<String>,
    /// The file itself: `path`, resolved if it is a symlink.
    real: PathBuf,
    /// The directory of `real`, with the symlinks of its existing part resolved. Everything is written through a handle
    /// to this directory. If a symlink has replaced the directory since the file was read (a race), writing fails.
    dir: PathBuf,
    metadata: Option<Metadata>,
}

/// The result of replacing a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// The file was replaced. Contains the path of the backup; `None` if the file is new.
    Done(Option<PathBuf>),
    /// The file has changed since it was read, and was not replaced.
    Outdated,
}

impl ClientFile {
    /// Reads a file.
    ///
    /// # Errors
    /// E999 if it cannot be read, is a dangling symlink, not a regular file, larger than [`MAX_BYTES`] or not UTF-8.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Self::missing(path),
            Err(error) => return Err(Error::io("reading", path, &error)),
        };
        let real = if found.is_symlink() {
            real_path(path)?
        } else {
            path.to_path_buf()
        };
        let (text, metadata) = content(path, &real)?;
        Ok(Self {
            path: path.to_path_buf(),
            text: Some(text),
            dir: dir_of(&real)?,
            real,
            metadata: Some(metadata),
        })
    }

    /// Reads a file of a project, which is untrusted: symlinks that lead out of the project are refused.
    ///
    /// # Errors
    /// The same as for [`ClientFile::read`], and E999 if a symlink leads out of `root`.
    pub(crate) fn read_in_project(root: &Path, path: &Path) -> Result<Self> {
        let real_root = real_path(root)?;
        let is_there = |path: &&Path| path.symlink_metadata().is_ok();
        let nearest = path.ancestors().find(is_there).unwrap_or(root);
        if real_path(nearest)?.starts_with(&real_root) {
            let file = Self::read(path)?;
            // Check again: a symlink may have appeared on the path in the meantime.
            if file.dir.starts_with(&real_root) {
                return Ok(file);
            }
        }
        let hint = "Remove the link, or add the entry manually.";
        Err(unusable(
            path,
            "is a symlink that leads out of the project",
            hint,
        ))
    }

    fn missing(path: &Path) -> Result<Self> {
        Ok(Self {
            path: path.to_path_buf(),
            text: None,
            real: path.to_path_buf(),
            dir: dir_of(path)?,
            metadata: None,
        })
    }

    /// Returns the path of the file; if the client's path is a symlink, the path that it resolves to.
    pub(crate) fn real(&self) -> &Path {
        &self.real
    }

    /// Replaces the content, unless the file has changed since it was read. The old content is kept as a backup.
    ///
    /// # Errors
    /// E999 if the file is not writable or writing fails; it is then unchanged.
    pub(crate) fn write(&self, text: &str, durability: Durability) -> Result<Written> {
        let staged = self.prepared(text, durability)?;
        let former = self.text.as_ref();
        let backup = former.map(|former| Backup::create(self, former, durability));
        let backup = backup.transpose()?;
        match (self.put(staged), backup) {
            (Ok(true), backup) => Ok(Written::Done(backup.map(|backup| {
                backup.clear_old(&self.real);
                backup.path
            }))),
            (failed, backup) => {
                backup.map(Backup::discard).unwrap_or_default();
                failed.map(|_| Written::Outdated)
            }
        }
    }

    /// Like [`write`](Self::write), but without a backup. Returns whether the file was replaced.
    ///
    /// # Errors
    /// The same as for [`write`](Self::write).
    pub(crate) fn replace(&self, text: &str, durability: Durability) -> Result<bool> {
        self.put(self.prepared(text, durability)?)
    }

    /// Writes the new content to a temporary file next to this file.
    fn prepared(&self, text: &str, durability: Durability) -> Result<Unfinished> {
        let permissions = self.metadata.as_ref().map(Metadata::permissions);
        if permissions.as_ref().is_some_and(Permissions::readonly) {
            let hint =
                "Make the file writable. If the file is a copy, change the original instead.";
            return Err(unusable(&self.path, "is read-only", hint));
        }
        clear_stale(&self.held()?);
        self.staged(text, durability)
    }

    /// Renames the temporary file over this file, unless this file has changed since it was read.
    fn put(&self, staged: Unfinished) -> Result<bool> {
        if !self.is_same(&Self::read(&self.path)?) {
            return Ok(false);
        }
        let name = self.real.file_name().unwrap_or_default();
        let done = match self.text {
            Some(_) => staged.replace(name),
            None => staged.put_new(name).map_err(|(error, _)| error),
        };
        match done {
            Ok(()) => Ok(true),
            Err(e) if self.text.is_none() && e.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(Error::io("writing", &self.path, &e)),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let ids = [self, other].map(|file| file.metadata.as_ref().map(id));
        self.text == other.text && self.real == other.real && ids[0] == ids[1]
    }

    /// Opens the directory of the file, and creates it if it is missing.
    fn held(&self) -> Result<Dir> {
        let fail = |e: io::Error| Error::io("opening", &self.dir, &e);
        hold_or_create(&self.dir).map_err(fail)
    }

    /// Writes a temporary file with the owner and permissions of the original. The temporary file is deleted unless it
    /// is renamed over the original, and is never readable by more users than the original.
    ///
    /// # Errors
    /// E999 if it cannot be written, or cannot be given the same owner.
    pub(crate) fn staged(&self, text: &str, durability: Durability) -> Result<Unfinished> {
        let fail = |e: io::Error| Error::io("writing", &self.path, &e);
        let mut file = self.unfinished()?;
        self.make_alike(file.file())?;
        file.write_all(text.as_bytes()).map_err(fail)?;
        if durability == Durability::Synced {
            file.file().sync_all().map_err(fail)?;
        }
        Ok(file)
    }

    /// Creates an empty temporary file. If the original exists, only the current user can read the temporary file.
    fn unfinished(&self) -> Result<Unfinished> {
        let readers = match self.metadata {
            Some(_) => Readers::User,
            None => Readers::Usual,
        };
        let made = Unfinished::create(self.held()?, readers);
        made.map_err(|e| Error::io("writing", &self.path, &e))
    }

    /// Copies the owner and permissions of this file to another file.
    ///
    /// # Errors
    /// E999 if the system does not allow it.
    pub(crate) fn make_alike(&self, other: &File) -> Result<()> {
        let Some(metadata) = &self.metadata else {
            return Ok(());
        };
        #[cfg(unix)]
        give(other, metadata).map_err(|_| {
            let hint = "Try again as the file's owner.";
            unusable(&self.path, "belongs to another user or group", hint)
        })?;
        let done = other.set_permissions(plain_permissions(metadata));
        done.map_err(|e| Error::io("writing", &self.path, &e))
    }
}

/// Returns the directory of a file, with the symlinks of its existing part resolved.
fn dir_of(real: &Path) -> Result<PathBuf> {
    let dir = real.parent().unwrap_or(Path::new("."));
    real_dir(dir).map_err(|e| Error::io("opening", dir, &e))
}

/// Resolves the symlinks of a path.
fn real_path(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            let hint = "Fix or remove the link.";
            unusable(path, "is a dangling symlink", hint)
        } else {
            Error::io("reading", path, &error)
        }
    })
}

/// Reads the text and metadata of a file; `path` is its name in messages.
fn content(path: &Path, real: &Path) -> Result<(String, Metadata)> {
    let fail = |e: io::Error| Error::io("reading", path, &e);
    let Some((file, metadata)) = open(real).map_err(fail)? else {
        real.metadata().map_err(fail)?;
        return Err(unusable(path, "is not a file", "Move it away."));
    };
    let mut bytes = Vec::new();
    let done = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if u64::try_from(done.map_err(fail)?).is_ok_and(|length| length > MAX_BYTES) {
        let hint = "Add the entry manually.";
        return Err(unusable(path, "is larger than 4 MiB", hint));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let hint = "Save it as UTF-8 and try again.";
        unusable(path, "is not UTF-8 text", hint)
    })?;
    Ok((text, metadata))
}

/// Returns the identity of a file, which distinguishes it from another file with the same name and content.
#[cfg(unix)]
fn id(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
const fn id(_: &Metadata) {}

/// Creates an error with a hint.
pub(crate) fn unusable(path: &Path, what: &str, hint: &'static str) -> Error {
    Error::Internal {
        message: format!("'{}' {what}", path.display()),
        hint: Some(format!("Nothing was changed. {hint}").into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use tempfile::TempDir;

    use super::*;

    /// Creates a file in a temporary directory, and reads it.
    fn read(text: &str) -> (TempDir, ClientFile) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(&path, text).unwrap();
        let file = ClientFile::read(&path).unwrap();
        (dir, file)
    }

    #[track_caller]
    fn is_unchanged(dir: &TempDir, file: &ClientFile, text: &str) {
        let written = file.write("ours", Durability::Unsynced).unwrap();
        assert_eq!(written, Written::Outdated);
        assert_eq!(fs::read_to_string(&file.path).unwrap(), text);
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn writes_of_the_client_after_reading_are_kept() {
        let (dir, file) = read("a");
        fs::write(&file.path, "b").unwrap();
        is_unchanged(&dir, &file, "b");
    }

    #[test]
    fn a_file_created_by_the_client_meanwhile_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let file = ClientFile::read(&dir.path().join("mcp.json")).unwrap();
        fs::write(&file.path, "b").unwrap();
        is_unchanged(&dir, &file, "b");
    }

    #[cfg(unix)]
    #[test]
    fn another_file_with_the_same_text_is_kept() {
        let (dir, file) = read("a");
        let other = dir.path().join("other");
        fs::write(&other, "a").unwrap();
        fs::rename(&other, &file.path).unwrap();
        is_unchanged(&dir, &file, "a");
    }

    #[test]
    fn the_file_is_checked_after_everything_is_prepared() {
        let (_dir, file) = read("a");
        let staged = file.staged("ours", Durability::Unsynced).unwrap();
        fs::write(&file.path, "b").unwrap();
        assert!(!file.put(staged).unwrap());
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "b");
    }

    #[cfg(unix)]
    #[test]
    fn a_temporary_file_is_never_readable_by_others() {
        use std::os::unix::fs::PermissionsExt;

        let (_dir, file) = read("a");
        let unfinished = file.unfinished().unwrap();
        let mode = unfinished.file().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn leftovers_of_a_killed_process_are_removed_after_an_hour() {
        let (dir, file) = read("a");
        let at = |name: &str| dir.path().join(name);
        for (name, minutes) in [(".skc-tmp-old", 61), (".skc-tmp-new", 1), ("other", 61)] {
            let left = File::create(at(name)).unwrap();
            let made = file.metadata.as_ref().unwrap().modified().unwrap();
            let made: SystemTime = made - Duration::from_secs(60 * minutes);
            left.set_modified(made).unwrap();
        }
        file.write("ours", Durability::Unsynced).unwrap();
        assert!(!at(".skc-tmp-old").exists());
        assert!(at(".skc-tmp-new").exists() && at("other").exists());
    }
}
