//! SEC116 coin-mining.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a program that mines coins.
    ///
    /// ## Why
    /// It spends the user's power for the author. Names of miners, pools and their protocol are known.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - skills about security, and what is told as a danger
    ///
    /// ## Example
    /// ```sh
    /// ./xmrig -o stratum+tcp://pool.invalid:3333
    /// ```
    /// Remove it.
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
