//! SKL201 skill-size.
//!
//! Design: C-REGISTRY.13.

use skillc_core::tokens::tokens;
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, OptionKind, Rule, RuleMeta, RuleOption, declare_rule};

/// The default limit on the number of lines of `SKILL.md`, including the frontmatter.
const MAX_LINES: usize = 500;

/// A file with a body of at most this many tokens may have a tenth more lines. Source: the Agent Skills standard.
const MAX_TOKENS: usize = 5_000;

const OPTIONS: &[RuleOption] = &[RuleOption::new(
    "max-lines",
    OptionKind::Number,
    "Maximum number of lines; default 500",
)];

declare_rule! {
    /// Reports a `SKILL.md` of more than 500 lines.
    ///
    /// ## Why
    /// A client that uses the skill loads all of `SKILL.md`, which stays in the context for the rest of the session.
    /// Move content that only some tasks need into separate files, which an agent reads on demand. All lines are
    /// counted, including frontmatter, code and blank lines. Without `max-lines`, up to 550 lines are accepted if the
    /// body has no more than about 5,000 tokens.
    ///
    /// ## Example
    /// ```markdown
    /// ## Dialects
    /// ### PostgreSQL
    /// … 300 lines …
    /// ### MySQL
    /// … 300 lines …
    /// ```
    /// Write instead:
    /// ```markdown
    /// ## Dialects
    /// - PostgreSQL: [references/postgresql.md](references/postgresql.md)
    /// - MySQL: [references/mysql.md](references/mysql.md)
    /// ```
    pub(crate) struct SkillSize {
        code: "SKL201",
        name: "skill-size",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for SkillSize {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn options(&self) -> &[RuleOption] {
        OPTIONS
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let count = doc.lines.count();
        let given = out.options().number("max-lines");
        let most = given.unwrap_or(MAX_LINES);
        if count <= most {
            return;
        }
        let is_near =
            count <= most + most / 10 && tokens(&doc.text[doc.body_start..]) <= MAX_TOKENS;
        if given.is_none() && is_near && !out.is_by_the_letter() {
            return;
        }
        let first_beyond = doc.lines.range(most + 1, most + 2);
        out.at(
            Span::new(first_beyond.start, first_beyond.end),
            too_long(count, most),
        )
        .help("move parts that only some tasks use into files in 'references/', and link to them here");
    }
}

fn too_long(count: usize, most: usize) -> String {
    format!("file has {count} lines; expected at most {most}")
}
