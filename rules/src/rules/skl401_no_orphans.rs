//! SKL401 no-orphans.
//!
//! Design: C-REGISTRY.21, R2, R19.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Follow, RelPath, Skill, Target};
use skillc_lint::{Findings, OptionKind, Rule, RuleMeta, RuleOption, declare_rule};

use crate::support::places::{is_for_people, is_test};

const OPTIONS: &[RuleOption] = &[RuleOption::new(
    "mentions",
    OptionKind::Flag,
    "Whether a file that is mentioned but not linked counts as reachable; default true",
)];

declare_rule! {
    /// Reports a Markdown file that cannot be reached from `SKILL.md` by links or mentions.
    ///
    /// ## Why
    /// An agent starts with `SKILL.md` and follows its references. It never reads a file that it cannot reach this way:
    /// either the file is obsolete, or the sentence that says when to read it is missing.
    ///
    /// A file is reachable by a link from `SKILL.md` or from another reachable file. It is also reachable if one of
    /// these files mentions its path, a directory above it or a glob that matches it (`references/*.md`), even in code.
    /// A mention of a directory counts only if it has a trailing slash (`references/`) or is in code; a link quoted in
    /// code does not count. Paths are relative to the containing file or to the skill's root.
    ///
    /// More than 20 orphans below one top-level directory are reported as a single finding, because they probably have
    /// one cause. If only a script reads these files, mention their directory where the script is described.
    ///
    /// A file name without its folder counts as a mention if the name is unique in the skill. The intended target of a
    /// broken link, or of a path in the wrong case, is not reported: it becomes reachable when the link or path is
    /// fixed (SKL301, REF101, REF102).
    ///
    /// Files for people need no link: `README.md` in any language, `CHANGELOG.md`, `CONTRIBUTING.md`, licences and
    /// trademark notices, `AGENTS.md`, `CLAUDE.md`. Tests and their expected results need no link either. A nested
    /// `SKILL.md` is a separate skill, together with the files that it links to. Hidden files are not checked.
    ///
    /// ## Example
    /// `references/limits.md` exists, but `SKILL.md` only says:
    /// ```markdown
    /// Stay below the limits.
    /// ```
    /// Write instead:
    /// ```markdown
    /// Stay below the limits; [references/limits.md](references/limits.md) lists them.
    /// ```
    pub(crate) struct NoOrphans {
        code: "SKL401",
        name: "no-orphans",
        severity: Warning,
        since: "0.2.0",
    }
}

/// The maximum number of files per top-level directory that are reported individually.
const MAX_EACH: usize = 20;

const HELP: &str =
    "link to the file or mention its path where an agent should read it, or remove the file";

/// Names of files that do not need a link, in any directory.
const EXEMPT: [&str; 5] = [
    SKILL_FILE,
    "README.md",
    "LICENSE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
];

impl Rule for NoOrphans {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn options(&self) -> &[RuleOption] {
        OPTIONS
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        // Without a readable `SKILL.md`, no file is reachable. Reporting all files would not help.
        if skill.main().is_none() {
            return;
        }
        let is_by_the_letter = out.is_by_the_letter();
        let follow = match out.options().flag("mentions") {
            Some(false) => Follow::Links,
            None if is_by_the_letter => Follow::Links,
            _ => Follow::All,
        };
        let is_exempt = |path: &RelPath| {
            EXEMPT
                .iter()
                .any(|name| name.eq_ignore_ascii_case(path.file_name()))
                || !is_by_the_letter && (is_for_people(path) || is_test(path))
        };
        let broken = LazyCell::new(|| broken_names(skill));
        let is_meant =
            |path: &RelPath| !is_by_the_letter && broken.contains(&path.file_name().to_lowercase());
        let paths = skill.tree.markdown().map(|entry| &entry.path);
        let orphans: Vec<&RelPath> = paths
            .filter(|path| !is_exempt(path) && !skill.references().is_reachable(path, follow))
            .filter(|path| !is_meant(path))
            .collect();
        // Deviation: C-REGISTRY reports each file. Hundreds of similar findings would hide all others.
        for of_directory in orphans.chunk_by(|a, b| top_directory(a) == top_directory(b)) {
            match (of_directory, top_directory(of_directory[0])) {
                ([first, ..], Some(directory)) if of_directory.len() > MAX_EACH => {
                    out.file(first, orphaned_below(directory, of_directory.len()))
                        .help("mention the directory, or link to an index of its files, where an agent should read these files");
                }
                _ => of_directory.iter().for_each(|path| {
                    out.file(path, orphaned(path)).help(HELP);
                }),
            }
        }
    }
}

/// Returns the names, in lower case, of the intended targets of broken links and mentions. Other rules report these
/// links. Once the links are fixed, the files are reachable.
fn broken_names(skill: &Skill) -> BTreeSet<String> {
    let references = skill
        .documents()
        .flat_map(|document| skill.references().in_document(&document.path));
    let names = references.filter_map(|reference| match &reference.target {
        Target::Missing(path) => Some(path.file_name().to_lowercase()),
        _ => None,
    });
    names.collect()
}

/// Returns the top-level directory that contains a file; `None` for a file in the skill's root.
fn top_directory(path: &RelPath) -> Option<&str> {
    Some(path.as_str().split_once('/')?.0)
}

fn orphaned(path: &RelPath) -> String {
    format!("orphaned file: '{path}'")
}

fn orphaned_below(directory: &str, count: usize) -> String {
    format!("orphaned files: {count} below '{directory}/', of which this is the first")
}
