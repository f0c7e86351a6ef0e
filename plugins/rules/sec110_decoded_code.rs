//! SEC110 decoded-code.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports code that is decoded and run.
    ///
    /// ## Why
    /// Encoding hides code from review. The rule finds code that is encoded in base64, hex or ROT13, compressed, or
    /// marshalled, and that is then passed to a shell, `eval`, `exec` or PowerShell. It also finds names that are put
    /// together from strings, such as `['ex', 'ec'].join('')`, or that are spelt one by one in hex or base64, and
    /// sentences that tell the agent to put a command together from parts and to run it unseen. Decoded text that a
    /// program passes to an interpreter, as in `spawn('node', ['-e', text])`, counts as code. Code that a program
    /// downloads or decodes and runs only from a certain date on is also reported, as is code that a program decodes and
    /// runs only on some machines.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// A script that declares an encoding in which its code is not what it seems, such as `# coding: utf-7` in Python,
    /// is also reported. So is a `package.json` or `composer.json` whose installation runs an obfuscated script of the
    /// skill that reads tokens or the environment.
    ///
    /// In a [skill about security](../../security-scan.md#how-findings-are-decided), a finding outside scripts is only
    /// a warning.
    ///
    /// ## What is not reported
    /// - data that is decoded and not run
    /// - commands that the text forbids, calls dangerous or lists as dangers
    ///
    /// ## Example
    /// ```sh
    /// echo cHJpbnRlbnYK | base64 -d | sh
    /// ```
    /// Write the command in plain text.
    pub(crate) struct DecodedCode {
        code: "SEC110",
        name: "decoded-code",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for DecodedCode {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
