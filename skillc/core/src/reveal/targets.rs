//! The targets of symlinks, as text. Programs that do not support symlinks, such as Git if `core.symlinks` is false,
//! write the target of a symlink to a file. The target may therefore be a script or an instruction.

use std::collections::BTreeSet;
use std::iter;

use crate::path::RelPath;
use crate::source::lines::char_floor;
use crate::source::{SourceTree, copy_of};

use super::{Left, MAX_FILE, Revealed};

/// The maximum number of names that are tried for one target.
const MAX_NAMES: usize = 1000;

/// Adds the targets of symlinks as if they were the contents of files. If there is already a file at the path of the
/// symlink, the name of the added file is that of a copy.
pub(super) fn add<'a>(
    revealed: &mut Revealed,
    tree: &SourceTree,
    links: impl Iterator<Item = &'a (RelPath, String)>,
    left: &mut Left,
) {
    let mut links = links.peekable();
    if links.peek().is_none() {
        return;
    }
    let files = revealed.files.iter().map(|file| &file.path);
    let files = files.chain(revealed.opaque.iter().map(|file| &file.path));
    let mut taken: BTreeSet<RelPath> = files.cloned().collect();
    for (link, target) in links {
        let copies = (1..MAX_NAMES).map(|number| copy_of(link, number));
        let mut names = iter::once(link.clone()).chain(copies);
        // Of a file with several names, only one is in `taken`.
        let is_free = |name: &RelPath| !taken.contains(name) && tree.get(name).is_none();
        let Some(path) = names.find(is_free) else {
            revealed.unread.push(link.as_str().to_owned());
            continue;
        };
        let end = char_floor(target, MAX_FILE.min(left.read));
        left.read -= end;
        let size = target.len() as u64;
        revealed.add(&path, &target[..end], size, end < target.len(), left);
        revealed.unusual.push((link.clone(), path.clone()));
        taken.insert(path);
    }
}

#[cfg(all(test, unix))]
mod tests {

    use std::os::unix::fs::symlink;

    use crate::testkit::{read_skill, write_files};

    #[test]
    fn a_target_is_read_at_the_path_of_its_symlink_or_as_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let text = "---\nname: a\n---\n";
        let files = ["SKILL.md", "my notes.sh", "b (copy 1).sh", "gérer.sh"];
        write_files(&root, &files.map(|path| (path, text)));
        for (target, link) in [
            ("a b", "a.sh"),
            ("my notes.sh", "b.sh"),
            ("c\nd", ".c"),
            ("SKILL.md", "d.sh"),
            ("gérer.sh", "e.sh"),
            ("parti-é.sh", "f.sh"),
            ("gone", "g.sh"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let skill = read_skill(&root);
        let revealed = skill.revealed();
        let read = revealed.unusual.iter().map(|(link, path)| {
            let text = &revealed.file(path).unwrap().text;
            format!("{link} {path}: {text}")
        });
        assert_eq!(
            read.collect::<Vec<_>>(),
            [
                "a.sh a.sh: a b",
                "b.sh b (copy 2).sh: my notes.sh",
                "f.sh f.sh: parti-é.sh",
                ".c .c: c\nd",
            ]
        );
    }
}
