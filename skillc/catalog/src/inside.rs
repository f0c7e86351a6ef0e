//! Files of a skill, opened so that nothing outside its directory is ever read, whatever is exchanged meanwhile.
//!
//! Source: CATALOG §3.12, CAT-LOAD.16, CAT-LOAD.18.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use rustix::fs::{CWD, Mode, OFlags, openat};
#[cfg(unix)]
use rustix::io::Errno;
use skillc_core::RelPath;
use skillc_core::source::{Located, locate};

/// How often a file is looked for that is being replaced.
const TRIES: usize = 3;

/// A file, read.
#[derive(Debug)]
pub(crate) struct Content {
    pub bytes: Vec<u8>,
    /// Where it really is.
    pub real: PathBuf,
    /// From before it was read.
    pub metadata: Metadata,
}

/// Why a file is not read.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It lies outside, whether or not it is there.
    Outside,
    /// It is not there, or is no file.
    Missing,
    /// It is larger than allowed.
    TooLarge,
    /// The system does not let it be read.
    Io(io::Error),
}

/// Reads a file of a directory, links followed as long as they stay in it. `dir`: canonical when it was last looked at.
pub(crate) fn read(dir: &Path, path: &RelPath, max_bytes: u64) -> Result<Content, Trouble> {
    let (file, metadata, real) = open_inside(dir, path)?;
    if metadata.len() > max_bytes {
        return Err(Trouble::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    let mut file = file.take(max_bytes + 1);
    file.read_to_end(&mut bytes).map_err(Trouble::Io)?;
    if bytes.len() as u64 > max_bytes {
        return Err(Trouble::TooLarge);
    }
    Ok(Content {
        bytes,
        real,
        metadata,
    })
}

/// Opens a file. Returns: it, what the system says of it, and where it really is.
fn open_inside(dir: &Path, path: &RelPath) -> Result<(File, Metadata, PathBuf), Trouble> {
    for _ in 0..TRIES {
        let real = match locate(dir, path) {
            Located::Inside(real) => real,
            Located::Outside => return Err(Trouble::Outside),
            Located::Missing => return Err(Trouble::Missing),
        };
        if real
            .symlink_metadata()
            .is_ok_and(|found| !is_file_or_link(&found))
        {
            return Err(Trouble::Missing);
        }
        // Since that look anything may have become a link: then it is looked at again.
        match open_unlinked(dir, &real) {
            Ok(file) => {
                let metadata = file.metadata().map_err(Trouble::Io)?;
                return if metadata.is_file() {
                    Ok((file, metadata, real))
                } else {
                    Err(Trouble::Missing)
                };
            }
            Err(error) if has_changed(&error) => {}
            Err(error) => return Err(Trouble::Io(error)),
        }
    }
    Err(Trouble::Outside)
}

fn is_file_or_link(found: &Metadata) -> bool {
    found.is_file() || found.is_symlink()
}

/// Opens a directory only to go on from it, which needs no permission to read it: so even those above a skill are passed
/// one by one. Where there is no such thing, the way begins at the skill's directory.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS_THROUGH: Option<OFlags> = Some(OFlags::PATH);
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const PASS_THROUGH: Option<OFlags> = None;

/// Opens a file of a directory for reading, if no part of its path is a link. `real`: canonical a moment ago.
#[cfg(unix)]
fn open_unlinked(dir: &Path, real: &Path) -> io::Result<File> {
    let start = PASS_THROUGH.map_or(dir, |_| Path::new("/"));
    let unlinked = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let through = PASS_THROUGH.unwrap_or(OFlags::RDONLY) | OFlags::DIRECTORY | unlinked;
    let below = real.strip_prefix(start).unwrap_or(real);
    let mut at = openat(CWD, start, through, Mode::empty())?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        let flags = if names.peek().is_some() {
            through
        } else {
            OFlags::RDONLY | OFlags::NONBLOCK | unlinked
        };
        at = openat(&at, name, flags, Mode::empty())?;
    }
    Ok(at.into())
}

/// Says whether a failure means that a path is no longer what it was when it was canonical.
#[cfg(unix)]
fn has_changed(error: &io::Error) -> bool {
    let changed = [Errno::LOOP, Errno::NOTDIR, Errno::NOENT, Errno::MLINK];
    let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
    changed.into_iter().any(is)
}

/// Opens a file, if its path is still canonical afterwards.
#[cfg(not(unix))]
fn open_unlinked(_dir: &Path, real: &Path) -> io::Result<File> {
    let file = File::open(real)?;
    if real.canonicalize()? == real {
        Ok(file)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Says whether a failure means that a path is no longer what it was when it was canonical.
#[cfg(not(unix))]
fn has_changed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
