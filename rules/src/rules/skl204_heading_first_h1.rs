//! SKL204 heading-first-h1.

use skillc_core::{Document, Findings, Rule, RuleMeta, Skill, declare_rule};

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
    /// ## Source
    /// RFC-0008 C-REGISTRY, SKL204.
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

    fn check_document(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
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
    }
}

fn too_low(level: u8) -> String {
    format!("first heading is H{level}; expected H1")
}
