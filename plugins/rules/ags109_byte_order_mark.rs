//! AGS109 byte-order-mark.

use skillc_core::{Document, Skill, Span};
use skillc_lint::{Edit, Findings, Fix, Rule, RuleMeta, declare_rule};

const MARK: char = '\u{feff}';

declare_rule! {
    /// Reports a byte order mark before the frontmatter.
    ///
    /// ## Why
    /// Some editors write a byte order mark, three invisible bytes, at the start of a file. The standard's validator
    /// then does not find the frontmatter, because it is not at the start of the file, and some clients drop the skill.
    ///
    /// ## Example
    /// ```text
    /// U+FEFF---
    /// name: sql-format
    /// ```
    /// Save the file as "UTF-8", not as "UTF-8 with BOM".
    ///
    /// ## Fix
    /// Removes the mark. This is safe: UTF-8 does not need it.
    ///
    /// ## Source
    /// The parser of skills-ref, the library of the Agent Skills standard (2026-08-09).
    pub(crate) struct ByteOrderMark {
        code: "AGS109",
        name: "byte-order-mark",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ByteOrderMark {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        if doc.frontmatter.fields().is_none() || !doc.text.starts_with(MARK) {
            return;
        }
        let at = Span::new(0, MARK.len_utf8());
        out.at(at, "byte order mark (U+FEFF) before the frontmatter")
            .help("save the file as UTF-8 without BOM")
            .fix(Fix::safe(
                "remove the byte order mark",
                vec![Edit {
                    file: doc.path.clone(),
                    span: at,
                    text: String::new(),
                }],
            ));
    }
}
