//! Files and directories opened so that no link is followed that was not looked at, whatever is exchanged meanwhile.
//!
//! A path that was checked a moment ago may lead elsewhere when it is opened. So a file of a skill is opened by a path
//! without links, and what is written beside others is written through an open directory.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, OpenOptions};
#[cfg(unix)]
use rustix::fd::OwnedFd;
#[cfg(unix)]
use rustix::fs::{CWD, Mode, OFlags, openat};
#[cfg(unix)]
use rustix::io::Errno;

use crate::path::RelPath;
use crate::source::read::is_gone;
use crate::source::walk::{Located, locate};

/// How often a file is looked for that is being replaced.
const TRIES: usize = 3;

/// What a path below a directory leads to.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is taken apart where it is made"
)]
pub enum Opened {
    /// A file, open for reading; what the system says of it; and its canonical path.
    File(File, Metadata, PathBuf),
    /// Something outside the directory, whether or not it is there.
    Outside,
    /// Nothing, or no file.
    Missing,
}

/// Opens a file below a directory. Links are followed as long as they stay in it; a pipe is not waited for.
///
/// `root`: canonical.
///
/// # Errors
/// Why a file that is there cannot be opened.
pub fn open_below(root: &Path, path: &RelPath) -> io::Result<Opened> {
    // Hardly any path has a link in it.
    let mut real = path.under(root);
    for _ in 0..TRIES {
        match open_real(&real) {
            Ok(Some((file, metadata))) => return Ok(Opened::File(file, metadata, real)),
            Ok(None) => return Ok(Opened::Missing),
            Err(error) if has_links(&error) => {}
            Err(error) => return Err(error),
        }
        real = match locate(root, path) {
            Located::Inside(real) => real,
            Located::Outside => return Ok(Opened::Outside),
            Located::Missing => return Ok(Opened::Missing),
        };
    }
    Ok(Opened::Outside)
}

/// Opens a file for reading, if no part of its path is a link. A pipe is not waited for.
///
/// `path`: absolute. Returns: the file and what the system says of it; `None` if there is none, or something else.
///
/// # Errors
/// Why a file that is there cannot be opened; [`has_links`] knows the error for a link.
pub fn open_real(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let opened =
        open_unlinked(path).and_then(|file| file.metadata().map(|metadata| (file, metadata)));
    match opened {
        Ok((file, metadata)) => Ok(metadata.is_file().then_some((file, metadata))),
        // `NotADirectory` may be a link that is exchanged just now.
        Err(error) if has_links(&error) => Err(error),
        Err(error) if is_gone(&error) => Ok(None),
        // A socket cannot be opened, for one.
        Err(error) => match path.symlink_metadata() {
            Ok(there) if !there.is_file() && !there.is_symlink() => Ok(None),
            Err(error) if is_gone(&error) => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(unix)]
fn open_unlinked(path: &Path) -> io::Result<File> {
    Ok(open_path(path, OFlags::RDONLY | OFlags::NONBLOCK)?.into())
}

#[cfg(unix)]
const NO_LINK: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// Opens a path without links, by one call of the system.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_path(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, path, flags | NO_LINK, Mode::empty(), resolve) {
        // Old kernels and some sandboxes do not have it.
        Err(Errno::NOSYS | Errno::PERM) => open_stepwise(path, flags),
        opened => Ok(opened?),
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn open_path(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    open_stepwise(path, flags)
}

/// Opens a directory only to go on from it, which needs no permission to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS_THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const PASS_THROUGH: OFlags = OFlags::DIRECTORY;

/// Opens a path without links, one part after the other.
#[cfg(unix)]
fn open_stepwise(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut at = openat(CWD, "/", PASS_THROUGH | NO_LINK, Mode::empty())?;
    let mut names = path.strip_prefix("/").unwrap_or(path).iter().peekable();
    while let Some(name) = names.next() {
        let flags = if names.peek().is_some() {
            PASS_THROUGH
        } else {
            flags
        };
        at = openat(&at, name, flags | NO_LINK, Mode::empty())?;
    }
    Ok(at)
}

/// Says whether a file was not opened because a part of its path is a link, or may have become one.
#[cfg(unix)]
pub fn has_links(error: &io::Error) -> bool {
    let errors = [Errno::LOOP, Errno::NOTDIR, Errno::MLINK, Errno::AGAIN];
    errors
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Opens a file, if its path is canonical afterwards.
#[cfg(not(unix))]
fn open_unlinked(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if path.canonicalize()? == path {
        Ok(file)
    } else {
        Err(io::ErrorKind::FilesystemLoop.into())
    }
}

/// Says whether a file was not opened because a part of its path is a link.
#[cfg(not(unix))]
pub fn has_links(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::FilesystemLoop
}

/// Opens a directory to work in: what is done through it happens below it, whatever takes the place of its path meanwhile,
/// and no link leads out of it.
///
/// `path`: absolute, without links.
///
/// # Errors
/// Why it cannot be opened; [`has_links`] knows the error for a link.
#[cfg(unix)]
pub fn hold(path: &Path) -> io::Result<Dir> {
    let dir = open_path(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
    Ok(Dir::from_std_file(dir.into()))
}

/// Opens a directory to work in, if its path is canonical afterwards.
#[cfg(not(unix))]
pub fn hold(path: &Path) -> io::Result<Dir> {
    let dir = Dir::open_ambient_dir(path, cap_std::ambient_authority())?;
    if path.canonicalize()? == path {
        Ok(dir)
    } else {
        Err(io::ErrorKind::FilesystemLoop.into())
    }
}

/// Opens a file in a directory. Links are followed as long as they stay in it; a pipe is not waited for.
///
/// `options`: for what.
///
/// Returns: the file and what the system says of it; `None` if it is no file.
///
/// # Errors
/// Why it cannot be opened.
pub fn open_in(
    dir: &Dir,
    name: &OsStr,
    options: &mut OpenOptions,
) -> io::Result<Option<(File, Metadata)>> {
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = dir.open_with(name, options)?.into_std();
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata)))
}
