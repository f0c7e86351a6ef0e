//! A skill that has been read.

use crate::error::Result;
use crate::layout::SKILL_FILE;
use crate::resolve::SkillRef;
use crate::source::document::Document;
use crate::source::{SourceFile, SourceTree};

/// A skill with its files and its parsed Markdown.
#[derive(Debug)]
pub struct Skill {
    /// Where it is.
    pub at: SkillRef,
    /// Its files.
    pub tree: SourceTree,
    documents: Vec<Document>,
}

impl Skill {
    /// Reads a skill: walks it and parses each Markdown file of at most 32 MiB.
    ///
    /// # Errors
    /// E999 if a file or directory cannot be read.
    pub fn read(at: SkillRef) -> Result<Self> {
        let tree = SourceTree::read(&at.source)?;
        let mut documents = Vec::new();
        for entry in tree.markdown() {
            if let Some(file) = SourceFile::read(&tree.root, &entry.path)? {
                documents.push(file.into_document());
            }
        }
        documents.sort_by_key(|doc| doc.path.as_str() != SKILL_FILE);
        Ok(Self {
            at,
            tree,
            documents,
        })
    }

    /// Returns the parsed Markdown files: `SKILL.md` first, then by path.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter()
    }
}
