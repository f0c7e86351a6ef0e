//! A client's file: read whole or not at all, replaced at once, with what it was kept beside it.
//!
//! A link is followed and stays. What is too large, no text or no file is refused before anything is written.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use skillc_core::{Error, Result};
use tempfile::NamedTempFile;

use crate::staged::{Durability, new_file};

/// The largest file that is edited: clients keep histories in theirs.
pub(crate) const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What a file's former content is called: its name, and this.
const BACKUP: &str = ".skc-bak";

/// A file as it was found.
#[derive(Debug)]
pub(crate) struct ClientFile {
    /// The path that the client reads.
    pub path: PathBuf,
    /// Its text; `None` if there is no file.
    pub text: Option<String>,
    /// The file itself, where `path` is a link.
    real: PathBuf,
    permissions: Option<Permissions>,
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
        let real = match path.canonicalize() {
            _ if !found.is_symlink() => path.to_path_buf(),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let hint = "Mend or remove the link.";
                return Err(unusable(path, "is a link that leads nowhere", hint));
            }
            real => real.map_err(|e| Error::io("reading", path, &e))?,
        };
        let metadata = real
            .metadata()
            .map_err(|e| Error::io("reading", path, &e))?;
        if !metadata.is_file() {
            return Err(unusable(path, "is not a file", "Move it away."));
        }
        let mut bytes = Vec::new();
        let done =
            File::open(&real).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        done.map_err(|e| Error::io("reading", path, &e))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES) {
            return Err(unusable(
                path,
                "is larger than 4 MiB",
                "Add the entry by hand.",
            ));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            unusable(
                path,
                "is not UTF-8 text",
                "Save it as UTF-8, and try again.",
            )
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            text: Some(text),
            real,
            permissions: Some(metadata.permissions()),
        })
    }

    fn missing(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            text: None,
            real: path.to_path_buf(),
            permissions: None,
        }
    }

    /// Replaces the content. What was there is kept beside the file.
    ///
    /// Returns where it is kept; `None` for a new file.
    ///
    /// # Errors
    /// E999 if the file is not to be written to, or that fails; it is then as it was.
    pub(crate) fn write(&self, text: &str, durability: Durability) -> Result<Option<PathBuf>> {
        if self.permissions.as_ref().is_some_and(Permissions::readonly) {
            return Err(unusable(
                &self.path,
                "is read-only",
                "Make it writable, or change it where it comes from.",
            ));
        }
        let dir = self.real.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
        let backup = match &self.text {
            Some(former) => Some(self.back_up(dir, former, durability)?),
            None => None,
        };
        let written = self.staged(dir, text, durability);
        let done = written.and_then(|file| file.persist(&self.real).map(drop).map_err(|e| e.error));
        done.map_err(|e| Error::io("writing", &self.path, &e))?;
        Ok(backup)
    }

    /// Keeps a text under the first name that is free, or that has it already.
    fn back_up(&self, dir: &Path, text: &str, durability: Durability) -> Result<PathBuf> {
        let name = self.real.file_name().unwrap_or_default();
        for number in 0_u32.. {
            let mut kept = OsString::from(name);
            kept.push(BACKUP);
            if number > 0 {
                kept.push(format!("-{number}"));
            }
            let kept = dir.join(kept);
            if has_text(&kept, text) {
                return Ok(kept);
            }
            let written = self.staged(dir, text, durability);
            let done =
                written.and_then(|f| f.persist_noclobber(&kept).map(drop).map_err(|e| e.error));
            match done {
                Ok(()) => return Ok(kept),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io("writing", &kept, &error)),
            }
        }
        Err(Error::io(
            "writing",
            &self.real,
            &ErrorKind::AlreadyExists.into(),
        ))
    }

    /// Writes a file that vanishes unless it is persisted, with the permissions of the file that is there.
    fn staged(&self, dir: &Path, text: &str, durability: Durability) -> io::Result<NamedTempFile> {
        let mut file = new_file(dir)?;
        file.write_all(text.as_bytes())?;
        if let Some(permissions) = &self.permissions {
            file.as_file().set_permissions(permissions.clone())?;
        }
        if durability == Durability::Synced {
            file.as_file().sync_all()?;
        }
        Ok(file)
    }
}

fn has_text(path: &Path, text: &str) -> bool {
    let is_like = path
        .symlink_metadata()
        .is_ok_and(|found| found.is_file() && usize::try_from(found.len()) == Ok(text.len()));
    is_like && fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// Says what is wrong with a file, and what to do.
pub(crate) fn unusable(path: &Path, what: &str, hint: &'static str) -> Error {
    Error::Internal {
        message: format!("'{}' {what}", path.display()),
        hint: Some(format!("Nothing was changed. {hint}").into()),
    }
}
