//! SKL204 heading-first-h1.
//!
//! Source: RFC-0008 C-REGISTRY, SKL204.

use skillc_core::{Document, Findings, Fix, Rule, RuleMeta, Skill, declare_rule};

use crate::support::fixes::{insert, move_up};
use crate::support::name::{name_of, title};

declare_rule! {
    /// Reports a Markdown file whose first heading is not of level 1.
    ///
    /// ## Why
    /// Each file is read on its own: its first heading is the title under which outlines and search results show the rest.
    /// A section that comes before the title belongs to nothing.
    ///
    /// Every `.md` file of the skill is looked at. One without headings is fine; headings in quotes, lists and code do not
    /// count.
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
    /// If the file has no title and all of it stands below its first heading, that becomes the title and all headings move
    /// up with it. This is safe: the sections stay as they are to each other. If there are several such sections, a title
    /// made of the name of the skill or the file is put above them, which somebody has to word.
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
        let found = out.at(first.span, too_low(first.level));
        match doc.headings.iter().find(|heading| heading.level == 1) {
            Some(title) => found
                .label(title.span, "the first H1")
                .help("move the title to the top, or the sections before it below it"),
            None => found.help("begin the file with a title: '# …'"),
        };
        if let Some(fix) = moved_up(doc, first.level).or_else(|| titled(doc, skill)) {
            found.fix(fix);
        }
    }
}

/// Makes the first heading the title, if it is above all others.
fn moved_up(doc: &Document, level: u8) -> Option<Fix> {
    let is_above_all = doc.headings[1..].iter().all(|below| below.level > level);
    let edits = move_up(doc, doc.headings.iter(), level - 1)?;
    is_above_all.then(|| Fix::safe("make the first heading the title", edits))
}

/// Puts a title above all sections, if there is none.
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
    Some(Fix::unsafe_(format!("begin with '# {title}'"), edits))
}

fn too_low(level: u8) -> String {
    format!("first heading is H{level}; expected H1")
}
