//! Checks the size of an import before anything is copied.
//!
//! The copy of a sparse file takes its full size on disk, and hidden files, otherwise not part of a skill, are copied, too.

use std::ffi::OsStr;
use std::path::Path;

use skillc_core::source::SizeCheck;
use skillc_core::{Error, Result};

use super::import::NOT_COPIED;

/// Makes sure that the files of a directory are small enough to be copied into a store.
///
/// # Errors
/// E999 naming a file that is too large or exceeds the total limit; E999 if a directory cannot be read.
pub(super) fn check_sizes(from: &Path) -> Result<()> {
    let mut check = SizeCheck::default();
    let mut dirs = vec![from.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        let fail = |e: &std::io::Error| Error::io("reading", &dir, e);
        for entry in dir.read_dir().map_err(|e| fail(&e))? {
            let entry = entry.map_err(|e| fail(&e))?;
            let name = entry.file_name();
            if NOT_COPIED.iter().any(|other| name == OsStr::new(other)) {
                continue;
            }
            let kind = entry.file_type().map_err(|e| fail(&e))?;
            if kind.is_dir() {
                dirs.push(entry.path());
            } else if kind.is_file() {
                let size = entry.metadata().map_err(|e| fail(&e))?.len();
                check.add(&entry.path(), size)?;
            }
        }
    }
    Ok(())
}
