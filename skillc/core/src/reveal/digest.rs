//! A digest of a skill's files. A baseline stores it with each accepted security finding, so that the finding is
//! reported again if any of these files changes.

use crate::hash::Sha;
use crate::path::RelPath;
use crate::skill::Skill;
use crate::source::hash_file;
use crate::stop::Stop;

use super::hidden::Hidden;

/// The maximum total size of the hashed files, in bytes. Security findings in a larger skill cannot be accepted.
const MAX_HASHED: u64 = 1 << 30;

/// Returns the digest of all files of a skill, including hidden files and files that the scan does not read, but not
/// the hidden files that [`Hidden`] skips. Returns `None` if a file cannot be hashed, or if the files are larger than
/// [`MAX_HASHED`] in total.
pub(super) fn digest(skill: &Skill) -> Option<Sha> {
    let tree = &skill.tree;
    let mut hidden = Hidden::of(tree);
    hidden.files.sort();
    let shown = tree
        .entries
        .iter()
        .map(|entry| (&entry.path, entry.stamp.size));
    let hidden_files = hidden.files.iter().map(|(path, size)| (path, *size));
    let files: Vec<(&RelPath, u64)> = shown.chain(hidden_files).collect();
    if files.iter().map(|(_, size)| size).sum::<u64>() > MAX_HASHED {
        return None;
    }
    let mut all = Vec::new();
    // The length before each part prevents collisions: without it, one part could be read as two.
    let mut add = |part: &[u8]| {
        all.extend((part.len() as u64).to_le_bytes());
        all.extend(part);
    };
    for (path, _) in files {
        add(path.as_str().as_bytes());
        // Hash the parsed text too, because it may be an editor's buffer that differs from the file on disk.
        let text = skill
            .document(path)
            .map(|doc| Sha::digest(doc.text.as_bytes()));
        add(text
            .map(|sha| sha.to_string())
            .unwrap_or_default()
            .as_bytes());
        let file = hash_file(&tree.root, path, &Stop::default()).ok()?;
        add(file
            .map(|(sha, _)| sha.to_string())
            .unwrap_or_default()
            .as_bytes());
    }
    let links = tree
        .escaping
        .iter()
        .chain(&hidden.escaping)
        .chain(&hidden.unread);
    for path in links {
        add(path.as_bytes());
    }
    Some(Sha::digest(&all))
}
