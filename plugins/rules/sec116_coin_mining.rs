//! SEC116 coin-mining.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that mines cryptocurrency.
    ///
    /// ## Why
    /// A miner spends the user's electricity for the author's profit. The rule knows the names of miners and pools, and
    /// the protocol that they use.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// A name that a command only searches for, as in `pgrep xmrig`, is a warning.
    ///
    /// ## What is not reported
    /// - commands that the text describes as dangerous
    /// - in a [skill about security](../../security-scan.md#how-findings-are-decided), commands in the instructions;
    ///   the skill's scripts are still checked
    ///
    /// ## Example
    /// ```sh
    /// ./xmrig -o stratum+tcp://pool.invalid:3333
    /// ```
    /// Remove the command.
    pub(crate) struct CoinMining {
        code: "SEC116",
        name: "coin-mining",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for CoinMining {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
