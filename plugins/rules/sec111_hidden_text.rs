//! SEC111 hidden-text.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports text in characters that show nothing, or that change the order of what is shown.
    ///
    /// ## Why
    /// An agent reads tag characters, variation selectors and zero-width characters; the person who reviews the skill sees
    /// an empty line. A hidden text is an error. Many zero-width characters between letters, and marks that turn the
    /// direction of text, are warnings.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - emoji, and flags of regions
    /// - joiners in scripts that need them, and direction marks in texts that have letters written from right to left
    ///
    /// ## Example
    /// Tag characters (U+E0000 to U+E007F) that spell a sentence behind a heading. Remove them.
    pub(crate) struct HiddenText {
        code: "SEC111",
        name: "hidden-text",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for HiddenText {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
