//! A skill that has been read into memory.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rayon::prelude::*;

use crate::error::Result;
use crate::graph::ReferenceGraph;
use crate::layout::{RuntimeDir, SKILL_FILE};
use crate::path::RelPath;
use crate::resolve::SkillRef;
use crate::reveal::Revealed;
use crate::source::document::Document;
use crate::source::frontmatter::{Fields, Frontmatter};
use crate::source::{Contents, Packed, SourceFile, SourceTree, WalkedFile};
use crate::stop::Stop;

/// Markdown files are read in parallel if there are at least this many.
const PARALLEL: usize = 16;

/// A skill with its files and its parsed Markdown. Clones share the files.
#[derive(Debug, Clone)]
pub struct Skill {
    /// The location of the skill.
    pub at: SkillRef,
    /// The files of the skill.
    pub tree: Arc<SourceTree>,
    /// The parsed Markdown files, sorted bytewise by path.
    documents: Arc<[Arc<Document>]>,
    main: Option<usize>,
    references: Arc<OnceLock<ReferenceGraph>>,
    revealed: Arc<OnceLock<Revealed>>,
    derived: Arc<Mutex<Derived>>,
}

/// Values computed from a skill, one per type.
type Derived = BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>;

impl Skill {
    /// Reads a skill: walks its directory and parses its Markdown, within the limits of
    /// [`SourceTree::parsed_markdown`].
    ///
    /// # Errors
    /// E999 if a file or directory cannot be read.
    pub fn read(at: SkillRef) -> Result<Self> {
        Self::read_after(at, None)
    }

    /// Reads the skill again, as [`read`](Self::read) does. The result shares the documents of files whose stamps have
    /// not changed.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn read_again(&self) -> Result<Self> {
        Self::read_after(self.at.clone(), Some(self))
    }

    fn read_after(at: SkillRef, before: Option<&Self>) -> Result<Self> {
        let tree = SourceTree::read_canonical(at.canonical.clone())?;
        Self::from_tree(at, tree, before)
    }

    /// Creates a skill from files in memory.
    ///
    /// `name`: the name of its directory, without `/`. `contents`: its files. The limits of [`Skill::read`] apply.
    pub fn from_contents(name: &str, contents: Contents) -> Self {
        let at = SkillRef::in_memory(name);
        let tree = SourceTree::from_contents(at.canonical.clone(), contents);
        Self::from_memory(at, tree)
    }

    /// Creates a skill that was read from an archive.
    ///
    /// `at`: its location ([`SkillRef::in_archive`]). The limits of [`Skill::read`] apply.
    pub fn from_archive(at: SkillRef, packed: Packed) -> Self {
        let tree = SourceTree::from_archive(at.canonical.clone(), packed);
        Self::from_memory(at, tree)
    }

    fn from_memory(at: SkillRef, tree: SourceTree) -> Self {
        match Self::from_tree(at, tree, None) {
            Ok(skill) => skill,
            Err(_) => unreachable!("only reading from a disk fails"),
        }
    }

    fn from_tree(at: SkillRef, tree: SourceTree, before: Option<&Self>) -> Result<Self> {
        let (files, _) = tree.parsed_markdown();
        let read = |entry: &&WalkedFile| {
            if let Some(known) = before.and_then(|before| before.unchanged(entry)) {
                return Ok(Some(known));
            }
            let file = tree.read_file(&entry.path)?;
            Ok(file.map(|file| Arc::new(file.into_document())))
        };
        let documents: Result<Vec<Option<Arc<Document>>>> = if files.len() < PARALLEL {
            files.iter().map(read).collect()
        } else {
            files.par_iter().map(read).collect()
        };
        let documents: Arc<[Arc<Document>]> = documents?.into_iter().flatten().collect();
        let main = main_of(&documents);
        Ok(Self {
            at,
            tree: Arc::new(tree),
            documents,
            main,
            references: Arc::default(),
            revealed: Arc::default(),
            derived: Arc::default(),
        })
    }

    /// Returns the parsed document of a file if the file's stamp has not changed since it was read.
    fn unchanged(&self, entry: &WalkedFile) -> Option<Arc<Document>> {
        let known = self.tree.get(&entry.path)?;
        let document = self.shared_document(&entry.path)?;
        (known.stamp == entry.stamp).then(|| Arc::clone(document))
    }

    /// Returns a copy of the skill with different text in some of its Markdown files. Does not access the disk. Ignores
    /// paths that are not in the skill.
    #[must_use]
    pub fn with_texts(&self, texts: &BTreeMap<RelPath, String>) -> Self {
        let mut tree = SourceTree::clone(&self.tree);
        for entry in &mut tree.entries {
            if let Some(text) = texts.get(&entry.path) {
                entry.stamp.size = text.len() as u64;
            }
        }
        let documents = self.documents.iter().map(|doc| match texts.get(&doc.path) {
            Some(text) => {
                let bytes = text.clone().into_bytes();
                Arc::new(Document::parse(doc.path.clone(), bytes))
            }
            None => Arc::clone(doc),
        });
        Self {
            at: self.at.clone(),
            tree: Arc::new(tree),
            documents: documents.collect(),
            main: self.main,
            references: Arc::default(),
            revealed: Arc::default(),
            derived: Arc::default(),
        }
    }

    /// Returns a copy of the skill in which a file has the given text, whether or not the file exists. Does not access
    /// the disk. Ignores a file with a path component that begins with `.`, because such a file is not part of a skill.
    #[must_use]
    pub fn with_file(&self, path: &RelPath, text: String) -> Self {
        let is_hidden = path.as_str().split('/').any(|part| part.starts_with('.'));
        let mut documents = self.documents.to_vec();
        let mut tree = Arc::clone(&self.tree);
        if !is_hidden {
            let file = SourceFile::new(path.clone(), text.into_bytes());
            let (path, stamp) = (path.clone(), file.stamp);
            tree = Arc::new(tree.with_entry(WalkedFile { path, stamp }));
            if file.path.has_extension("md") {
                let at = documents.binary_search_by(|doc| doc.path.cmp(&file.path));
                let document = Arc::new(file.into_document());
                match at {
                    Ok(at) => documents[at] = document,
                    Err(at) => documents.insert(at, document),
                }
            }
        }
        Self {
            at: self.at.clone(),
            tree,
            main: main_of(&documents),
            documents: documents.into(),
            references: Arc::default(),
            revealed: Arc::default(),
            derived: Arc::default(),
        }
    }

    /// Returns the parsed Markdown files: `SKILL.md` first, then the others in path order.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.shared_documents().map(Arc::as_ref)
    }

    /// Returns the parsed Markdown files, as [`documents`](Self::documents) does, as shared references.
    pub fn shared_documents(&self) -> impl Iterator<Item = &Arc<Document>> {
        let main = self.main.and_then(|at| self.documents.get(at));
        let others = self.documents.iter().filter(|doc| !self.is_main(doc));
        main.into_iter().chain(others)
    }

    /// Returns a parsed Markdown file.
    pub fn document(&self, path: &RelPath) -> Option<&Document> {
        self.shared_document(path).map(Arc::as_ref)
    }

    /// Returns a parsed Markdown file as a shared reference.
    pub fn shared_document(&self, path: &RelPath) -> Option<&Arc<Document>> {
        let at = self.documents.binary_search_by(|doc| doc.path.cmp(path));
        at.ok().map(|at| &self.documents[at])
    }

    /// Returns the skill's own `SKILL.md`, or its variant in another case, such as `skill.md`; `None` if there is no
    /// such file, or if it is too large to be parsed or is a symlink out of the skill.
    pub fn main(&self) -> Option<&Document> {
        self.main.map(|at| &*self.documents[at])
    }

    /// Returns whether a document is the skill's own `SKILL.md`, and not a `SKILL.md` in a subdirectory.
    pub fn is_main(&self, document: &Document) -> bool {
        self.main().is_some_and(|main| main.path == document.path)
    }

    /// Returns the reference graph, built on the first call.
    pub fn references(&self) -> &ReferenceGraph {
        self.references.get_or_init(|| {
            let main = self.main().map(|main| &main.path);
            ReferenceGraph::new(&self.tree, &self.documents, main, &self.at.name)
        })
    }

    /// Returns the skill's text files together with their hidden text, computed on the first call.
    pub fn revealed(&self) -> &Revealed {
        match self.revealed_until(&Stop::default()) {
            Some(revealed) => revealed,
            None => unreachable!("this flag is never raised"),
        }
    }

    /// Like [`revealed`](Self::revealed), but returns `None` if the run is cancelled before all files are read.
    pub fn revealed_until(&self, stop: &Stop) -> Option<&Revealed> {
        if self.revealed.get().is_none() {
            // A cancelled call stores nothing, because a later call would treat a partial result as complete.
            let revealed = Revealed::from_skill(self, stop)?;
            return Some(self.revealed.get_or_init(|| revealed));
        }
        self.revealed.get()
    }

    /// Returns a value that several rules need. The first call for a type computes the value.
    ///
    /// `compute` must depend only on the skill. It may run twice if two threads request the value at the same time; one
    /// result is kept.
    pub fn derived<T: Any + Send + Sync>(&self, compute: impl FnOnce(&Self) -> T) -> Arc<T> {
        match self.derived_if(|skill| Some(compute(skill))) {
            Some(value) => value,
            None => unreachable!("computed without a condition"),
        }
    }

    /// Like [`derived`](Self::derived), but `compute` may return `None` because the run was cancelled. `None` is not
    /// stored.
    pub fn derived_if<T: Any + Send + Sync>(
        &self,
        compute: impl FnOnce(&Self) -> Option<T>,
    ) -> Option<Arc<T>> {
        let known = self.derived.lock().get(&TypeId::of::<T>()).map(Arc::clone);
        let value = if let Some(value) = known {
            value
        } else {
            // Compute without holding the lock, because `compute` may request a value of another type.
            let value: Arc<dyn Any + Send + Sync> = Arc::new(compute(self)?);
            let mut derived = self.derived.lock();
            Arc::clone(derived.entry(TypeId::of::<T>()).or_insert(value))
        };
        match value.downcast() {
            Ok(value) => Some(value),
            Err(_) => unreachable!("stored under its own type"),
        }
    }

    /// Returns whether the directory is the output of a build.
    ///
    /// Design: C-SCOPE@8.
    pub fn is_compiled(&self) -> bool {
        self.tree.has_hidden && is_compiled(&self.at)
    }
}

/// Returns whether a skill's directory is the output of a build; only checks that its manifest exists.
pub fn is_compiled(at: &SkillRef) -> bool {
    RuntimeDir(at.source.clone()).manifest().is_file()
}

/// Returns the index of the skill's main document: `SKILL.md`, otherwise the first document whose name differs only in
/// case.
fn main_of(documents: &[Arc<Document>]) -> Option<usize> {
    let is_exact = |doc: &Arc<Document>| doc.path.as_str() == SKILL_FILE;
    let is_near = |doc: &Arc<Document>| doc.path.as_str().eq_ignore_ascii_case(SKILL_FILE);
    let found = documents.iter().position(is_exact);
    found.or_else(|| documents.iter().position(is_near))
}

/// Returns whether the frontmatter of a nested `SKILL.md` makes it a separate skill instead of a document of the outer
/// skill: the frontmatter has a name or a description, or is never closed.
pub fn is_of_skill(frontmatter: &Frontmatter) -> bool {
    let mentions = |fields: &Fields| fields.mentions("name") || fields.mentions("description");
    matches!(frontmatter, Frontmatter::Unclosed) || frontmatter.fields().is_some_and(mentions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{read_skill, write_files};

    #[test]
    fn reading_again_shares_the_documents_that_have_not_changed() {
        let dir = tempfile::tempdir().unwrap();
        write_files(dir.path(), &[("SKILL.md", "# A\n"), ("a.md", "# B\n")]);
        let skill = read_skill(dir.path());
        write_files(dir.path(), &[("a.md", "# Longer\n"), ("b.md", "# New\n")]);
        let again = skill.read_again().unwrap();
        let texts: Vec<&str> = again.documents().map(|doc| doc.text.as_str()).collect();
        assert_eq!(texts, ["# A\n", "# Longer\n", "# New\n"]);
        let main = |skill: &Skill| Arc::clone(skill.shared_documents().next().unwrap());
        assert!(Arc::ptr_eq(&main(&skill), &main(&again)));
        let edited = again.with_file(&main(&again).path, "# Open\n".to_owned());
        assert_eq!(edited.read_again().unwrap().main().unwrap().text, "# A\n");
    }
}
