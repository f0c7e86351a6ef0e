//! SKL100 frontmatter-valid.

use skillc_core::{Document, Findings, Frontmatter, Rule, RuleMeta, Skill, Span, declare_rule};

declare_rule! {
    /// Reports a `SKILL.md` whose frontmatter is missing or cannot be read.
    ///
    /// ## Why
    /// Everything that a client knows of a skill before it opens it stands in the frontmatter. If it cannot be read, most
    /// clients leave the skill out without a word; some guess, each in its own way.
    ///
    /// The frontmatter is a block of YAML between two lines of exactly `---`, the first of which is the first line of the
    /// file. A finding names the line and what to change. Other rules still check the fields that can be read.
    ///
    /// ## Example
    /// The usual mistake is a colon and a blank in a text without quotes:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: Formats SQL. Example: long queries. Use when a query is hard to read.
    /// ---
    /// ```
    /// Write instead:
    /// ```markdown
    /// ---
    /// name: sql-format
    /// description: "Formats SQL. Example: long queries. Use when a query is hard to read."
    /// ---
    /// ```
    ///
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL100.
    pub(crate) struct FrontmatterValid {
        code: "SKL100",
        name: "frontmatter-valid",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for FrontmatterValid {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        match &doc.frontmatter {
            Frontmatter::Absent => absent(doc, out),
            Frontmatter::Unclosed => unclosed(doc, out),
            Frontmatter::Invalid { message, at, .. } => {
                out.at(*at, format!("invalid frontmatter YAML: {message}"));
            }
            _ => {}
        }
    }
}

fn absent(doc: &Document, out: &mut Findings<'_>) {
    let message = "missing frontmatter: file does not start with ---";
    let mut lines = lines(doc);
    let (first, text) = lines.next().unwrap_or_default();
    if text.trim().starts_with("---") {
        out.at(first, message)
            .help("the first line must be exactly '---', without blanks or more hyphens");
        return;
    }
    // A block that begins too late: only blank lines and comments are above it.
    let is_above = |text: &str| text.trim().is_empty() || text.trim_start().starts_with("<!--");
    let mut lines = [(first, text)].into_iter().chain(lines);
    let begin = lines.find(|(_, text)| !is_above(text));
    match begin.filter(|(_, text)| text.trim() == "---") {
        Some((late, _)) => out
            .at(late, message)
            .help("this must be the first line of the file: remove what is above it"),
        None => out
            .at(first, message)
            .help("begin the file with '---', 'name: …', 'description: …' and '---'"),
    };
}

fn unclosed(doc: &Document, out: &mut Findings<'_>) {
    let mut lines = lines(doc);
    let (first, _) = lines.next().unwrap_or_default();
    let found = out.at(first, "missing frontmatter: no closing --- found");
    let is_near = |text: &str| {
        let text = text.trim();
        text.starts_with("---") || matches!(text, "--" | "...") || text.starts_with('—')
    };
    match lines.find(|(_, text)| is_near(text)) {
        Some((near, _)) => found.label(near, "this line is not exactly '---'"),
        None => found.help("write a line '---' after the last field"),
    };
}

/// Returns the lines of a file with their text, without line ends and byte order mark.
fn lines(doc: &Document) -> impl Iterator<Item = (Span, &str)> {
    (1..=doc.lines.count()).map(|line| {
        let range = doc.lines.range(line, line + 1);
        let text = doc.text[range.clone()].trim_end_matches(['\n', '\r']);
        let span = Span::new(range.start, range.start + text.len());
        (span, text.trim_start_matches('\u{feff}'))
    })
}
