//! SKL202 heading-h1.
//!
//! Design: C-REGISTRY.14.

use skillc_core::{Document, Heading, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::name::{in_title, name_of};
use crate::support::text::shown;

declare_rule! {
    /// Reports a `SKILL.md` without a top-level heading.
    ///
    /// ## Why
    /// The first heading of level 1 is the title of the skill: outlines start with it, and search results show it as
    /// the outermost heading of each section.
    ///
    /// Both notations are accepted: `# Title`, and `Title` underlined with `=`. A `#` in a code block or frontmatter is
    /// not a heading, and a heading in a quote or a list is not a title. A body with fewer than 20 non-blank lines and
    /// at most one heading needs no title.
    ///
    /// ## Example
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// ## Style
    ///
    /// Formats SQL queries.
    ///
    /// ## Limits
    ///
    /// No procedures.
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Use when a query is hard to read.
    /// ---
    /// # SQL Format
    ///
    /// ## Style
    ///
    /// Formats SQL queries.
    ///
    /// ## Limits
    ///
    /// No procedures.
    /// ```
    pub(crate) struct HeadingH1 {
        code: "SKL202",
        name: "heading-h1",
        severity: Warning,
        since: "0.2.0",
    }
}

/// A body with this many non-blank lines needs a title, regardless of the number of headings.
const MIN_LINES: usize = 20;

/// The minimum length of a significant word in a name, in characters.
const MIN_WORD: usize = 4;

impl Rule for HeadingH1 {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        if doc.headings.iter().any(|heading| heading.level == 1) {
            return;
        }
        if !out.is_by_the_letter() && is_short(doc) {
            return;
        }
        let found = match first_line(doc) {
            Some(line) => out.at(line, "no H1 heading"),
            None => out.file(&doc.path, "no H1 heading"),
        };
        if let Some(inner) = doc.inner_headings.iter().find(|heading| heading.level == 1) {
            found.label(inner.span, "inside a quote or list: not a title");
        }
        let name = name_of(doc, skill);
        if let Some(first) = title_of_lower_level(doc, name.as_ref().map(|name| &*name.text)) {
            let title = shown(&first.text);
            found.help(format!("make the first heading the title: '# {title}'"));
            return;
        }
        let title = name.map_or_else(|| "# Title".to_owned(), |name| in_title(&name.text));
        found.help(format!("start the text with a title: '{title}'"));
    }
}

/// Returns whether a body is too short to need a title.
fn is_short(doc: &Document) -> bool {
    let lines = doc.text[doc.body_start..].lines();
    let lines = lines.filter(|line| !line.trim().is_empty());
    doc.headings.len() < 2 && lines.take(MIN_LINES).count() < MIN_LINES
}

/// Returns the first heading if it seems to be a title of the wrong level: the body starts with it, and it contains a
/// word of the skill's name.
fn title_of_lower_level<'d>(doc: &'d Document, name: Option<&str>) -> Option<&'d Heading> {
    let first = doc.headings.first()?;
    if doc.lines.line(first_line(doc)?.start) != first.line {
        return None;
    }
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let title = letters(&first.text);
    let mut words = name?.split(|c: char| !c.is_alphanumeric());
    let is_in = |word: &str| word.chars().count() >= MIN_WORD && title.contains(&letters(word));
    words.any(is_in).then_some(first)
}

/// Returns the first non-blank line of the body, where a missing title is reported.
fn first_line(doc: &Document) -> Option<Span> {
    let body = doc.text.get(doc.body_start..)?;
    let start = doc.body_start + body.find(|c: char| !c.is_whitespace())?;
    let line = doc.lines.line(start);
    Some(Span::new(start, doc.lines.range(line, line + 1).end))
}
