//! Creates the files and directories that record the user's activity. Only the user can read them. Existing files and
//! directories keep their mode.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a directory and its missing parents.
///
/// # Errors
/// Returns I/O errors.
pub(crate) fn make_private_dirs(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Creates an empty file, which `SQLite` treats as a new database. The sidecar files of the database will inherit the
/// mode of the file.
///
/// # Errors
/// Returns I/O errors. It is not an error if the file already exists.
pub(crate) fn make_private_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn new_files_are_private_and_existing_ones_keep_their_mode() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let own = dir.path().join("a/b");
        make_private_dirs(&own).unwrap();
        make_private_file(&own.join("db")).unwrap();
        assert_eq!(
            [
                mode(&dir.path().join("a")),
                mode(&own),
                mode(&own.join("db"))
            ],
            [0o700, 0o700, 0o600]
        );
        for (path, kept) in [(own.clone(), 0o755), (own.join("db"), 0o644)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
        }
        make_private_dirs(&own).unwrap();
        make_private_file(&own.join("db")).unwrap();
        assert_eq!([mode(&own), mode(&own.join("db"))], [0o755, 0o644]);
    }
}
