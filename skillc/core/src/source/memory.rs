//! Skills in memory: skills in an archive, and skills in a program without a file system.
//!
//! Rules and parsers read a skill's files through these methods, which use the disk only for a skill on disk.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;
use crate::path::RelPath;
use crate::source::contents::{Contents, Packed};
use crate::source::source_file::{MAX_PARSED_BYTES, SourceFile, read_below};
use crate::source::walk::{SourceTree, WalkedFile};

impl SourceTree {
    /// Creates the tree of a skill that was read from an archive.
    ///
    /// `root`: as for [`from_contents`](Self::from_contents).
    pub fn from_archive(root: PathBuf, packed: Packed) -> Self {
        let mut tree = Self::from_contents(root, packed.contents);
        tree.escaping = packed.escaping.iter().map(ToString::to_string).collect();
        tree.links = packed.links;
        tree.linked = packed.linked;
        tree.flaws = packed.flaws;
        tree
    }

    /// Creates the tree of a skill in memory. As in a walk, hidden files are not entries of the tree.
    ///
    /// `root`: the directory that paths in messages are relative to; it need not exist.
    pub fn from_contents(root: PathBuf, contents: Contents) -> Self {
        let mut tree = Self::empty(root);
        let shown = contents.iter().filter(|(path, _)| !path.is_hidden());
        tree.entries = shown
            .map(|(path, bytes)| WalkedFile::in_memory(path.clone(), bytes.len()))
            .collect();
        tree.contents = Some(Arc::new(contents));
        tree
    }

    /// Reads a file of the skill. Follows symlinks that stay in the skill.
    ///
    /// Returns `None` if the path does not exist, is not a file, leads out of the skill, or if the file is larger than
    /// [`MAX_PARSED_BYTES`].
    ///
    /// # Errors
    /// E999 if the file cannot be read.
    pub fn read_file(&self, path: &RelPath) -> Result<Option<SourceFile>> {
        let Some(contents) = &self.contents else {
            return SourceFile::read(&self.root, path);
        };
        let bytes = contents.get(path);
        let bytes = bytes.filter(|bytes| bytes.len() as u64 <= MAX_PARSED_BYTES);
        Ok(bytes.map(|bytes| SourceFile::new(path.clone(), bytes.to_vec())))
    }

    /// Reads the beginning of a file of the skill: at most `most` bytes. Follows symlinks that stay in the skill.
    ///
    /// Returns `None` if the path does not exist, is not a file, or leads out of the skill.
    ///
    /// # Errors
    /// I/O errors.
    pub(crate) fn read_file_start(
        &self,
        path: &RelPath,
        most: usize,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(contents) = &self.contents else {
            return read_below(&self.root, path, most);
        };
        let start = |bytes: &Arc<[u8]>| bytes[..bytes.len().min(most)].to_vec();
        Ok(contents.get(path).map(start))
    }

    /// Returns the hidden files of a skill in memory with their sizes; `None` for a skill on disk.
    pub(crate) fn hidden_in_memory(&self) -> Option<impl Iterator<Item = (RelPath, u64)>> {
        let contents = self.contents.as_ref()?.iter();
        let hidden = contents.filter(|(path, _)| path.is_hidden());
        Some(hidden.map(|(path, bytes)| (path.clone(), bytes.len() as u64)))
    }

    /// Returns the target of a symlink as written; an empty string if the target cannot be read.
    ///
    /// `link`: the path of the symlink, relative to the root.
    pub fn written_target(&self, link: &str) -> String {
        if self.is_in_memory() {
            let path = RelPath::parse(link).unwrap_or_default();
            return self.links.get(&path).cloned().unwrap_or_default();
        }
        let target = std::fs::read_link(self.root.join(link)).unwrap_or_default();
        target.to_string_lossy().into_owned()
    }

    /// Returns all files and symlinks of a skill in memory, hidden ones included, in the order in which a walk finds
    /// them; `None` for a skill on disk. Each element consists of a path, the content of the file or the target of the
    /// symlink, and whether it is a symlink.
    pub(crate) fn all_in_memory(&self) -> Option<Vec<(&RelPath, &[u8], bool)>> {
        let files = self.contents.as_ref()?.iter();
        let files = files.filter(|(path, _)| !self.links.contains_key(*path));
        let files = files.map(|(path, bytes)| (path, &**bytes, false));
        let links = self.links.iter();
        let links = links.map(|(path, target)| (path, target.as_bytes(), true));
        let mut all: Vec<(&RelPath, &[u8], bool)> = files.chain(links).collect();
        all.sort_by(|(one, ..), (other, ..)| one.cmp_as_walked(other));
        Some(all)
    }

    /// Returns whether the skill is in memory. If so, there are no other files in or around its directory.
    pub const fn is_in_memory(&self) -> bool {
        self.contents.is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::Target;
    use crate::skill::Skill;
    use crate::source::{Flaw, FlawKind};
    use crate::testkit::{read_skill, write_files};

    use super::*;

    const FILES: [(&str, &str); 5] = [
        (
            "SKILL.md",
            "---\nname: a\n---\n\n[a](docs/a.md) [b](docs) [c](gone.md) [d](../out.md) [e](s.py)\n",
        ),
        ("docs/a.md", "# A\n"),
        ("s.py", "print(1)\n"),
        (".env", "A=1\n"),
        ("docs/.hidden/b.md", "# B\n"),
    ];

    fn in_memory() -> Skill {
        Skill::from_contents("a", contents(&FILES))
    }

    fn contents(files: &[(&str, &str)]) -> Contents {
        let files = files.iter();
        files
            .map(|(path, text)| (RelPath::parse(path).unwrap(), text.as_bytes().into()))
            .collect()
    }

    /// Returns the data of a skill that the rest of the program uses.
    fn seen(skill: &Skill) -> String {
        let entries = skill.tree.entries.iter();
        let entries: Vec<String> = entries
            .map(|entry| format!("{} {}", entry.path, entry.stamp.size))
            .collect();
        let documents: Vec<&str> = skill.documents().map(|doc| doc.path.as_str()).collect();
        let references = skill.documents();
        let references = references.flat_map(|doc| skill.references().in_document(&doc.path));
        let targets: Vec<&Target> = references.map(|of| &of.target).collect();
        let revealed = skill.revealed().files.iter();
        let revealed: Vec<&str> = revealed.map(|file| file.path.as_str()).collect();
        let texts: Vec<String> = (skill.tree.entries.iter())
            .filter_map(|entry| skill.tree.read_file(&entry.path).unwrap())
            .map(|file| file.text().into_owned())
            .collect();
        format!("{entries:?}\n{documents:?}\n{targets:?}\n{revealed:?}\n{texts:?}")
    }

    #[test]
    fn a_skill_in_memory_is_read_like_one_on_disk() {
        let outer = tempfile::tempdir().unwrap();
        write_files(&outer.path().join("a"), &FILES);
        let on_disk = read_skill(&outer.path().join("a"));
        let in_memory = in_memory();
        assert_eq!(seen(&in_memory), seen(&on_disk));
        assert_eq!(in_memory.at.name, on_disk.at.name);
        assert!(!in_memory.is_compiled() && in_memory.tree.is_in_memory());
    }

    #[test]
    fn only_the_files_of_a_skill_in_memory_exist() {
        let skill = in_memory();
        let tree = &skill.tree;
        let read = |path: &str| tree.read_file(&RelPath::parse(path).unwrap()).unwrap();
        assert!(read("docs").is_none() && read("gone").is_none());
        let start = tree.read_file_start(&RelPath::parse(".env").unwrap(), 2);
        assert_eq!(start.unwrap().unwrap(), b"A=");
    }

    /// A baseline accepts the findings of a skill in an archive and on disk alike.
    #[cfg(unix)]
    #[test]
    fn a_skill_in_memory_has_the_digest_of_the_same_skill_on_disk() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("a");
        write_files(&root, &FILES);
        for (link, target) in [("docs/up.md", "../s.py"), ("out", "/etc/hosts")] {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        let on_disk = read_skill(&root);
        let digest = |skill: &Skill| skill.revealed().digest(skill);
        let packed = packed();
        let in_archive = |packed: Packed| Skill::from_archive(in_memory().at, packed);
        let skill = in_archive(packed.clone());
        assert!(digest(&on_disk).is_some());
        assert_eq!(digest(&skill), digest(&on_disk));
        assert_eq!(skill.tree.escaping, on_disk.tree.escaping);
        for link in ["docs/up.md", "out", "gone"] {
            let written = |skill: &Skill| skill.tree.written_target(link);
            assert_eq!(written(&skill), written(&on_disk), "{link}");
        }
        let mut other = packed.clone();
        let path = RelPath::parse("s.py").unwrap();
        other.contents.insert(path, Arc::from(&b"print(2)\n"[..]));
        assert_ne!(digest(&in_archive(other)), digest(&on_disk));
        // Content that was not read, or that other programs read differently, can change without changing the digest.
        for kind in [FlawKind::Odd, FlawKind::Unread, FlawKind::Attack] {
            let mut other = packed.clone();
            other.flaws.push(Flaw {
                kind,
                message: String::new(),
            });
            assert_eq!(digest(&in_archive(other)), None, "{kind:?}");
        }
    }

    /// The files and two symlinks, as read from an archive.
    #[cfg(unix)]
    fn packed() -> Packed {
        let path = |text: &str| RelPath::parse(text).unwrap();
        let mut contents = contents(&FILES);
        contents.insert(path("docs/up.md"), Arc::from(&b"print(1)\n"[..]));
        Packed {
            contents,
            links: [("docs/up.md", "../s.py"), ("out", "/etc/hosts")]
                .map(|(link, target)| (path(link), target.to_owned()))
                .into(),
            linked: vec![(path("docs/up.md"), path("s.py"))],
            escaping: vec![path("out")],
            flaws: Vec::new(),
        }
    }
}
