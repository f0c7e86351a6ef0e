//! Where `--force` puts what it replaces: a folder of the user's, from which it can be taken back.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use skillc_core::Context;
use skillc_core::layout::Store;

use crate::staged::entry;

/// The trash, for the time of a replacement.
#[derive(Debug)]
pub(crate) struct Trash {
    dir: Dir,
    path: PathBuf,
    /// How the names of what is put into it now begin.
    prefix: String,
}

impl Trash {
    /// Opens the trash and makes it if it is not there.
    pub(crate) fn open(context: &Context) -> io::Result<Self> {
        let path = Store::global(context).trash();
        let authority = ambient_authority();
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        // It keeps what the user had, whatever the modes of that were.
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

    /// Takes an entry of a directory. Returns where it is now.
    ///
    /// `name`: what it is called at present. `was`: where it was.
    ///
    /// # Errors
    /// Why it cannot be moved, most often because it is on another file system.
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
