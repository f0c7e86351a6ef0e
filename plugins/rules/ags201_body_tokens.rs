//! AGS201 body-tokens.

use skillc_core::tokens::{first_beyond, tokens};
use skillc_core::{Document, Skill, Span};
use skillc_lint::{Findings, OptionKind, Rule, RuleMeta, RuleOption, declare_rule};

/// The default limit on tokens. The default is one fifth above the standard's recommendation, because the rule only
/// estimates the number of tokens.
const MAX_TOKENS: usize = 6_000;

/// SKL201 reports files with more lines.
const MAX_LINES: usize = 500;

const OPTIONS: &[RuleOption] = &[RuleOption::new(
    "max-tokens",
    OptionKind::Number,
    "Maximum number of tokens; default 6000",
)];

declare_rule! {
    /// Reports a `SKILL.md` with a body of more than about 6,000 tokens.
    ///
    /// ## Why
    /// An agent reads the whole body as soon as it uses the skill, regardless of the task. Content in a separate file
    /// costs no tokens until a task needs it. Some clients also truncate long bodies when they compact the context.
    ///
    /// Each model counts tokens differently, so the rule only estimates their number: one token per Chinese, Japanese
    /// or Korean character, and one per four other characters, spaces included. Code and tables often have more tokens
    /// than estimated. The standard recommends fewer than 5,000 tokens; as the number is an estimate, the rule accepts
    /// a fifth more. Files of more than 500 lines are left to SKL201, unless `max-tokens` is set.
    ///
    /// ## Example
    /// ```markdown
    /// ## All functions of PostgreSQL
    /// … (two thousand words)
    /// ## All functions of MySQL
    /// … (two thousand words)
    /// ```
    /// Write instead:
    /// ```markdown
    /// ## Functions
    /// - PostgreSQL: [references/postgresql.md](references/postgresql.md)
    /// - MySQL: [references/mysql.md](references/mysql.md)
    /// ```
    ///
    /// ## Options
    /// `max-tokens`: maximum number of tokens, default 6000.
    ///
    /// ## Source
    /// The Agent Skills standard, docs/specification.mdx (2026-08-04): fewer than 5000 tokens are recommended.
    pub(crate) struct BodyTokens {
        code: "AGS201",
        name: "body-tokens",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for BodyTokens {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn options(&self) -> &[RuleOption] {
        OPTIONS
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let given = out.options().number("max-tokens");
        if given.is_none() && doc.lines.count() > MAX_LINES {
            return;
        }
        let max = given.unwrap_or(MAX_TOKENS);
        let body = &doc.text[doc.body_start..];
        let Some(beyond) = first_beyond(body, max) else {
            return;
        };
        let line = doc.lines.line(doc.body_start + beyond);
        let line = doc.lines.range(line, line + 1);
        out.at(Span::new(line.start, line.end), too_long(tokens(body), max))
            .help(
                "move parts that only some tasks use into files in 'references/', and link to them here",
            );
    }
}

fn too_long(tokens: usize, max: usize) -> String {
    format!("body has about {tokens} tokens; expected at most {max}")
}
