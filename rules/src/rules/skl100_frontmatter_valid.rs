//! SKL100 frontmatter-valid.
//!
//! Design: C-REGISTRY.4.

use skillc_core::{Document, Frontmatter, Skill, Span};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::support::delimiter::{LONE_CR, bare, first_unseen, flaw, is_blank, is_near, is_utf16};
use crate::support::quoting::quoted;

declare_rule! {
    /// Reports a `SKILL.md` whose frontmatter is missing or invalid.
    ///
    /// ## Why
    /// The frontmatter is all that a client knows about a skill before loading it. If it cannot be parsed, most clients
    /// silently drop the skill; others guess what it means.
    ///
    /// The frontmatter is a block of YAML between two lines of exactly `---`, the first of which is the first line of
    /// the file. The finding shows the line with the error and how to fix it. Other rules still check the fields that
    /// could be recovered.
    ///
    /// ## Example
    /// The most common mistake is a colon followed by a space in unquoted text:
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
    /// ## Fix
    /// If a field with prose, such as a description or a hint, is not valid YAML, the fix puts its value in double
    /// quotes, provided that this makes the frontmatter valid. This is safe: the text does not change. No fix is
    /// offered if the value may have another meaning: it contains a `#` after a space, starts with a quote or a dash,
    /// or has an unclosed bracket.
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
                let found = out.at(*at, format!("invalid frontmatter YAML: {message}"));
                if let Some(fix) = quoted(doc) {
                    found.fix(fix);
                }
            }
            _ => {}
        }
    }
}

fn absent(doc: &Document, out: &mut Findings<'_>) {
    let (first, text) = lines(doc).next().unwrap_or_default();
    let (at, help) = if is_utf16(&doc.text) {
        (first, "the file is UTF-16: save it as UTF-8".to_owned())
    } else if text == "---" {
        (first, LONE_CR.to_owned())
    } else if is_near(text) {
        let plain = "the first line must be exactly '---', without spaces or more hyphens";
        (first, flaw(text).unwrap_or_else(|| plain.to_owned()))
    } else if let Some((late, above)) = late(doc) {
        (late, too_late(above))
    } else {
        let help = "start the file with '---', 'name: …', 'description: …' and '---'";
        (first, help.to_owned())
    };
    out.at(at, "missing frontmatter: file does not start with ---")
        .help(help);
}

/// Returns the first delimiter and the text above it, if that text consists only of blank lines and comments.
fn late(doc: &Document) -> Option<(Span, &str)> {
    let text = doc.text.as_str();
    let mut rest = text.trim_start_matches(is_blank);
    while let Some(comment) = rest.strip_prefix("<!--") {
        let (_, below) = comment.split_once("-->")?;
        rest = below.trim_start_matches(is_blank);
    }
    let line = rest.lines().next().unwrap_or_default();
    let at = text.len() - rest.len();
    (bare(line) == "---").then(|| (Span::new(at, at + "---".len()), &text[..at]))
}

fn too_late(above: &str) -> String {
    let above = above.strip_prefix('\u{feff}').unwrap_or(above);
    let remedy = match first_unseen(above) {
        _ if above.contains("<!--") => "move the comment above it below the frontmatter".to_owned(),
        Some(unseen) => format!("remove {unseen} above it"),
        None => "remove the blank lines above it".to_owned(),
    };
    format!("this must be the first line of the file: {remedy}")
}

fn unclosed(doc: &Document, out: &mut Findings<'_>) {
    let mut lines = lines(doc);
    let (first, _) = lines.next().unwrap_or_default();
    let found = out.at(first, "missing frontmatter: no closing --- found");
    let is_near = |text: &str| is_near(text) || matches!(text.trim(), "--" | "...");
    match lines.find(|(_, text)| is_near(text)) {
        Some((_, "---")) => found.help(LONE_CR),
        Some((near, text)) => {
            found.label(near, "this line is not exactly '---'");
            match flaw(text) {
                Some(flaw) => found.help(flaw),
                None => found,
            }
        }
        None => found.help("add a line '---' after the last field"),
    };
}

/// Returns the position and the text of each line of a file. Line ends and a byte order mark are removed from the text.
fn lines(doc: &Document) -> impl Iterator<Item = (Span, &str)> {
    (1..=doc.lines.count()).map(|line| {
        let range = doc.lines.range(line, line + 1);
        let text = doc.text[range.clone()].trim_end_matches(['\n', '\r']);
        let span = Span::new(range.start, range.start + text.len());
        let is_first = line == 1;
        let text = text
            .strip_prefix('\u{feff}')
            .filter(|_| is_first)
            .unwrap_or(text);
        (span, text)
    })
}
