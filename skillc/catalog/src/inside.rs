//! Reads files of a skill. Never reads a file outside the skill's directory, even if another process replaces a path at
//! the same time.
//!
//! Design: catalog-paths, CAT-LOAD.16, CAT-LOAD.18.

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use skillc_core::RelPath;
use skillc_core::source::{Opened, open_below};

/// The content of a file.
#[derive(Debug)]
pub(crate) struct Content {
    pub bytes: Vec<u8>,
    /// The file's canonical path.
    pub real: PathBuf,
    /// The file's metadata, taken before the file was read.
    pub metadata: Metadata,
}

/// Why a file is not read.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The path leads out of the directory, whether or not the file exists.
    Outside,
    /// The file does not exist, or is not a regular file.
    Missing,
    /// The file exceeds the size limit.
    TooLarge,
    /// The operating system reported an error.
    Io(io::Error),
}

/// Reads a file in a directory, following symlinks only within that directory. `dir`: the path of the directory, which
/// was canonical when it was last checked.
pub(crate) fn read(dir: &Path, path: &RelPath, max_bytes: u64) -> Result<Content, Trouble> {
    let (file, metadata, real) = match open_below(dir, path).map_err(Trouble::Io)? {
        Opened::File(file, metadata, real) => (file, metadata, real),
        Opened::Outside => return Err(Trouble::Outside),
        Opened::Missing => return Err(Trouble::Missing),
    };
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
