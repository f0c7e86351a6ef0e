//! The part of a skill that a client reads for its listing: the head of its `SKILL.md`, which ends with the
//! frontmatter.
//!
//! Symlinks that lead out of the skill are not followed. The text below the frontmatter is dropped.

use std::fs;
use std::path::Path;

use skillc_core::layout::SKILL_FILE;
use skillc_core::source::frontmatter::Head as Extent;
use skillc_core::source::{Located, MAX_PARSED_BYTES, locate, open};
use skillc_core::{Document, RelPath, SkillRef, SourceFile};

/// The result of reading a `SKILL.md`.
#[derive(Debug)]
pub(super) enum Content {
    /// The file was read. Contains its head.
    Read(Box<Head>),
    /// A dangling link.
    DeadLink,
    /// Not a regular file: a directory or a pipe.
    NoFile,
    /// The file cannot be read. Contains the reason.
    Unreadable(String),
    /// A symlink that leads out of the skill, and was not followed.
    Outside,
}

/// The head of a `SKILL.md`.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) at: SkillRef,
    pub(super) main: Document,
    /// The bytes that `main` was read from.
    pub(super) bytes: Vec<u8>,
}

impl Head {
    /// Returns the name from the frontmatter.
    pub(super) fn name(&self) -> Option<&str> {
        let name = self.main.frontmatter.fields()?.text("name")?.trim();
        (!name.is_empty()).then_some(name)
    }
}

/// Reads the head of a skill.
///
/// `main`: the name of its main file; `None` if its `SKILL.md` is not a file.
pub(super) fn read(at: SkillRef, main: Option<&str>) -> Content {
    let Some(name) = main else {
        return no_file(&at.source);
    };
    let path = match RelPath::parse(name) {
        Ok(path) => path,
        Err(error) => return Content::Unreadable(error.message()),
    };
    if locate(&at.canonical, &path) == Located::Outside {
        return Content::Outside;
    }
    match SourceFile::read(&at.canonical, &path) {
        Ok(Some(file)) => {
            let bytes = head_of(file.bytes);
            let main = Document::parse(path, bytes.clone());
            Content::Read(Box::new(Head { at, main, bytes }))
        }
        Ok(None) => {
            let most = MAX_PARSED_BYTES >> 20;
            Content::Unreadable(format!("it is larger than {most} MiB, or was deleted"))
        }
        Err(_) => Content::Unreadable(reason(&path.under(&at.canonical))),
    }
}

/// Returns why a file cannot be opened.
fn reason(path: &Path) -> String {
    let error = open(path).err();
    error.map_or_else(
        || "it cannot be read".to_owned(),
        |error| error.kind().to_string(),
    )
}

fn no_file(dir: &Path) -> Content {
    let path = dir.join(SKILL_FILE);
    let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
    if is_link && !path.exists() {
        Content::DeadLink
    } else {
        Content::NoFile
    }
}

/// Truncates a file after its frontmatter, or after its first line if there is none.
fn head_of(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = match Extent::parse(&bytes) {
        Extent::Ends(end) => end,
        Extent::Open => bytes.len(),
        Extent::Absent => {
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            end.map_or(bytes.len(), |end| end + 1)
        }
    };
    bytes.truncate(end);
    bytes
}
