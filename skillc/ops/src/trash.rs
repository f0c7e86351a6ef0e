//! The trash: a folder for files and directories that skc has replaced but not created. The user can restore them from
//! there.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use skillc_core::Context;
use skillc_core::layout::Store;

use crate::staged::entry;

/// The open trash.
#[derive(Debug)]
pub(crate) struct Trash {
    dir: Dir,
    path: PathBuf,
    /// The prefix of the names of entries that this run adds.
    prefix: String,
}

impl Trash {
    /// Opens the trash, creating it if needed.
    pub(crate) fn open(context: &Context) -> io::Result<Self> {
        let path = Store::global(context).trash();
        let authority = ambient_authority();
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        // Make the directory private: it will contain the user's files, whatever the modes of their original
        // directories were.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        let now = context.clock.now().to_string().replace(':', "");
        Ok(Self {
            dir: Dir::open_ambient_dir(&path, authority)?,
            path,
            prefix: now,
        })
    }

    /// Moves a directory entry to the trash. Returns its new path.
    ///
    /// `name`: its current name. `was`: its original path.
    ///
    /// # Errors
    /// Returns the reason why the entry cannot be moved; usually, the entry and the trash are on different file
    /// systems.
    pub(crate) fn take(&self, dir: &Dir, name: &Path, was: &Path) -> io::Result<PathBuf> {
        let mut number = 1;
        let kept = loop {
            let mut kept = OsString::from(&self.prefix);
            if number > 1 {
                kept.push(format!("-{number}"));
            }
            kept.push("-");
            kept.push(entry(was));
            if self.dir.symlink_metadata(&kept).is_err() {
                break kept;
            }
            number += 1;
        };
        dir.rename(name, &self.dir, &kept)?;
        Ok(self.path.join(kept))
    }
}
