//! SEC111 hidden-text.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports text in invisible characters, and characters that change the order in which text is displayed.
    ///
    /// ## Why
    /// An agent can read text that is written in tag characters, variation selectors or zero-width characters, but a
    /// reviewer sees an empty line. Such text is an error. An instruction to the agent in an HTML comment, a link title
    /// or an image description is also an error, if it says to send data, ignore rules or hide something. Ten or more
    /// zero-width characters between letters, and marks that change the direction of text, are warnings.
    ///
    /// A sentence that addresses the agent in a table, a settings file, a template or a comment of a program is an
    /// error if it names an unknown host, and says to run a download or to keep something from the user.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// ## What is not reported
    /// - emoji, including the flags of regions
    /// - joiners in writing systems that need them, and direction marks in files with right-to-left text
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
