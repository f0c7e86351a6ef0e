//! SKL001 skip-compiled.
//!
//! Design: C-REGISTRY.2.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports that a directory which `skc build` made is being linted.
    ///
    /// ## Why
    /// A build replaces the text of `SKILL.md` by a short stub and keeps the rest in a search index. What the other rules
    /// say of a stub says little about the skill: its headings and links are not the ones you wrote.
    ///
    /// So `skc lint` passes over a compiled skill, one that has `.skillc-meta/manifest.json`, and says that it does. This
    /// rule speaks only if you lint it all the same, with `--force`.
    ///
    /// ## Example
    /// ```sh
    /// skc lint .claude/skills/sql-format --force
    /// ```
    /// Write instead:
    /// ```sh
    /// skc lint .skillc/skills/sql-format
    /// ```
    pub(crate) struct SkipCompiled {
        code: "SKL001",
        name: "skip-compiled",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for SkipCompiled {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        if skill.is_compiled() {
            out.skill("linting compiled skill; results may not be meaningful");
        }
    }
}
