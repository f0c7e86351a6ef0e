//! SKL001 skip-compiled.
//!
//! Design: C-REGISTRY.2.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

declare_rule! {
    /// Reports a linted directory that is the output of `skc build`.
    ///
    /// ## Why
    /// A build replaces the text of `SKILL.md` with a short stub and moves the rest to a search index. The headings and
    /// links of a stub are not the ones you wrote, so the results of other rules are not meaningful.
    ///
    /// `skc lint` skips build output, recognized by `.skillc-meta/manifest.json`, with a message. This rule only
    /// reports it if you lint it anyway, with `--force`.
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
