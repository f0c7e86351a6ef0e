//! A digest of everything in a skill. A baseline stores it with each accepted security finding, so that the finding is
//! reported again if anything in the skill changes.

use std::path::{MAIN_SEPARATOR_STR, Path};

use walkdir::{DirEntry, WalkDir};

use crate::hash::Sha;
use crate::skill::Skill;
use crate::source::{SourceTree, open_real};

use super::git;

/// The maximum total size of the hashed files, in bytes. Security findings in a larger skill cannot be accepted.
const MAX_HASHED: u64 = 1 << 30;

/// The maximum number of entries in a skill, including hidden ones. Security findings in a larger skill cannot be
/// accepted.
const MAX_ENTRIES: usize = 200_000;

/// The parts of a digest. The length before each part prevents collisions: otherwise, one part could be read as two
/// parts.
#[derive(Default)]
struct Parts(Vec<u8>);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.extend((part.len() as u64).to_le_bytes());
        self.0.extend(part);
    }

    fn add_link(&mut self, target: &[u8]) {
        self.add(b"symlink");
        self.add(target);
    }

    fn add_file(&mut self, sha: Sha) {
        self.add(b"file");
        self.add(sha.to_string().as_bytes());
    }
}

/// Returns the digest of all entries of a skill, including files that the scan does not read. The digest covers the
/// names and contents of files, and the targets of symlinks, which are not followed. Skips only the files in `.git`
/// that Git often rewrites. Returns `None` if an entry cannot be read, if the entries are too many or too large, or if
/// the skill is in an archive with flaws.
///
/// A skill in memory has the same digest as on disk, unless it contains such files of `.git`: in memory, they are not
/// skipped.
pub(super) fn digest(skill: &Skill) -> Option<Sha> {
    let mut parts = Parts::default();
    // Hash the parsed documents too, because a document may be an editor's buffer that differs from the file on disk.
    for doc in skill.documents() {
        parts.add(doc.path.as_str().as_bytes());
        parts.add(Sha::digest(doc.text.as_bytes()).to_string().as_bytes());
    }
    if skill.tree.is_in_memory() {
        add_in_memory(&skill.tree, &mut parts)?;
    } else {
        add_on_disk(&skill.tree.root, &mut parts)?;
    }
    Some(Sha::digest(&parts.0))
}

/// Adds the entries of a skill's directory; returns `None` if they cannot be hashed.
fn add_on_disk(root: &Path, parts: &mut Parts) -> Option<()> {
    // Do not hash the names of folders: Git creates and removes folders for its objects.
    let entries = entries(root)?.into_iter();
    for entry in entries.filter(|entry| !entry.file_type().is_dir()) {
        let (path, kind) = (entry.path(), entry.file_type());
        let below = path.strip_prefix(root).unwrap_or(path);
        parts.add(below.as_os_str().as_encoded_bytes());
        if kind.is_symlink() {
            parts.add_link(path.read_link().ok()?.as_os_str().as_encoded_bytes());
        } else if kind.is_file() {
            let (file, metadata) = open_real(path).ok()??;
            parts.add_file(Sha::digest_stream(file, metadata.len()).ok()??);
        } else {
            parts.add(b"other");
        }
    }
    Some(())
}

/// Adds the entries of a skill in memory; returns `None` if they are too large, or if the archive has flaws: the digest
/// does not cover flaws, and other programs may unpack different contents from such an archive.
fn add_in_memory(tree: &SourceTree, parts: &mut Parts) -> Option<()> {
    if !tree.flaws.is_empty() {
        return None;
    }
    let all = tree.all_in_memory()?;
    let files = all.iter().filter(|(.., is_link)| !is_link);
    let size: u64 = files.map(|(_, bytes, _)| bytes.len() as u64).sum();
    if size > MAX_HASHED {
        return None;
    }
    for (path, bytes, is_link) in all {
        parts.add(path.as_str().replace('/', MAIN_SEPARATOR_STR).as_bytes());
        if is_link {
            parts.add_link(bytes);
        } else {
            parts.add_file(Sha::digest(bytes));
        }
    }
    Some(())
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
