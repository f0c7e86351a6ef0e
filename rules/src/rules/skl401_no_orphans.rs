//! SKL401 no-orphans.

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Findings, Follow, RelPath, Rule, RuleMeta, Skill, declare_rule};

declare_rule! {
    /// Reports a Markdown file that nothing leads to.
    ///
    /// ## Why
    /// An agent reads `SKILL.md` and goes on from there. A file that is neither linked nor named on the way is not read:
    /// either it is forgotten, or the sentence that says when to read it is.
    ///
    /// A file is found by a link, from `SKILL.md` or from a file that is found itself. It is also found if its path, a
    /// directory above it (`references/`) or a glob (`references/*.md`) is named anywhere in such a file, in code too.
    /// Paths count from the file they stand in or from the skill's root.
    ///
    /// `README.md`, `LICENSE.md`, `CHANGELOG.md` and `CONTRIBUTING.md` are for people and need no link; a `SKILL.md`
    /// below is a skill of its own, and so are the files it leads to. Hidden files are not looked at.
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
    ///
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL401; RULINGS R2, R19.
    pub(crate) struct NoOrphans {
        code: "SKL401",
        name: "no-orphans",
        severity: Warning,
        since: "0.2.0",
    }
}

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

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        // Without a `SKILL.md` that can be read nothing is reachable, and the file is not to blame.
        if skill.main().is_none() {
            return;
        }
        for entry in skill.tree.markdown() {
            let path = &entry.path;
            let is_exempt = EXEMPT
                .iter()
                .any(|name| name.eq_ignore_ascii_case(path.file_name()));
            if !is_exempt && !skill.references().is_reachable(path, Follow::All) {
                out.file(path, orphaned(path))
                    .help("link to it or name its path or directory where it is to be read");
            }
        }
    }
}

fn orphaned(path: &RelPath) -> String {
    format!("orphaned file: '{path}'")
}
