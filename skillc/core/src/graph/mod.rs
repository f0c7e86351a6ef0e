//! The reference graph of a skill: links, and mentions of its files in text and code.
//!
//! The graph is built once per skill. A link is anything that Markdown parses as a link, even if its target is missing.
//! A mention is a word, a code span, an HTML attribute or a wiki link that is exactly a path in the skill, or is
//! clearly meant as one.
//!
//! Design: C-REGISTRY, D-LINK-SCOPE, D-ANCHORS, R2, R10, R19.

mod anchors;
mod destination;
mod mentions;
mod reach;
mod resolver;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use crate::path::{Pattern, RelPath};
use crate::source::SourceTree;
use crate::source::document::{Document, LinkKind};
use crate::source::lines::Span;

pub use anchors::{Anchors, Fragments};

use resolver::Resolver;

/// Documents are read in parallel if there are at least this many.
const PARALLEL: usize = 16;

/// All references of a skill.
#[derive(Debug)]
pub struct ReferenceGraph {
    /// The references of each document, sorted by position.
    references: BTreeMap<RelPath, Vec<Reference>>,
    /// The anchors of each document that is the target of a link with a fragment.
    anchors: BTreeMap<RelPath, Anchors>,
    by_links: BTreeSet<RelPath>,
    by_all: BTreeSet<RelPath>,
}

/// One reference from a document.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The syntax of the reference.
    pub kind: ReferenceKind,
    /// The destination as written, including the fragment.
    pub written: Arc<str>,
    /// The position of the destination in the document, in bytes.
    pub span: Span,
    /// The target of the reference.
    pub target: Target,
    /// Whether the fragment of the reference exists.
    pub anchor: Anchor,
}

/// The syntax of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ReferenceKind {
    /// A Markdown link or image.
    Link(LinkKind),
    /// `[[page]]` or `[[page|label]]`.
    Wiki,
    /// A word, a code span or an HTML attribute.
    Mention,
}

/// The target of a reference.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Target {
    /// A URL, an email address, or an absolute path: not checked.
    Elsewhere,
    /// Unknown, because the destination contains a placeholder. If the destination is a path, the glob covers its
    /// possible expansions.
    Placeholder(Option<Arc<Pattern>>),
    /// A file of the skill; the document itself if the destination is only a fragment.
    File(RelPath),
    /// A directory of the skill.
    Directory(RelPath),
    /// The files that match a glob.
    Glob(Arc<Pattern>),
    /// A path that does not exist.
    Missing(RelPath),
    /// A path that leads outside the skill, through `..` or a symlink.
    Outside,
}

/// Whether a fragment exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The fragment was not checked, because there is none, the reference is not a link, or the target is not a
    /// Markdown file.
    Unchecked,
    /// The target has the anchor.
    Present,
    /// The target has no such anchor.
    Missing,
}

/// Which references make a file reachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Links only.
    Links,
    /// Links and mentions.
    All,
}

impl Reference {
    /// Returns whether the reference is a Markdown link or image.
    pub const fn is_link(&self) -> bool {
        matches!(self.kind, ReferenceKind::Link(_))
    }

    /// Returns the fragment as written, without `#`.
    pub fn fragment(&self) -> Option<&str> {
        self.written.split_once('#').map(|(_, fragment)| fragment)
    }
}

impl ReferenceGraph {
    /// Reads the references of all documents. `documents`: the documents, sorted by the bytes of their paths. `main`:
    /// the skill's own `SKILL.md`. `name`: the name of the skill's directory, which appears in paths from outside the
    /// skill.
    pub(crate) fn new(
        tree: &SourceTree,
        documents: &[Arc<Document>],
        main: Option<&RelPath>,
        name: &str,
    ) -> Self {
        let resolver = Resolver::new(tree, name);
        let read =
            |document: &Arc<Document>| (document.path.clone(), references_of(document, &resolver));
        let mut references: BTreeMap<RelPath, Vec<Reference>> = if documents.len() < PARALLEL {
            documents.iter().map(read).collect()
        } else {
            documents.par_iter().map(read).collect()
        };
        // Files that are too large to parse can still be targets of references.
        for entry in tree.markdown() {
            references.entry(entry.path.clone()).or_default();
        }
        let anchors = check_anchors(&mut references, documents);
        let reach = |follow| reach::reachable(&references, main, follow);
        let (by_links, by_all) = (reach(Follow::Links), reach(Follow::All));
        Self {
            references,
            anchors,
            by_links,
            by_all,
        }
    }

    /// Returns the references of a document, sorted by position.
    pub fn in_document(&self, document: &RelPath) -> &[Reference] {
        self.references.get(document).map_or(&[], Vec::as_slice)
    }

    /// Returns the anchors of a document that is the target of a link with a fragment.
    pub fn anchors(&self, document: &RelPath) -> Option<&Anchors> {
        self.anchors.get(document)
    }

    /// Returns whether a document can be reached from the skill's `SKILL.md` or from the `SKILL.md` of a nested skill.
    pub fn is_reachable(&self, document: &RelPath, follow: Follow) -> bool {
        match follow {
            Follow::Links => self.by_links.contains(document),
            Follow::All => self.by_all.contains(document),
        }
    }
}

fn references_of(document: &Document, resolver: &Resolver<'_>) -> Vec<Reference> {
    let mut globs = resolver.max_globs(document);
    let mut found: Vec<Reference> = Vec::with_capacity(document.links.len());
    // Look up each distinct destination once.
    let mut known: HashMap<&str, Target> = HashMap::new();
    for link in &document.links {
        let target = known
            .entry(&link.dest)
            .or_insert_with(|| resolver.link(&link.dest, document, &mut globs));
        found.push(Reference {
            kind: ReferenceKind::Link(link.kind),
            target: target.clone(),
            written: Arc::clone(&link.dest),
            span: link.dest_span,
            anchor: Anchor::Unchecked,
        });
    }
    drop(known);
    mentions::read(document, resolver, globs, &mut found);
    found.sort_by_key(|reference| reference.span);
    // Remove duplicates: a link definition yields one link per use, and the value of an HTML attribute is also read as
    // a word.
    found.dedup_by_key(|reference| reference.span);
    found
}

/// Checks the fragments of links; returns the anchors of their target documents.
fn check_anchors(
    references: &mut BTreeMap<RelPath, Vec<Reference>>,
    documents: &[Arc<Document>],
) -> BTreeMap<RelPath, Anchors> {
    let mut anchors: BTreeMap<RelPath, Anchors> = BTreeMap::new();
    let with_fragment = references
        .values_mut()
        .flatten()
        .filter(|reference| reference.is_link() && reference.fragment().is_some());
    for reference in with_fragment {
        let Target::File(path) = &reference.target else {
            continue;
        };
        let Ok(at) = documents.binary_search_by(|document| document.path.cmp(path)) else {
            continue;
        };
        let of_target = anchors
            .entry(path.clone())
            .or_insert_with(|| Anchors::from_document(&documents[at]));
        let is_there = reference
            .fragment()
            .is_some_and(|fragment| of_target.has(fragment));
        reference.anchor = if is_there {
            Anchor::Present
        } else {
            Anchor::Missing
        };
    }
    anchors
}

#[cfg(test)]
mod tests;
