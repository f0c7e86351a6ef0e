//! AGS202 one-level.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Document, Reference, RelPath, Skill, Target};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::shown;

declare_rule! {
    /// Reports a file that is only reachable from `SKILL.md` through other files.
    ///
    /// ## Why
    /// If `SKILL.md` does not mention a file, an agent may read only a part of the file, or not read it at all. An
    /// agent learns of every file that `SKILL.md` itself mentions, and `SKILL.md` can say when to read each of them.
    ///
    /// A file is one level deep if `SKILL.md` links to it, or mentions it by its path, by a directory above it, or by a
    /// glob that matches it. Levels in a nested skill are counted from its own `SKILL.md`. Only Markdown files are
    /// checked. Each file is reported once, at the last reference on the shortest path to it.
    ///
    /// The rule is disabled by default: the standard recommends one level but does not require it.
    ///
    /// ## Example
    /// `SKILL.md` contains the first of these lines, and `references/index.md` the second:
    /// ```markdown
    /// See [the index](references/index.md).
    /// See [the limits](limits.md).
    /// ```
    /// Write in `SKILL.md` instead:
    /// ```markdown
    /// See [the index](references/index.md), and [the limits](references/limits.md) before you write a table.
    /// ```
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04), file references.
    pub(crate) struct OneLevel {
        code: "AGS202",
        name: "one-level",
        severity: Warning,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for OneLevel {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        for (path, step) in steps(skill) {
            let Some(from) = step.from.filter(|_| step.level > 1) else {
                continue;
            };
            let found = out.file(&from.document.path, too_deep(path, step.level));
            found.span = from.reference.span;
            found.help(format!(
                "mention it in '{SKILL_FILE}' as well, and say when to read it"
            ));
        }
    }
}

/// The last step of the shortest path from a `SKILL.md` to a file.
#[derive(Clone, Copy)]
struct Step<'a> {
    /// The number of files before this file on the path; 0 for a `SKILL.md`.
    level: usize,
    from: Option<Naming<'a>>,
}

/// A reference, and the document that contains it.
#[derive(Clone, Copy)]
struct Naming<'a> {
    document: &'a Document,
    reference: &'a Reference,
}

/// Finds the shortest path to each Markdown file; ties go to the first mention.
struct Walk<'a> {
    documents: BTreeMap<&'a RelPath, &'a Document>,
    steps: BTreeMap<&'a RelPath, Step<'a>>,
    waiting: VecDeque<&'a Document>,
    /// The directories and globs that were already followed. They are not followed again, because each can cover many
    /// files, and documents often repeat them.
    seen: BTreeSet<&'a str>,
}

fn steps(skill: &Skill) -> BTreeMap<&RelPath, Step<'_>> {
    let mut walk = Walk {
        documents: skill.documents().map(|doc| (&doc.path, doc)).collect(),
        steps: BTreeMap::new(),
        waiting: VecDeque::new(),
        seen: BTreeSet::new(),
    };
    for document in skill.documents() {
        if skill.is_main(document) || document.path.file_name().eq_ignore_ascii_case(SKILL_FILE) {
            walk.come_to(document, 0, None);
        }
    }
    while let Some(document) = walk.waiting.pop_front() {
        let level = walk.steps[&document.path].level + 1;
        for reference in skill.references().in_document(&document.path) {
            let from = Naming {
                document,
                reference,
            };
            for next in walk.led_to(&reference.target) {
                walk.come_to(next, level, Some(from));
            }
        }
    }
    walk.steps
}

impl<'a> Walk<'a> {
    fn come_to(&mut self, document: &'a Document, level: usize, from: Option<Naming<'a>>) {
        if let Entry::Vacant(entry) = self.steps.entry(&document.path) {
            entry.insert(Step { level, from });
            self.waiting.push_back(document);
        }
    }

    /// Returns the files that a reference covers. Returns nothing for a directory or a glob that was already followed.
    fn led_to(&mut self, target: &'a Target) -> Vec<&'a Document> {
        match target {
            Target::File(path) => self.documents.get(path).copied().into_iter().collect(),
            // A link to the skill's root does not count as a mention of all its files.
            Target::Directory(dir) if !dir.as_str().is_empty() => {
                self.covered(dir.as_str(), |path| path.rest_below(dir).is_some())
            }
            Target::Glob(glob) | Target::Placeholder(Some(glob)) => {
                self.covered(glob.as_str(), |path| glob.matches(path))
            }
            _ => Vec::new(),
        }
    }

    fn covered(&mut self, name: &'a str, covers: impl Fn(&RelPath) -> bool) -> Vec<&'a Document> {
        if !self.seen.insert(name) {
            return Vec::new();
        }
        let found = self.documents.iter().filter(|(path, _)| covers(path));
        found.map(|(_, document)| *document).collect()
    }
}

fn too_deep(path: &RelPath, level: usize) -> String {
    format!(
        "'{}' is {level} levels from '{SKILL_FILE}'; expected one",
        shown(path.as_str())
    )
}
