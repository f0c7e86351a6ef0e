//! A digest of all that a skill is made of, by which an accepted finding recognises what was accepted.

use crate::hash::Sha;
use crate::path::RelPath;
use crate::skill::Skill;
use crate::source::hash_file;
use crate::stop::Stop;

use super::hidden::Hidden;

/// The most bytes of a skill that are hashed. Nothing can be accepted in one that is larger.
const MAX_HASHED: u64 = 1 << 30;

/// Returns a digest that changes when any file of a skill does, read by the scan or not; `None` if one cannot be hashed.
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
    // With its length before it, no part can pose as two.
    let mut add = |part: &[u8]| {
        all.extend((part.len() as u64).to_le_bytes());
        all.extend(part);
    };
    for (path, _) in files {
        add(path.as_str().as_bytes());
        // A text that an editor holds is not that of the disk.
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
