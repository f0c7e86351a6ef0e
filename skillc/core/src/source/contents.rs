//! The contents of skills that are not on disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::path::RelPath;

/// The contents of a skill's files, by path. Skills may share the content of a file.
pub type Contents = BTreeMap<RelPath, Arc<[u8]>>;

/// A skill that was read from an archive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packed {
    /// The files, including those that symlinks within the skill lead to: these are at the paths of the symlinks, too.
    pub contents: Contents,
    /// The targets of the symlinks, as they are written in the archive.
    pub links: BTreeMap<RelPath, String>,
    /// The symlinks that lead out of the skill, sorted bytewise.
    pub escaping: Vec<RelPath>,
    /// What is wrong with the entries of the skill, or with the archive.
    pub flaws: Vec<Flaw>,
}

/// What is wrong with an archive that a skill was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// How much it matters.
    pub kind: FlawKind,
    /// What is wrong, as the message of a finding.
    pub message: String,
}

/// How much a [`Flaw`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlawKind {
    /// Everything was read, but other programs may read the archive differently.
    Odd,
    /// Something was not read.
    Unread,
    /// An attack on the program that unpacks the archive.
    Attack,
}
