//! SKL202 heading-h1.
//!
//! Source: RFC-0008 C-REGISTRY, SKL202.

use skillc_core::{Document, Findings, Rule, RuleMeta, Skill, Span, declare_rule};

use crate::support::name::{in_title, name_of};

declare_rule! {
    /// Reports a `SKILL.md` without a top-level heading.
    ///
    /// ## Why
    /// The first heading of level 1 is the title of the skill: outlines begin with it, and a search hit is shown below it.
    ///
    /// Both ways to write one count: `# Title`, and `Title` over a line of `=`. A `#` in a code block or in the frontmatter
    /// is no heading, and one in a quote or a list is no title.
    ///
    /// ## Example
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// Formats SQL queries.
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// # SQL Format
    ///
    /// Formats SQL queries.
    /// ```
    pub(crate) struct HeadingH1 {
        code: "SKL202",
        name: "heading-h1",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for HeadingH1 {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        if doc.headings.iter().any(|heading| heading.level == 1) {
            return;
        }
        let found = match first_line(doc) {
            Some(line) => out.at(line, "no H1 heading"),
            None => out.file(&doc.path, "no H1 heading"),
        };
        if let Some(inner) = doc.inner_headings.iter().find(|heading| heading.level == 1) {
            found.label(inner.span, "in a quote or a list: not a title");
        }
        let title =
            name_of(doc, skill).map_or_else(|| "# Title".to_owned(), |name| in_title(&name.text));
        found.help(format!("begin the text with a title: '{title}'"));
    }
}

/// Returns the first line of the body that is not blank: there a title is missed.
fn first_line(doc: &Document) -> Option<Span> {
    let body = doc.text.get(doc.body_start..)?;
    let start = doc.body_start + body.find(|c: char| !c.is_whitespace())?;
    let line = doc.lines.line(start);
    Some(Span::new(start, doc.lines.range(line, line + 1).end))
}
