//! Atomic file writes.
//!
//! A file is written under a temporary name and then renamed. Both steps happen in a directory that is held open and
//! was reached without following symlinks. If another process replaces this directory or one of its parents with a
//! symlink after the path was checked, the write is not redirected. A file that a killed process leaves behind is
//! recognizable by its name; see [`TEMPORARY`].

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, OpenOptions};

use crate::layout::TEMPORARY;
use crate::source::hold;

/// The users who can read a new file until it receives the permissions of the file that it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// All users that the umask allows.
    Usual,
    /// Only the user.
    User,
}

/// A file under a temporary name. Dropping this value removes the file, unless the file has received its final name.
#[derive(Debug)]
pub struct Unfinished {
    dir: Dir,
    name: OsString,
    file: File,
    has_its_name: bool,
}

impl Unfinished {
    /// Creates an empty file in a directory.
    ///
    /// # Errors
    /// I/O errors.
    pub fn create(dir: Dir, readers: Readers) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.mode(match readers {
                Readers::Usual => 0o666,
                Readers::User => 0o600,
            });
        }
        #[cfg(not(unix))]
        let _ = readers;
        let mut number = 0_u32;
        loop {
            let name = OsString::from(format!("{TEMPORARY}{}-{number}", std::process::id()));
            match dir.open_with(&name, &options) {
                Ok(file) => {
                    return Ok(Self {
                        dir,
                        name,
                        file: file.into_std(),
                        has_its_name: false,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Renames the file to its final name, and replaces any file or symlink of that name.
    ///
    /// # Errors
    /// I/O errors, in which case the file is removed.
    pub fn replace(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(&self.name, &self.dir, name)?;
        self.has_its_name = true;
        Ok(())
    }

    /// Renames the file to its final name, unless that name is already taken.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, and other I/O errors. The unfinished file is returned with the error.
    pub fn put_new(mut self, name: &OsStr) -> Result<(), (io::Error, Self)> {
        match rename_new(&self.dir, &self.name, name) {
            Ok(()) => {
                self.has_its_name = true;
                Ok(())
            }
            Err(error) => Err((error, self)),
        }
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.has_its_name {
            self.dir.remove_file(&self.name).unwrap_or_default();
        }
    }
}

/// Returns the permissions of a file, for use on the file that replaces it. Omits the set-user-id, set-group-id and
/// sticky bits: the old file may belong to another user, and the new file must not let that user run programs as the
/// current user.
#[cfg(unix)]
pub fn plain_permissions(found: &Metadata) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(found.permissions().mode() & 0o777)
}

/// Returns the permissions of a file, for use on the file that replaces it.
#[cfg(not(unix))]
pub fn plain_permissions(found: &Metadata) -> Permissions {
    found.permissions()
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// `AlreadyExists` if the name exists, and other I/O errors. No file is left behind in either case.
pub fn write_new(dir: Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let mut file = Unfinished::create(dir, Readers::Usual)?;
    file.write_all(bytes)?;
    file.put_new(name).map_err(|(error, _)| error)
}

/// Opens a directory, creating it and its missing parents.
///
/// `real`: a path returned by [`real_dir`]. If a symlink has appeared in that path since then, opening the directory
/// fails.
///
/// # Errors
/// I/O errors.
pub fn hold_or_create(real: &Path) -> io::Result<Dir> {
    let mut missing = Vec::new();
    for dir in real.ancestors() {
        match hold(dir) {
            Ok(held) if missing.is_empty() => return Ok(held),
            Ok(held) => {
                let below: PathBuf = missing.iter().rev().collect();
                held.create_dir_all(&below)?;
                return held.open_dir(&below);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                missing.extend(dir.file_name());
            }
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::NotFound.into())
}

/// Resolves the symlinks in a directory's path as far as the path exists.
///
/// # Errors
/// Returns an I/O error if a component cannot be resolved for any reason other than that it does not exist.
pub fn real_dir(path: &Path) -> io::Result<PathBuf> {
    for dir in path.ancestors() {
        match dir.canonicalize() {
            Ok(real) => {
                let below = path.strip_prefix(dir).unwrap_or(Path::new(""));
                return Ok(real.join(below));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(path.to_path_buf())
}

/// Opens the parent directory of a path. The directory must exist.
///
/// # Errors
/// I/O errors.
pub fn hold_parent(path: &Path) -> io::Result<Dir> {
    hold(&path.parent().unwrap_or(path).canonicalize()?)
}

/// Renames a file; fails if the new name is already taken.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_new(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
        // This file system or kernel does not support the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => link_new(dir, from, to),
        renamed => Ok(renamed?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_new(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    link_new(dir, from, to)
}

/// Fallback for systems that cannot rename a file without replacing an existing one. Creating a hard link fails if the
/// name exists.
fn link_new(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    dir.hard_link(from, dir, to)?;
    dir.remove_file(from)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_replacement_does_not_get_special_bits() {
        use std::os::unix::fs::PermissionsExt;

        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        fs::write(&path, "").unwrap();
        for (mode, expected) in [(0o4755, 0o755), (0o2750, 0o750), (0o1644, 0o644)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let found = fs::metadata(&path).unwrap();
            assert_eq!(plain_permissions(&found).mode() & 0o7777, expected);
        }
    }

    fn names(dir: &Path) -> Vec<OsString> {
        let mut names: Vec<OsString> = dir
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_unfinished_file_has_a_temporary_name_and_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let create =
            || Unfinished::create(hold_parent(&root.path().join("a")).unwrap(), Readers::User);
        let (one, other) = (create().unwrap(), create().unwrap());
        let found = names(root.path());
        assert_eq!(found.len(), 2);
        assert!(
            found
                .iter()
                .all(|name| name.to_str().unwrap().starts_with(TEMPORARY))
        );
        drop((one, other));
        assert_eq!(names(root.path()), [""; 0]);
    }

    #[test]
    fn a_new_file_does_not_replace_an_existing_one() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        let write = |bytes: &[u8]| write_new(hold_parent(&path).unwrap(), OsStr::new("a"), bytes);
        write(b"one").unwrap();
        let taken = write(b"two").unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let held = hold_parent(&path).unwrap();
        let file = Unfinished::create(held, Readers::Usual).unwrap();
        let (error, file) = file.put_new(OsStr::new("a")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        file.replace(OsStr::new("a")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert_eq!(names(root.path()), ["a"]);
    }

    #[test]
    fn existing_names_are_not_replaced_by_hard_links() {
        let root = tempfile::tempdir().unwrap();
        let held = hold_parent(&root.path().join("a")).unwrap();
        fs::write(root.path().join("a"), "a").unwrap();
        fs::write(root.path().join("b"), "b").unwrap();
        let link = |to: &str| link_new(&held, OsStr::new("a"), OsStr::new(to));
        assert_eq!(link("b").unwrap_err().kind(), ErrorKind::AlreadyExists);
        link("c").unwrap();
        assert_eq!(names(root.path()), ["b", "c"]);
    }

    /// The path is resolved while `link` points to the directory `real`; then a symlink replaces `real`.
    #[cfg(unix)]
    #[test]
    fn a_symlink_that_replaces_a_directory_is_not_followed() {
        use std::os::unix::fs::symlink;

        let root = tempfile::tempdir().unwrap();
        let [real, elsewhere, link] =
            ["real", "elsewhere", "link"].map(|name| root.path().join(name));
        fs::create_dir(&real).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        symlink(&real, &link).unwrap();
        let found = real_dir(&link.join("a/b")).unwrap();
        assert_eq!(found, root.path().canonicalize().unwrap().join("real/a/b"));
        fs::rename(&real, root.path().join("moved")).unwrap();
        symlink(&elsewhere, &real).unwrap();
        hold_or_create(&found).unwrap_err();
        assert_eq!(names(&elsewhere), [""; 0]);
        fs::remove_file(&real).unwrap();
        hold_or_create(&found).unwrap();
        assert!(real.join("a/b").is_dir());
    }
}
