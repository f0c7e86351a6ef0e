//! SKL204 heading-first-h1.
//!
//! Design: C-REGISTRY.16.

use skillc_core::layout::SKILL_FILE;
use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Fix, Rule, RuleMeta, Safety, declare_rule};

use crate::support::fixes::{insert, move_up};
use crate::support::name::{name_of, title};
use crate::support::places::{is_for_people, is_sample};

declare_rule! {
    /// Reports a Markdown file whose first heading is not level 1.
    ///
    /// ## Why
    /// Each file is read separately, and its title tells readers what the file is about. A section before the title has
    /// no enclosing heading in outlines and search results.
    ///
    /// Every `.md` file of the skill is checked. Files without headings are accepted, and so are files with a `title`
    /// in their frontmatter. SKL202 reports a `SKILL.md` without an H1. Headings in quotes, lists and code are ignored.
    ///
    /// ## Example
    /// ```markdown
    /// ## Keywords
    /// Write them in capitals.
    /// ```
    /// Write instead:
    /// ```markdown
    /// # Style of SQL
    ///
    /// ## Keywords
    /// Write them in capitals.
    /// ```
    ///
    /// ## Fix
    /// If all other headings are of a lower level than the first, the first heading becomes the title, and all headings
    /// move up with it. This is safe if nothing precedes the heading, because the structure does not change. In
    /// templates, samples and files for people, the fix needs review, because other programs may parse them by heading
    /// level. If another heading is of the same or a higher level, and the file has no H1, the fix instead adds a title
    /// above all sections. The title is made from the name of the skill or file, so review its wording.
    pub(crate) struct HeadingFirstH1 {
        code: "SKL204",
        name: "heading-first-h1",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for HeadingFirstH1 {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_document(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        let Some(first) = doc.headings.first().filter(|first| first.level > 1) else {
            return;
        };
        if !out.is_by_the_letter() && (has_title(doc) || is_skill_file(doc) && has_no_h1(doc)) {
            return;
        }
        let found = out.at(first.span, too_low(first.level));
        match doc.headings.iter().find(|heading| heading.level == 1) {
            Some(title) => found
                .label(title.span, "the first H1")
                .help("move the title to the top, or move the sections above the title below it"),
            None => found.help("start the file with a title: '# …'"),
        };
        if let Some(fix) = moved_up(doc, first.level).or_else(|| titled(doc, skill)) {
            found.fix(fix);
        }
    }
}

/// Returns whether a file's frontmatter has a `title` field, which many programs require.
fn has_title(doc: &Document) -> bool {
    let fields = doc.frontmatter.fields();
    let title = fields.and_then(|fields| fields.text("title"));
    title.is_some_and(|title| !title.trim().is_empty())
}

/// Returns whether a file is the `SKILL.md` of the skill or of a nested skill.
fn is_skill_file(doc: &Document) -> bool {
    doc.path.file_name().eq_ignore_ascii_case(SKILL_FILE)
}

/// Returns whether a file has no H1. SKL202 reports this for a `SKILL.md`.
fn has_no_h1(doc: &Document) -> bool {
    doc.headings.iter().all(|heading| heading.level > 1)
}

/// Makes the first heading the title if all other headings have a lower level. The fix is safe if the file starts with
/// this heading, and no other program parses the file by heading level.
fn moved_up(doc: &Document, level: u8) -> Option<Fix> {
    let first = &doc.headings[0];
    let is_above_all = doc.headings[1..].iter().all(|below| below.level > level);
    let edits = move_up(doc, doc.headings.iter(), level - 1)?;
    let before = doc.text.get(doc.body_start..first.span.start)?;
    let is_safe = before.trim().is_empty() && !is_sample(&doc.path) && !is_for_people(&doc.path);
    let fix = Fix::safe("make the first heading the title", edits);
    let safety = if is_safe {
        Safety::Safe
    } else {
        Safety::Unsafe
    };
    is_above_all.then_some(Fix { safety, ..fix })
}

/// Adds a title above all sections, if the file has no title.
fn titled(doc: &Document, skill: &Skill) -> Option<Fix> {
    if doc.headings.iter().any(|heading| heading.level == 1) {
        return None;
    }
    let name = if skill.is_main(doc) {
        name_of(doc, skill)?.text.into_owned()
    } else {
        let name = doc.path.file_name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        stem.replace('_', "-")
    };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | ' ');
    let title = title(&name);
    if title.is_empty() || !name.chars().all(is_plain) {
        return None;
    }
    let body = doc.text.get(doc.body_start..)?;
    let blank = body.len() - body.trim_start_matches(['\n', '\r']).len();
    let text = format!("# {title}\n\n");
    let edits = vec![insert(doc, doc.body_start + blank, text)];
    Some(Fix::unsafe_(format!("start with '# {title}'"), edits))
}

fn too_low(level: u8) -> String {
    format!("first heading is H{level}; expected H1")
}
