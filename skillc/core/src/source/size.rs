//! Limits on the size of a skill that is hashed or copied.
//!
//! A sparse file of any size costs its author nothing, but hashing a sparse file of one tebibyte takes an hour, and
//! copying it fills the disk. Therefore sizes are checked before any file is read.

use std::path::Path;

use crate::error::Error;

/// The maximum size of a single file of a skill.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// The maximum total size of a skill's files.
pub const MAX_SKILL_BYTES: u64 = 4 << 30;

/// Adds up the sizes of a skill's files.
#[derive(Debug, Default)]
pub struct SizeCheck {
    bytes: u64,
}

impl SizeCheck {
    /// Adds a file. `path`: the path for error messages.
    ///
    /// # Errors
    /// E999 if the file is larger than [`MAX_FILE_BYTES`], or the total exceeds [`MAX_SKILL_BYTES`].
    pub fn add(&mut self, path: &Path, size: u64) -> Result<(), Error> {
        if size > MAX_FILE_BYTES {
            return Err(too_large(path));
        }
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > MAX_SKILL_BYTES {
            return Err(refused(format!(
                "reading '{}': the skill's files exceed {} GiB in total",
                path.display(),
                MAX_SKILL_BYTES >> 30
            )));
        }
        Ok(())
    }
}

/// Creates the error for a file that is larger than [`MAX_FILE_BYTES`].
pub(crate) fn too_large(path: &Path) -> Error {
    let limit = MAX_FILE_BYTES >> 30;
    refused(format!(
        "reading '{}': larger than {limit} GiB",
        path.display()
    ))
}

fn refused(message: String) -> Error {
    let (file, skill) = (MAX_FILE_BYTES >> 30, MAX_SKILL_BYTES >> 30);
    let hint = format!(
        "The limits are {file} GiB per file and {skill} GiB per skill. Move large data out of the skill's folder \
         and have the skill link to it or download it."
    );
    Error::Internal {
        message,
        hint: Some(hint.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_size_and_total_size_are_bounded() {
        let path = Path::new("a/b.bin");
        let mut check = SizeCheck::default();
        for _ in 0..4 {
            check.add(path, MAX_FILE_BYTES).unwrap();
        }
        let together = check.add(path, 1).unwrap_err().message();
        let expected = "reading 'a/b.bin': the skill's files exceed 4 GiB in total";
        assert_eq!(together, expected);
        let alone = SizeCheck::default().add(path, MAX_FILE_BYTES + 1);
        let expected = "reading 'a/b.bin': larger than 1 GiB";
        assert_eq!(alone.unwrap_err().message(), expected);
    }
}
