//! The contents of skills that are not on disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::path::RelPath;

/// The contents of a skill's files, by path. Skills may share the content of a file.
pub type Contents = BTreeMap<RelPath, Arc<[u8]>>;

/// A skill that was read from an archive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packed {
    /// The content of each file, by path. A file that is the target of a symlink in the skill also appears at the path
    /// of the symlink.
    pub contents: Contents,
    /// The targets of the symlinks, as written in the archive.
    pub links: BTreeMap<RelPath, String>,
    /// The symlinks that stay in the skill, each with the path where it leads.
    pub linked: Vec<(RelPath, RelPath)>,
    /// The symlinks that lead out of the skill, sorted bytewise.
    pub escaping: Vec<RelPath>,
    /// The flaws in the entries of the skill, and in the archive as a whole.
    pub flaws: Vec<Flaw>,
}

/// A flaw in the archive from which a skill was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// How serious the flaw is.
    pub kind: FlawKind,
    /// A description of the flaw, for the message of a finding.
    pub message: String,
}

/// How serious a [`Flaw`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlawKind {
    /// Everything was read, but other programs may read the archive differently.
    Odd,
    /// A part of the archive was not read.
    Unread,
    /// An attack on the program that unpacks the archive.
    Attack,
}

/// Returns whether a character is unusual in the target of a symlink. Programs that do not support symlinks write the
/// target to a file, which may then be a script.
pub fn is_unusual(c: char) -> bool {
    !c.is_ascii_alphanumeric() && !"._/+@-".contains(c)
}

/// Returns the path under which another content of a file is scanned: `a/run (copy 1).sh`.
pub fn copy_of(path: &RelPath, number: usize) -> RelPath {
    let (text, name) = (path.as_str(), path.file_name());
    let dot = name.rfind('.').filter(|dot| *dot > 0);
    let end = text.len() - name.len() + dot.unwrap_or(name.len());
    let (start, extension) = text.split_at(end);
    RelPath::parse(&format!("{start} (copy {number}){extension}")).unwrap_or_default()
}
