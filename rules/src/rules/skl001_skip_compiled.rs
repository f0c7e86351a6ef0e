//! SKL001 skip-compiled.
//!
//! Design: C-REGISTRY.2.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a linted directory that is the output of `skc build`.
    ///
    /// ## Why
    /// The `SKILL.md` in a build is a short stub, and the rest of the text is in a search index. The headings and links
    /// of the stub are not the ones that you wrote, so the results of other rules are not meaningful.
    ///
    /// `skc lint` skips a build, which it recognizes by `.skillc-meta/manifest.json`, and prints a message. This rule
    /// only reports a build that you lint anyway, with `--force`.
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
