//! Reads one `SKILL.md` completely, for callers that store its content.
//!
//! Design: catalog-paths, limits-catalog, REG-LOAD.5.

use std::borrow::Cow;
use std::path::Path;

use skillc_core::RelPath;
use skillc_core::hash::Sha;
use skillc_core::source::Stamp;

use crate::entry::{CatalogEntry, MAX_BYTES, SkillHead, mtime_ms, unreadable};
use crate::inside::{Trouble, read};

/// The `SKILL.md` of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullSkillFile {
    /// The whole text.
    pub text: String,
    /// The parsed frontmatter.
    pub head: SkillHead,
    /// The digest of the text.
    pub sha256: Sha,
    /// The file's stamp, taken before the file was read.
    pub stamp: Stamp,
}

impl FullSkillFile {
    /// Reads the `SKILL.md` of a skill that was found. Never reads a file outside the skill's directory.
    ///
    /// # Errors
    /// If the file cannot be read, is invalid, is outside the skill's directory, or now declares another skill name.
    /// The message is one line.
    pub fn read(entry: &CatalogEntry) -> Result<Self, Cow<'static, str>> {
        let (dir, path) = (Path::new(&entry.dir), Path::new(&entry.path));
        let below = RelPath::below(dir, path).ok_or("escapes skill directory")?;
        let content = read(dir, &below, MAX_BYTES).map_err(|trouble| match trouble {
            Trouble::Outside => Cow::from("escapes skill directory"),
            Trouble::Missing => "it was deleted".into(),
            Trouble::TooLarge => "larger than 4 MiB".into(),
            Trouble::Io(error) => unreadable(&error),
        })?;
        let sha256 = Sha::digest(&content.bytes);
        let text = String::from_utf8(content.bytes).map_err(|_| "not UTF-8")?;
        let head = SkillHead::parse(text.as_bytes(), mtime_ms(&content.metadata))?;
        if head.name != entry.name {
            return Err(format!("its name is now '{}'", head.name).into());
        }
        Ok(Self {
            text,
            head,
            sha256,
            stamp: Stamp::from_metadata(&content.metadata),
        })
    }
}
