//! Opens files and directories without following unchecked symlinks, even if another process replaces a path component
//! at the same time.
//!
//! A path that was checked may lead elsewhere by the time it is opened (a time-of-check to time-of-use race). Therefore
//! a skill's file is opened through a path without symlinks, and files are written through an open directory handle.
//!
//! Design: R37, C-OPEN.3.

#[cfg(not(target_family = "wasm"))]
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
#[cfg(not(target_family = "wasm"))]
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[cfg(not(target_family = "wasm"))]
use cap_std::fs::{Dir, OpenOptions};
#[cfg(unix)]
use rustix::fd::OwnedFd;
#[cfg(unix)]
use rustix::fs::{CWD, Mode, OFlags, openat};
#[cfg(unix)]
use rustix::io::Errno;

use crate::path::RelPath;
use crate::source::source_file::is_gone;
use crate::source::walk::{Located, locate};

/// The number of attempts to open a file that is being replaced.
const TRIES: usize = 3;

/// The result of opening a path below a directory.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the only caller destructures it at once"
)]
pub enum Opened {
    /// A file, open for reading, with its metadata and canonical path.
    File(File, Metadata, PathBuf),
    /// The path leads outside the directory, whether or not it exists; or another process replaced a component of
    /// the path during each attempt.
    Outside,
    /// The path does not exist, or is not a file.
    Missing,
}

/// Opens a file below a directory. Follows symlinks that stay inside the directory. Opening a pipe never blocks.
///
/// `root`: the canonical path of the directory.
///
/// # Errors
/// I/O errors of opening an existing file.
pub fn open_below(root: &Path, path: &RelPath) -> io::Result<Opened> {
    // Fast path: paths rarely contain symlinks.
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

/// Opens a file for reading, if no component of its path is a symlink. Opening a pipe never blocks.
///
/// `path`: an absolute path. Returns the file and its metadata; `None` if the path does not exist or is not a file.
///
/// # Errors
/// An I/O error if an existing file cannot be opened; [`has_links`] detects the error for a symlink.
pub fn open_real(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let opened =
        open_unlinked(path).and_then(|file| file.metadata().map(|metadata| (file, metadata)));
    match opened {
        Ok((file, metadata)) => Ok(metadata.is_file().then_some((file, metadata))),
        // `NotADirectory` may mean that another process is replacing a symlink.
        Err(error) if has_links(&error) => Err(error),
        Err(error) if is_gone(&error) => Ok(None),
        // Some non-files, such as sockets, cannot be opened.
        Err(error) => match path.symlink_metadata() {
            Ok(there) if !there.is_file() && !there.is_symlink() => Ok(None),
            Err(error) if is_gone(&error) => Ok(None),
            _ => Err(error),
        },
    }
}

/// Opens a file for reading, if the file is inside every given directory. Symlinks are resolved first, and the resolved
/// path is opened without following symlinks that have appeared in it in the meantime.
///
/// `within`: the canonical paths of the directories. Returns the file and its metadata; `None` if the path does not
/// exist or is not a file.
///
/// # Errors
/// An error if the path leads elsewhere, or an I/O error if an existing file cannot be opened.
pub fn open_within(path: &Path, within: &[&Path]) -> io::Result<Option<(File, Metadata)>> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if within.iter().all(|top| real.starts_with(top)) {
        open_real(&real)
    } else {
        Err(io::Error::other("a symlink that leads out of its folder"))
    }
}

#[cfg(unix)]
fn open_unlinked(path: &Path) -> io::Result<File> {
    Ok(open_path(path, OFlags::RDONLY | OFlags::NONBLOCK)?.into())
}

#[cfg(unix)]
const NO_LINK: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// Opens a path without symlinks in a single system call.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_path(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, path, flags | NO_LINK, Mode::empty(), resolve) {
        // Old kernels do not support this call, and some sandboxes block it.
        Err(Errno::NOSYS | Errno::PERM) => open_stepwise(path, flags),
        opened => Ok(opened?),
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn open_path(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    open_stepwise(path, flags)
}

/// The flags for opening a directory only for traversal, which needs no permission to list the directory.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS_THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const PASS_THROUGH: OFlags = OFlags::DIRECTORY;

/// Opens a path, one component at a time. Fails if a component is a symlink.
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

/// Returns whether opening failed because a path component is a symlink, or may have become one.
#[cfg(unix)]
pub fn has_links(error: &io::Error) -> bool {
    let errors = [Errno::LOOP, Errno::NOTDIR, Errno::MLINK, Errno::AGAIN];
    errors
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Opens a file and then checks that its path is still canonical.
#[cfg(not(unix))]
fn open_unlinked(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if path.canonicalize()? == path {
        Ok(file)
    } else {
        Err(io::Error::other(Linked))
    }
}

/// Returns whether opening failed because a path component is a symlink.
#[cfg(not(unix))]
pub fn has_links(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Linked>())
}

/// The error for a path that contains a symlink. The corresponding error kind of the standard library is unstable.
#[cfg(not(unix))]
#[derive(Debug)]
struct Linked;

#[cfg(not(unix))]
impl std::fmt::Display for Linked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a component of the path is a symlink")
    }
}

#[cfg(not(unix))]
impl std::error::Error for Linked {}

/// Opens a directory handle. Operations through the handle stay below the directory, even if another process replaces
/// the directory's path, and they follow no symlink out of the directory.
///
/// `path`: an absolute path without symlinks.
///
/// # Errors
/// An I/O error if the directory cannot be opened; [`has_links`] detects the error for a symlink.
#[cfg(unix)]
pub fn hold(path: &Path) -> io::Result<Dir> {
    let dir = open_path(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
    Ok(Dir::from_std_file(dir.into()))
}

/// Opens a directory handle and then checks that its path is still canonical.
#[cfg(not(any(unix, target_family = "wasm")))]
pub fn hold(path: &Path) -> io::Result<Dir> {
    let dir = Dir::open_ambient_dir(path, cap_std::ambient_authority())?;
    if path.canonicalize()? == path {
        Ok(dir)
    } else {
        Err(io::Error::other(Linked))
    }
}

/// Reads the start of a file below a directory. Follows symlinks that stay inside the directory. Opening a pipe never
/// blocks.
///
/// # Errors
/// I/O errors, including those for a path that does not exist or is not a file.
#[cfg(not(target_family = "wasm"))]
pub fn read_in(dir: &Dir, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let opened = open_in(dir, path.as_os_str(), OpenOptions::new().read(true))?;
    let (file, _) = opened.ok_or_else(|| io::Error::other("not a file"))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file in a directory. Follows symlinks that stay inside the directory. Opening a pipe never blocks.
///
/// `options`: the access mode.
///
/// Returns the file and its metadata; `None` if the name does not refer to a file.
///
/// # Errors
/// An I/O error if the file cannot be opened.
#[cfg(not(target_family = "wasm"))]
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
