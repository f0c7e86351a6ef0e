//! AGS202 one-level.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Document, Reference, RelPath, Skill, Target};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::shown;

declare_rule! {
    /// Reports a file that `SKILL.md` leads to only by way of other files.
    ///
    /// ## Why
    /// An agent that comes to a file by way of another may read only a part of it, or not go on at all.
    /// What `SKILL.md` names itself is found, and `SKILL.md` can say when to read it.
    ///
    /// A file is one level deep if `SKILL.md` links to it, or names its path, a directory above it or a glob that covers it.
    /// Files of a skill within the skill count from that one's `SKILL.md`. Only Markdown files are looked at, and each is
    /// reported once, where the shortest way to it goes on.
    ///
    /// The rule is off unless you select it: the standard advises one level and does not demand it.
    ///
    /// ## Example
    /// `SKILL.md` has only the first line, and `references/index.md` the second:
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
                "name it in '{SKILL_FILE}' too, and say there when to read it"
            ));
        }
    }
}

/// How a reader comes to a file.
#[derive(Clone, Copy)]
struct Step<'a> {
    /// How many files there are before it; 0 for a `SKILL.md`.
    level: usize,
    from: Option<Place<'a>>,
}

/// Where a file is named.
#[derive(Clone, Copy)]
struct Place<'a> {
    document: &'a Document,
    reference: &'a Reference,
}

/// Finds the shortest way to each Markdown file; between two, the one that is named first.
struct Walk<'a> {
    documents: BTreeMap<&'a RelPath, &'a Document>,
    steps: BTreeMap<&'a RelPath, Step<'a>>,
    waiting: VecDeque<&'a Document>,
    /// Directories and globs that have been followed: each covers many files, and is often named many times.
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
        for reference in skill.references().of(&document.path) {
            let from = Place {
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
    fn come_to(&mut self, document: &'a Document, level: usize, from: Option<Place<'a>>) {
        if let Entry::Vacant(entry) = self.steps.entry(&document.path) {
            entry.insert(Step { level, from });
            self.waiting.push_back(document);
        }
    }

    /// Returns the files that a reference leads to; nothing for a directory or a glob that was followed before.
    fn led_to(&mut self, target: &'a Target) -> Vec<&'a Document> {
        match target {
            Target::File(path) => self.documents.get(path).copied().into_iter().collect(),
            // A link to the root says nothing about what is in it.
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
