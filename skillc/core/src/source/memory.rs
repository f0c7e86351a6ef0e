//! Skills in memory, for programs without a file system.
//!
//! Rules and parsers read a skill's files through these methods, which use the disk only for a skill on disk.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;
use crate::path::RelPath;
use crate::source::source_file::{MAX_PARSED_BYTES, SourceFile, read_below};
use crate::source::walk::{SourceTree, WalkedFile};

/// The contents of a skill's files, by path.
pub type Contents = BTreeMap<RelPath, Vec<u8>>;

impl SourceTree {
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
        Ok(bytes.map(|bytes| SourceFile::new(path.clone(), bytes.clone())))
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
        let start = |bytes: &Vec<u8>| bytes[..bytes.len().min(most)].to_vec();
        Ok(contents.get(path).map(start))
    }

    /// Returns the hidden files of a skill in memory with their sizes; `None` for a skill on disk.
    pub(crate) fn hidden_in_memory(&self) -> Option<impl Iterator<Item = (RelPath, u64)>> {
        let contents = self.contents.as_ref()?.iter();
        let hidden = contents.filter(|(path, _)| path.is_hidden());
        Some(hidden.map(|(path, bytes)| (path.clone(), bytes.len() as u64)))
    }

    /// Returns whether the skill is in memory: nothing else exists in its directory, or around it.
    pub const fn is_in_memory(&self) -> bool {
        self.contents.is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::Target;
    use crate::skill::Skill;
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
        let contents = FILES.map(|(path, text)| (RelPath::parse(path).unwrap(), text.into()));
        Skill::from_contents("a", contents.into())
    }

    /// What the rest of the program sees of a skill.
    fn seen(skill: &Skill) -> String {
        let entries = skill.tree.entries.iter();
        let entries: Vec<String> = entries
            .map(|entry| format!("{} {}", entry.path, entry.stamp.size))
            .collect();
        let documents: Vec<&str> = skill.documents().map(|doc| doc.path.as_str()).collect();
        let targets: Vec<&Target> = skill.references().iter().map(|of| &of.target).collect();
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
        assert_eq!(skill.revealed().digest(&skill), None);
    }
}
