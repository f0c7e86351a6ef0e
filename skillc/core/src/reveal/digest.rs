//! A digest of everything in a skill. A baseline stores it with each accepted security finding, so that the finding is
//! reported again if anything in the skill changes.

use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use crate::hash::Sha;
use crate::skill::Skill;
use crate::source::open_real;

use super::git;

/// The maximum total size of the hashed files, in bytes. Security findings in a larger skill cannot be accepted.
const MAX_HASHED: u64 = 1 << 30;

/// The maximum number of entries in a skill, hidden ones included. Security findings in a larger skill cannot be
/// accepted.
const MAX_ENTRIES: usize = 200_000;

/// Returns the digest of all entries of a skill: the names and contents of files, including files and folders that the
/// scan does not read, and the targets of symlinks, which are not followed. Only files in `.git` that Git often
/// rewrites are left out. Returns `None` if an entry cannot be read, if the entries are too many or
/// too large, or if the skill is not on disk.
pub(super) fn digest(skill: &Skill) -> Option<Sha> {
    if skill.tree.is_in_memory() {
        return None;
    }
    let root = &skill.tree.root;
    let entries = entries(root)?;
    let mut all = Vec::new();
    // The length before each part prevents collisions: without it, one part could be read as two.
    let mut add = |part: &[u8]| {
        all.extend((part.len() as u64).to_le_bytes());
        all.extend(part);
    };
    // Hash the parsed texts too, because one may be an editor's buffer that differs from the file on disk.
    for doc in skill.documents() {
        add(doc.path.as_str().as_bytes());
        add(Sha::digest(doc.text.as_bytes()).to_string().as_bytes());
    }
    // The names of folders do not count: Git creates and removes folders for its objects.
    for entry in entries.iter().filter(|entry| !entry.file_type().is_dir()) {
        let (path, kind) = (entry.path(), entry.file_type());
        let below = path.strip_prefix(root).unwrap_or(path);
        add(below.as_os_str().as_encoded_bytes());
        if kind.is_symlink() {
            add(b"symlink");
            add(path.read_link().ok()?.as_os_str().as_encoded_bytes());
        } else if kind.is_file() {
            let (file, metadata) = open_real(path).ok()??;
            let sha = Sha::digest_stream(file, metadata.len()).ok()??;
            add(b"file");
            add(sha.to_string().as_bytes());
        } else {
            add(b"other");
        }
    }
    Some(Sha::digest(&all))
}

/// Returns the entries of a skill that are hashed, in order; `None` if they are too many or too large, or if a folder
/// cannot be read.
fn entries(root: &Path) -> Option<Vec<DirEntry>> {
    let walk = WalkDir::new(root).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|entry| !git::is_volatile(root, entry));
    let entries: Result<Vec<DirEntry>, _> = walk.take(MAX_ENTRIES + 1).collect();
    let entries = entries
        .ok()
        .filter(|entries| entries.len() <= MAX_ENTRIES)?;
    let mut left = MAX_HASHED;
    for entry in entries.iter().filter(|entry| entry.file_type().is_file()) {
        left = left.checked_sub(entry.metadata().ok()?.len())?;
    }
    Some(entries)
}
