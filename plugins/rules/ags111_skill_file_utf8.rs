//! AGS111 skill-file-utf8.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::encoding::report;

declare_rule! {
    /// Reports a `SKILL.md` that is not UTF-8.
    ///
    /// ## Why
    /// Programs that decode text strictly, such as those in Python or Rust, fail at the first byte that is not UTF-8
    /// and drop the skill; `skc catalog` does too. Others insert a replacement character, and the agent reads `caf�`
    /// where the author wrote `café`.
    ///
    /// ## Example
    /// A file that an editor saved as Latin-1, Windows-1252 or UTF-16. The finding shows the first byte that is not
    /// UTF-8.
    ///
    /// Save it as UTF-8 instead, without a byte order mark. On the command line:
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
