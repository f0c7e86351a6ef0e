//! A client's file: read whole or not at all, replaced at once, with what it was kept beside it.
//!
//! A link is followed and stays, but none leads out of a project. What is too large, no text or no file is refused before
//! anything is written. Clients write to their files whenever they like: a file that is no longer what was read is not
//! replaced.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use skillc_core::source::open;
use skillc_core::{Error, Result};
use tempfile::{Builder, NamedTempFile};

use crate::setup::backup::Backup;
#[cfg(unix)]
use crate::staged::give;
use crate::staged::{Durability, PREFIX, clear_stale_at, new_file};

/// The largest file that is edited: clients keep histories in theirs.
pub(crate) const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A file as it was found.
#[derive(Debug)]
pub(crate) struct ClientFile {
    /// The path that the client reads.
    pub path: PathBuf,
    /// Its text; `None` if there is no file.
    pub text: Option<String>,
    /// The file itself, where `path` is a link.
    real: PathBuf,
    metadata: Option<Metadata>,
}

/// What became of a file that was to be replaced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// It was; where its former content is, unless it is new.
    Done(Option<PathBuf>),
    /// It is no longer what was read, and was left alone.
    Outdated,
}

impl ClientFile {
    /// Reads a file.
    ///
    /// # Errors
    /// E999 if it cannot be read, leads nowhere, is no file, is larger than [`MAX_BYTES`] or not UTF-8.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::missing(path)),
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
            real,
            metadata: Some(metadata),
        })
    }

    /// Reads a file of a project, which may come from anybody: what is elsewhere is none of its files.
    ///
    /// # Errors
    /// As [`ClientFile::read`], and E999 if links lead out of `root`.
    pub(crate) fn read_in_project(root: &Path, path: &Path) -> Result<Self> {
        let real_root = real_path(root)?;
        let is_there = |path: &&Path| path.symlink_metadata().is_ok();
        let nearest = path.ancestors().find(is_there).unwrap_or(root);
        if real_path(nearest)?.starts_with(real_root) {
            return Self::read(path);
        }
        let hint = "Remove the link, or add the entry by hand.";
        Err(unusable(path, "leads out of the project", hint))
    }

    fn missing(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            text: None,
            real: path.to_path_buf(),
            metadata: None,
        }
    }

    /// Returns the file itself, where its path is a link.
    pub(crate) fn real(&self) -> &Path {
        &self.real
    }

    /// Replaces the content, unless somebody else did. What was there is kept beside the file.
    ///
    /// # Errors
    /// E999 if the file is not to be written to, or that fails; it is then as it was.
    pub(crate) fn write(&self, text: &str, durability: Durability) -> Result<Written> {
        let staged = self.prepared(text, durability)?;
        let former = self.text.as_ref();
        let backup = former.map(|former| Backup::of(self, former, durability));
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

    /// As [`write`](Self::write), but what was there is not kept. Returns: whether it was replaced.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn replace(&self, text: &str, durability: Durability) -> Result<bool> {
        self.put(self.prepared(text, durability)?)
    }

    /// Writes a finished file beside this one, which may be replaced.
    fn prepared(&self, text: &str, durability: Durability) -> Result<NamedTempFile> {
        let permissions = self.metadata.as_ref().map(Metadata::permissions);
        if permissions.as_ref().is_some_and(Permissions::readonly) {
            let hint = "Make it writable, or change it where it comes from.";
            return Err(unusable(&self.path, "is read-only", hint));
        }
        let dir = self.dir();
        fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
        clear_stale_at(dir);
        self.staged(text, durability)
    }

    /// Puts a finished file in the place of this one; not if that is no longer what was read.
    fn put(&self, staged: NamedTempFile) -> Result<bool> {
        if !self.is_same(&Self::read(&self.path)?) {
            return Ok(false);
        }
        let done = match self.text {
            Some(_) => staged.persist(&self.real),
            None => staged.persist_noclobber(&self.real),
        };
        match done {
            Ok(_) => Ok(true),
            Err(e) if self.text.is_none() && e.error.kind() == ErrorKind::AlreadyExists => {
                Ok(false)
            }
            Err(e) => Err(Error::io("writing", &self.path, &e.error)),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let ids = [self, other].map(|file| file.metadata.as_ref().map(id));
        self.text == other.text && self.real == other.real && ids[0] == ids[1]
    }

    fn dir(&self) -> &Path {
        self.real.parent().unwrap_or(Path::new("."))
    }

    /// Writes a file that vanishes unless it is persisted, with the owner and the permissions of the one that is there.
    /// At no moment can more people read it.
    ///
    /// # Errors
    /// E999 if it cannot be written, or cannot belong to whom it has to.
    pub(crate) fn staged(&self, text: &str, durability: Durability) -> Result<NamedTempFile> {
        let fail = |e: io::Error| Error::io("writing", &self.path, &e);
        let mut file = self.unfinished().map_err(fail)?;
        self.make_alike(file.as_file())?;
        file.write_all(text.as_bytes()).map_err(fail)?;
        if durability == Durability::Synced {
            file.as_file().sync_all().map_err(fail)?;
        }
        Ok(file)
    }

    /// Makes an empty file that vanishes; where one is there, only this user can open it.
    fn unfinished(&self) -> io::Result<NamedTempFile> {
        match self.metadata {
            Some(_) => Builder::new().prefix(PREFIX).tempfile_in(self.dir()),
            None => new_file(self.dir()),
        }
    }

    /// Gives another file the owner and the permissions of this one.
    ///
    /// # Errors
    /// E999 if that is not allowed.
    pub(crate) fn make_alike(&self, other: &File) -> Result<()> {
        let Some(metadata) = &self.metadata else {
            return Ok(());
        };
        #[cfg(unix)]
        give(other, metadata).map_err(|_| {
            let hint = "Try again as the user that it belongs to.";
            unusable(&self.path, "belongs to another user or group", hint)
        })?;
        let done = other.set_permissions(metadata.permissions());
        done.map_err(|e| Error::io("writing", &self.path, &e))
    }
}

/// Returns what a path leads to.
fn real_path(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            let hint = "Mend or remove the link.";
            unusable(path, "is a link that leads nowhere", hint)
        } else {
            Error::io("reading", path, &error)
        }
    })
}

/// Reads the text of a file and what else is known of it; `path` is what it is called.
fn content(path: &Path, real: &Path) -> Result<(String, Metadata)> {
    let fail = |e: io::Error| Error::io("reading", path, &e);
    let Some((file, metadata)) = open(real).map_err(fail)? else {
        real.metadata().map_err(fail)?;
        return Err(unusable(path, "is not a file", "Move it away."));
    };
    let mut bytes = Vec::new();
    let done = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if u64::try_from(done.map_err(fail)?).is_ok_and(|length| length > MAX_BYTES) {
        let hint = "Add the entry by hand.";
        return Err(unusable(path, "is larger than 4 MiB", hint));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let hint = "Save it as UTF-8, and try again.";
        unusable(path, "is not UTF-8 text", hint)
    })?;
    Ok((text, metadata))
}

/// Returns what tells a file from another one with its name and content.
#[cfg(unix)]
fn id(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
const fn id(_: &Metadata) {}

/// Says what is wrong with a file, and what to do.
pub(crate) fn unusable(path: &Path, what: &str, hint: &'static str) -> Error {
    Error::Internal {
        message: format!("'{}' {what}", path.display()),
        hint: Some(format!("Nothing was changed. {hint}").into()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use tempfile::TempDir;

    use super::*;

    /// A directory with the file, and the file as it was read.
    fn read(text: &str) -> (TempDir, ClientFile) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mcp.json");
        fs::write(&path, text).unwrap();
        let file = ClientFile::read(&path).unwrap();
        (dir, file)
    }

    #[track_caller]
    fn is_left_alone(dir: &TempDir, file: &ClientFile, text: &str) {
        let written = file.write("ours", Durability::Unsynced).unwrap();
        assert_eq!(written, Written::Outdated);
        assert_eq!(fs::read_to_string(&file.path).unwrap(), text);
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn what_the_client_wrote_after_the_file_was_read_stays() {
        let (dir, file) = read("a");
        fs::write(&file.path, "b").unwrap();
        is_left_alone(&dir, &file, "b");
    }

    #[test]
    fn a_file_that_the_client_made_after_none_was_found_stays() {
        let dir = tempfile::tempdir().unwrap();
        let file = ClientFile::read(&dir.path().join("mcp.json")).unwrap();
        fs::write(&file.path, "b").unwrap();
        is_left_alone(&dir, &file, "b");
    }

    #[cfg(unix)]
    #[test]
    fn another_file_with_the_same_text_stays() {
        let (dir, file) = read("a");
        let other = dir.path().join("other");
        fs::write(&other, "a").unwrap();
        fs::rename(&other, &file.path).unwrap();
        is_left_alone(&dir, &file, "a");
    }

    #[test]
    fn the_file_is_looked_at_after_everything_is_prepared() {
        let (_dir, file) = read("a");
        let staged = file.staged("ours", Durability::Unsynced).unwrap();
        fs::write(&file.path, "b").unwrap();
        assert!(!file.put(staged).unwrap());
        assert_eq!(fs::read_to_string(&file.path).unwrap(), "b");
    }

    #[cfg(unix)]
    #[test]
    fn an_unfinished_file_is_never_open_to_others() {
        use std::os::unix::fs::PermissionsExt;

        let (_dir, file) = read("a");
        let unfinished = file.unfinished().unwrap();
        let mode = unfinished
            .as_file()
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_a_killed_process_left_goes_after_an_hour() {
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
