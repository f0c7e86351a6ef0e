//! Reads a single file of a skill.

use std::borrow::Cow;
#[cfg(unix)]
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use crate::error::{Error, Result};
use crate::hash::Sha;
use crate::path::RelPath;
use crate::source::dir::{Opened, open_below};
use crate::source::document::Document;
use crate::source::size::{MAX_FILE_BYTES, too_large};
use crate::stop::Stop;

/// The maximum size of a file that is parsed or indexed. Design: R20.
pub const MAX_PARSED_BYTES: u64 = 32 << 20;

/// The metadata that identifies the content of a file: as long as the metadata is unchanged, the content is assumed to
/// be unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change to the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The time of the last change to content or attributes, in nanoseconds since 1970; equal to `mtime_ns` if the
    /// system does not record this time. Programs can set `mtime_ns`, but not this time.
    pub ctime_ns: i64,
    /// The inode number; 0 if the system has no inodes.
    pub inode: u64,
}

impl Stamp {
    /// Returns the stamp of a file that is not on disk.
    pub(super) const fn in_memory(size: usize) -> Self {
        Self {
            size: size as u64,
            mtime_ns: 0,
            ctime_ns: 0,
            inode: 0,
        }
    }

    /// Reads a stamp from metadata.
    #[cfg(unix)]
    pub fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        Self {
            size: metadata.len(),
            mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    /// Reads the stamp of an entry of an open directory without following symlinks; `None` if the entry does not exist
    /// or is not a file.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_fallible_conversions,
        clippy::useless_conversion,
        reason = "the numbers have other types on other systems"
    )]
    pub fn in_dir(dir: &File, name: &OsStr) -> Option<Self> {
        let found = rustix::fs::statat(dir, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if !rustix::fs::FileType::from_raw_mode(found.st_mode).is_file() {
            return None;
        }
        let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        Some(Self {
            size: u64::try_from(found.st_size).ok()?,
            mtime_ns: ns(
                found.st_mtime.into(),
                i64::try_from(found.st_mtime_nsec).ok()?,
            ),
            ctime_ns: ns(
                found.st_ctime.into(),
                i64::try_from(found.st_ctime_nsec).ok()?,
            ),
            inode: found.st_ino.into(),
        })
    }

    /// Reads a stamp from metadata.
    #[cfg(not(unix))]
    pub fn from_metadata(metadata: &Metadata) -> Self {
        let epoch = std::time::UNIX_EPOCH;
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(epoch).ok());
        let mtime_ns = since
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .unwrap_or_default();
        Self {
            size: metadata.len(),
            mtime_ns,
            ctime_ns: mtime_ns,
            inode: 0,
        }
    }
}

/// A file with its content.
#[derive(Debug)]
pub struct SourceFile {
    /// The path of the file, relative to the root.
    pub path: RelPath,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The metadata of the file, read before the content.
    pub stamp: Stamp,
    document: OnceLock<Document>,
}

impl SourceFile {
    /// Creates a file from bytes in memory.
    pub fn new(path: RelPath, bytes: Vec<u8>) -> Self {
        let stamp = Stamp::in_memory(bytes.len());
        Self {
            path,
            bytes,
            stamp,
            document: OnceLock::new(),
        }
    }

    /// Reads a file below the canonical path `root`. Follows symlinks that stay below `root`.
    ///
    /// Returns `None` if the path does not exist, is not a file, leads outside `root`, or if the file is larger than
    /// [`MAX_PARSED_BYTES`].
    ///
    /// # Errors
    /// E999 if the file cannot be read.
    pub fn read(root: &Path, path: &RelPath) -> Result<Option<Self>> {
        let fail = |e: &io::Error| Error::io("reading", &path.under(root), e);
        let Opened::File(mut file, metadata, _) = open_below(root, path).map_err(|e| fail(&e))?
        else {
            return Ok(None);
        };
        if metadata.len() > MAX_PARSED_BYTES {
            return Ok(None);
        }
        let stamp = Stamp::from_metadata(&metadata);
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or_default() + 1);
        file.by_ref()
            .take(MAX_PARSED_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| fail(&e))?;
        if bytes.len() as u64 > MAX_PARSED_BYTES {
            return Ok(None);
        }
        Ok(Some(Self {
            path: path.clone(),
            bytes,
            stamp,
            document: OnceLock::new(),
        }))
    }

    /// Returns the parsed Markdown. The first call parses the file.
    pub fn document(&self) -> &Document {
        self.document
            .get_or_init(|| Document::parse(self.path.clone(), self.bytes.clone()))
    }

    /// Returns the content as text, without a byte order mark; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(
            self.bytes
                .strip_prefix("\u{feff}".as_bytes())
                .unwrap_or(&self.bytes),
        )
    }

    /// Returns the parsed Markdown and discards everything else.
    pub fn into_document(self) -> Document {
        self.document
            .into_inner()
            .unwrap_or_else(|| Document::parse(self.path, self.bytes))
    }

    /// Returns the digest of the content.
    pub fn sha(&self) -> Sha {
        Sha::digest(&self.bytes)
    }
}

/// Reads the beginning of a file below the canonical path `root`: at most `most` bytes. Follows symlinks that stay
/// below `root`.
///
/// Returns `None` if the path no longer exists, is not a file, or leads outside `root`.
///
/// # Errors
/// I/O errors.
pub fn read_below(root: &Path, path: &RelPath, most: usize) -> io::Result<Option<Vec<u8>>> {
    let Opened::File(file, metadata, _) = open_below(root, path)? else {
        return Ok(None);
    };
    let size = usize::try_from(metadata.len()).unwrap_or(most).min(most);
    let mut bytes = Vec::with_capacity(size + 1);
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Hashes a file of up to [`MAX_FILE_BYTES`] below the canonical path `root`, without keeping its content. Reading
/// stops at the size that the file had when it was opened.
///
/// Returns the digest, and the stamp from before hashing; `None` if the file no longer exists, leads outside `root`, or
/// grew while it was read.
///
/// # Errors
/// E999 if the file cannot be read or is too large, or if the run is cancelled meanwhile.
pub fn hash_file(root: &Path, path: &RelPath, stop: &Stop) -> Result<Option<(Sha, Stamp)>> {
    let fail = |e: &io::Error| Error::io("reading", &path.under(root), e);
    let Opened::File(file, metadata, _) = open_below(root, path).map_err(|e| fail(&e))? else {
        return Ok(None);
    };
    let stamp = Stamp::from_metadata(&metadata);
    if stamp.size > MAX_FILE_BYTES {
        return Err(too_large(&path.under(root)));
    }
    let sha = Sha::digest_stream(Stoppable { file, stop }, stamp.size).map_err(|e| fail(&e))?;
    Ok(sha.map(|sha| (sha, stamp)))
}

/// A file of up to a gigabyte; reads fail once the run is cancelled.
struct Stoppable<'a> {
    file: File,
    stop: &'a Stop,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_raised() {
            return Err(io::Error::other("cancelled"));
        }
        self.file.read(buffer)
    }
}

/// Opens a file for reading, following symlinks, and never blocks. Returns the file and its metadata; `None` if the
/// path does not exist or is not a file, for example because a pipe has replaced the file.
///
/// # Errors
/// An I/O error if the file cannot be opened.
pub fn open(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let mut options = OpenOptions::new();
    options.read(true);
    do_not_wait(&mut options);
    let opened = options
        .open(path)
        .and_then(|file| file.metadata().map(|metadata| (file, metadata)));
    match opened {
        Ok((file, metadata)) => Ok(metadata.is_file().then_some((file, metadata))),
        // The file may exist again by now, but either answer is valid.
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => match path.metadata() {
            Ok(metadata) if !metadata.is_file() => Ok(None),
            Err(error) if is_gone(&error) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Reads the start of a file, following symlinks: `most` bytes, or fewer if the file is shorter. Opening a pipe never
/// blocks.
///
/// # Errors
/// I/O errors, including those for a path that does not exist or is not a file.
pub fn read_start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let Some((file, metadata)) = open(path)? else {
        return Err(match path.metadata() {
            Ok(_) => io::Error::other("not a file"),
            Err(error) => error,
        });
    };
    let expected = usize::try_from(metadata.len().min(most) + 1).unwrap_or_default();
    let mut bytes = Vec::with_capacity(expected);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a directory for reading, for example to lock it. Never blocks, even if a pipe has replaced the directory.
///
/// # Errors
/// An I/O error if the directory cannot be opened, or `NotADirectory`.
pub fn open_dir(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    do_not_wait(&mut options);
    let file = options.open(path)?;
    if file.metadata()?.is_dir() {
        Ok(file)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Returns whether an error means that nothing exists at a path, or that the path is too long for the system.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// Makes opening a pipe non-blocking; this has no effect on files.
#[cfg(unix)]
fn do_not_wait(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
}

#[cfg(not(unix))]
fn do_not_wait(_options: &mut OpenOptions) {}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    fn rel(text: &str) -> RelPath {
        RelPath::parse(text).unwrap()
    }

    fn is_absent(root: &Path, path: &str) -> bool {
        let root = root.canonicalize().unwrap();
        SourceFile::read(&root, &rel(path)).unwrap().is_none()
            && hash_file(&root, &rel(path), &Stop::default())
                .unwrap()
                .is_none()
    }

    #[test]
    fn missing_and_special_files_are_absent() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("dir.md")).unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        for path in ["gone.md", "file/below.md", "dir.md"] {
            assert!(is_absent(dir.path(), path), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_or_socket_in_place_of_a_file_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.md");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let socket = dir.path().join("socket.md");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(is_absent(dir.path(), "pipe.md"));
        assert!(is_absent(dir.path(), "socket.md"));
    }

    #[test]
    fn a_file_grown_too_large_is_not_parsed_but_can_be_hashed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let file = File::create(root.join("a.md")).unwrap();
        file.set_len(MAX_PARSED_BYTES + 1).unwrap();
        assert!(SourceFile::read(&root, &rel("a.md")).unwrap().is_none());
        let hash = |stop: &Stop| hash_file(&root, &rel("a.md"), stop);
        let stop = Stop::default();
        assert!(hash(&stop).unwrap().is_some());
        stop.raise();
        assert!(hash(&stop).is_err());
    }
}
