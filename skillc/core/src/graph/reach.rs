//! Finds the documents that can be reached from a `SKILL.md` by following references.
//!
//! Design: C-REGISTRY.21, R2.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::graph::{Follow, Reference, Target};
use crate::layout::SKILL_FILE;
use crate::path::{Pattern, RelPath};

/// Returns the reachable documents, including the starting points: `main`, and every nested `SKILL.md`, which is the
/// entry point of its own folder.
pub(crate) fn reachable(
    references: &BTreeMap<RelPath, Vec<Reference>>,
    main: Option<&RelPath>,
    follow: Follow,
) -> BTreeSet<RelPath> {
    let mut walk = Walk {
        references,
        reached: BTreeSet::new(),
        waiting: Vec::new(),
        seen: BTreeSet::new(),
    };
    let nested = references
        .keys()
        .filter(|path| path.file_name().eq_ignore_ascii_case(SKILL_FILE));
    for start in main.into_iter().chain(nested) {
        walk.come_to(start);
    }
    while let Some(document) = walk.waiting.pop() {
        for reference in references.get(document).into_iter().flatten() {
            if reference.is_link() || follow == Follow::All {
                walk.follow(&reference.target);
            }
        }
    }
    walk.reached.into_iter().cloned().collect()
}

struct Walk<'a> {
    references: &'a BTreeMap<RelPath, Vec<Reference>>,
    reached: BTreeSet<&'a RelPath>,
    waiting: Vec<&'a RelPath>,
    /// Directories and globs already followed: each covers many files and is often referenced many times.
    seen: BTreeSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn come_to(&mut self, path: &RelPath) {
        if let Some((document, _)) = self.references.get_key_value(path)
            && self.reached.insert(document)
        {
            self.waiting.push(document);
        }
    }

    fn follow(&mut self, target: &'a Target) {
        match target {
            Target::File(path) => self.come_to(path),
            Target::Directory(path) => self.follow_directory(path),
            Target::Glob(pattern) | Target::Placeholder(Some(pattern)) => self.follow_glob(pattern),
            _ => {}
        }
    }

    /// Follows a reference to a directory. A reference to the root does not make every file in it reachable.
    fn follow_directory(&mut self, dir: &'a RelPath) {
        if dir.as_str().is_empty() || !self.seen.insert(dir.as_str()) {
            return;
        }
        let behind = (Bound::Excluded(dir), Bound::Unbounded);
        let start = format!("{dir}/");
        let below = self
            .references
            .range::<RelPath, _>(behind)
            .map(|(path, _)| path)
            .skip_while(|path| path.as_str() < start.as_str())
            .take_while(|path| path.as_str().starts_with(&start));
        for path in below {
            self.come_to(path);
        }
    }

    fn follow_glob(&mut self, pattern: &'a Pattern) {
        if !self.seen.insert(pattern.as_str()) {
            return;
        }
        for path in self.references.keys().filter(|path| pattern.matches(path)) {
            self.come_to(path);
        }
    }
}
