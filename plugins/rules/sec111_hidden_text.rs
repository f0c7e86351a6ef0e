//! SEC111 hidden-text.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports text in characters that show nothing, or that change the order of what is shown.
    ///
    /// ## Why
    /// An agent reads tag characters, variation selectors and zero-width characters; a person who reviews the skill
    /// sees an empty line. Text in such characters is an error, and so is an order to the agent in an HTML comment, the
    /// title of a link or the description of an image, if it sends data, removes rules or hides something. Ten or more
    /// zero-width characters between letters, and marks that change the direction of text, are warnings.
    ///
    /// The rule also reads decoded text: see [what is read](../../security-scan.md#what-is-read).
    ///
    /// ## What is not reported
    /// - emoji, and flags of regions
    /// - joiners in scripts that need them, and direction marks in files with letters that are written from right to
    ///   left
    ///
    /// ## Example
    /// Tag characters (U+E0000 to U+E007F) that spell a sentence after a heading. Remove them.
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
