//! AGS111 skill-file-utf8.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::encoding::report;

declare_rule! {
    /// Reports a `SKILL.md` that is not UTF-8.
    ///
    /// ## Why
    /// Many programs decode text strictly, as Python and Rust do by default. They fail at the first byte that is not
    /// UTF-8, and drop the skill, as `skc catalog` does. Other programs insert a replacement character, and the agent
    /// reads `caf�` where the author wrote `café`.
    ///
    /// ## Example
    /// An editor saved the file as Latin-1 or Windows-1252. The finding shows the first byte that is not UTF-8. A file
    /// in UTF-16 is reported as a whole.
    ///
    /// Save the file as UTF-8 instead, without a byte order mark. This command converts it from Latin-1:
    /// ```text
    /// iconv -f LATIN1 -t UTF-8 SKILL.md > new.md
    /// ```
    ///
    /// ## Source
    /// YAML and CommonMark are defined for Unicode text; the library of the Agent Skills standard, skills-ref, reads
    /// the file as text.
    pub(crate) struct SkillFileUtf8 {
        code: "AGS111",
        name: "skill-file-utf8",
        severity: Error,
        since: "0.3.0",
    }
}

impl Rule for SkillFileUtf8 {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        report(doc, out);
    }
}
