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
    "Whether a file that is only named, not linked to, counts as found; true unless given",
)];

declare_rule! {
    /// Reports a Markdown file that nothing leads to.
    ///
    /// ## Why
    /// An agent reads `SKILL.md` and goes on from there. A file that is neither linked nor named on the way is not read:
    /// either it is forgotten, or the sentence that says when to read it is.
    ///
    /// A file is found by a link, from `SKILL.md` or from a file that is found itself. It is also found if its path, a
    /// directory above it or a glob (`references/*.md`) is named anywhere in such a file, in code too. A directory counts
    /// with a slash at its end (`references/`) or in code; a link that is quoted in code does not. Paths count from the
    /// file they stand in or from the skill's root.
    ///
    /// More than 20 such files below one directory are one finding: something is missing that leads to all of them. If a
    /// script finds them, and nobody is to read them otherwise, name their directory where the script is described.
    ///
    /// A name without its folder counts if only one file of the skill has it. A file that a broken link is meant for, or
    /// a path in other letter case, is found once that is mended (SKL301, REF101, REF102), and not reported here.
    ///
    /// Files for people need no link: `README.md` in any language, `CHANGELOG.md`, `CONTRIBUTING.md`, texts of licences and
    /// trademarks, `AGENTS.md`, `CLAUDE.md`; nor do tests and what they expect. A `SKILL.md` below is a skill of its own,
    /// and so are the files it leads to. Hidden files are not looked at.
    ///
    /// ## Example
    /// `references/limits.md` is there, but `SKILL.md` has only:
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

/// The most files below one directory that are reported each.
const MAX_EACH: usize = 20;

const HELP: &str =
    "link to it or name its path where it is to be read, or remove it from the skill";

/// Files for people, in any directory.
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
        // Without a `SKILL.md` that can be read nothing is reachable, and the file is not to blame.
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
        // Deviation: C-REGISTRY reports each. Hundreds of a kind hide what else there is.
        for of_directory in orphans.chunk_by(|a, b| top_directory(a) == top_directory(b)) {
            match (of_directory, top_directory(of_directory[0])) {
                ([first, ..], Some(directory)) if of_directory.len() > MAX_EACH => {
                    out.file(first, orphaned_below(directory, of_directory.len()))
                        .help("name the directory or link to an index of it where they are to be read");
                }
                _ => of_directory.iter().for_each(|path| {
                    out.file(path, orphaned(path)).help(HELP);
                }),
            }
        }
    }
}

/// Returns the names, in lower case, of the files that links and mentions of what is not there lead to: other rules report these,
/// and once they are mended the files are found.
fn broken_names(skill: &Skill) -> BTreeSet<String> {
    let references = skill
        .documents()
        .flat_map(|document| skill.references().of(&document.path));
    let names = references.filter_map(|reference| match &reference.target {
        Target::Missing(path) => Some(path.file_name().to_lowercase()),
        _ => None,
    });
    names.collect()
}

/// Returns the directory of the skill's root that a file is in, if it is in one.
fn top_directory(path: &RelPath) -> Option<&str> {
    Some(path.as_str().split_once('/')?.0)
}

fn orphaned(path: &RelPath) -> String {
    format!("orphaned file: '{path}'")
}

fn orphaned_below(directory: &str, count: usize) -> String {
    format!("orphaned files: {count} below '{directory}/', of which this is the first")
}
