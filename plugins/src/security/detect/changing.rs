//! Reports lasting changes: jobs and start-up files, safeguards, disks, rights.

use skillc_core::Span;

use super::{NEAR, Of};
use crate::security::context::Place;
use crate::security::hosts::HostKind;
use crate::security::signals::{Match, Signal};

impl Of<'_, '_> {
    /// SEC107: reports jobs and start-up files that run something suspect.
    pub(super) fn persistent(&mut self) {
        for hit in self.all(Signal::Persist) {
            if !self.is_order(&hit) {
                continue;
            }
            let unit = self.layer.statement(hit.span);
            let wide = Span::new(unit.start.saturating_sub(300), unit.end + 300);
            let has = |signals: &[Signal]| {
                signals
                    .iter()
                    .any(|signal| self.layer.within(*signal, wide).next().is_some())
            };
            let address = self
                .layer
                .worst(wide)
                .filter(|address| address.kind >= HostKind::Other);
            let fetches = has(&[
                Signal::FetchRun,
                Signal::Fetch,
                Signal::Send,
                Signal::Binary,
            ]) && address
                .as_ref()
                .is_some_and(|address| self.is_foreign(address) || has(&[Signal::FetchRun]));
            let text = self.layer.part(wide);
            let own = self.layer.part(hit.span);
            // Enabling a service is harmless, unless the file of the service is written here.
            let is_bare = own.contains("systemctl")
                && !["ExecStart", "[Service]", ".service <<", "cat >"]
                    .iter()
                    .any(|sign| text.contains(sign));
            let fetches = fetches && !is_bare;
            let is_key = text.contains("authorized_keys")
                && (text.contains("AAAAB3NzaC1")
                    || text.contains("AAAAC3NzaC1")
                    || text.contains("ssh-rsa AAAA")
                    || text.contains("ssh-ed25519 AAAA"));
            let is_preload = text.contains("ld.so.preload");
            let lower = own.to_lowercase();
            // A script that adds an MCP server from a foreign host to a client's settings.
            let is_server = lower_has(own, "mcpservers")
                && lower_has(own, "write")
                    | lower_has(
                        self.layer
                            .part(Span::new(hit.span.start, hit.span.end + 300)),
                        "dump",
                    )
                && address
                    .as_ref()
                    .is_some_and(|address| self.is_foreign(address));
            let is_worm = lower.contains("/skills") && lower.contains("skill.md");
            let from_nowhere = [
                "/tmp/.",
                "/dev/shm/",
                "/var/tmp/.",
                "$HOME/.cache/.",
                "~/.cache/.",
            ]
            .iter()
            .any(|path| text.contains(path));
            let hides = self.near(&[Signal::Conceal], hit.span, 300)
                && has(&[Signal::RunWords])
                && self.layer.of(Signal::Conceal).any(|of| {
                    self.layer.part(of.span).contains(' ')
                        && of.span.start.abs_diff(hit.span.start) < NEAR
                });
            if fetches
                || is_key
                || is_preload
                || is_server && self.layer.place(hit.span) == Place::Script
                || is_worm && self.layer.place(hit.span) == Place::Script
                || from_nowhere
                || hides
                || has(&[Signal::ReverseShell, Signal::DecodeRun])
            {
                self.push(
                    "SEC107",
                    hit.span,
                    !self.view.is_security,
                    "installs a program that runs again without the user",
                );
            }
        }
    }

    /// SEC107: reports orders that are written into files that agents obey.
    pub(super) fn agent_files(&mut self) {
        for hit in self.all(Signal::AgentFile) {
            if !self.is_order(&hit) || self.view.is_security {
                continue;
            }
            let near = Span::new(hit.span.start.saturating_sub(160), hit.span.end + 160);
            let text = self.layer.lower_part(near);
            let writes = [
                "write",
                "append",
                "add ",
                "insert",
                "update",
                "save",
                "inject",
                "modify",
                "echo ",
                ">>",
                "cat >",
                "create",
                "store",
                "persist",
                "写入",
                "追加",
                "添加",
                "追記",
                "書き込",
                "추가",
                "기록",
                "agreg",
                "escrib",
                "запиш",
                "добав",
            ]
            .iter()
            .any(|word| text.contains(word));
            if !writes {
                continue;
            }
            let around = Span::new(hit.span.start.saturating_sub(400), hit.span.end + 500);
            let away = [
                Signal::Send,
                Signal::SendWords,
                Signal::ObeyWords,
                Signal::RemoteInstructions,
            ];
            let leads_away = self.near(&away, hit.span, 500)
                && self
                    .layer
                    .worst(around)
                    .is_some_and(|address| self.is_foreign(&address));
            let strong = leads_away
                || self.near(&[Signal::Override, Signal::ConcealAct], hit.span, 600)
                || self.near(&[Signal::Conceal], hit.span, 500)
                    && self.near(
                        &[
                            Signal::SendWords,
                            Signal::Send,
                            Signal::NoConfirm,
                            Signal::SafetyOff,
                            Signal::FetchRun,
                        ],
                        hit.span,
                        700,
                    )
                || self.near(&[Signal::Send], hit.span, 500)
                    && self.near(
                        &[Signal::SecretFile, Signal::EnvironmentDump],
                        hit.span,
                        500,
                    )
                || self.near(&[Signal::SendWords], hit.span, 400)
                    && self.near(&[Signal::SecretWords], hit.span, 400)
                    && self
                        .layer
                        .worst(self.layer.unit(hit.span))
                        .is_some_and(|address| self.is_foreign(&address));
            let wide = Span::new(hit.span.start.saturating_sub(700), hit.span.end + 700);
            // An option of a command is not written to the file.
            let is_option = |hit: &&Match| {
                self.layer.text()[..hit.span.start].ends_with("--")
                    || self.layer.part(hit.span).starts_with("--")
            };
            let offs = self
                .layer
                .within(Signal::SafetyOff, wide)
                .filter(|hit| !is_option(hit))
                .count();
            let confirms = self.layer.within(Signal::NoConfirm, wide).count();
            if strong || offs >= 1 && confirms >= 1 || offs >= 2 || confirms >= 3 {
                self.push(
                    "SEC107",
                    hit.span,
                    true,
                    "writes orders into a file that agents obey from then on",
                );
            }
        }
    }

    /// SEC108: reports safeguards that are removed.
    pub(super) fn unguarded(&mut self) {
        for hit in self.all(Signal::SystemSafetyOff) {
            if self.is_order(&hit) {
                self.push(
                    "SEC108",
                    hit.span,
                    !self.view.is_security,
                    "takes a safeguard of the system away",
                );
            }
        }
        for hit in self.all(Signal::SystemSafetyLow) {
            let is_ordered = self.near(&[Signal::Elevated], hit.span, 120)
                && self.layer.place(hit.span) == Place::Prose;
            let says_security = self.layer.lower_part(hit.span).contains("security");
            if is_ordered && says_security && self.is_order(&hit) && !self.view.is_security {
                self.push(
                    "SEC108",
                    hit.span,
                    true,
                    "has security taken away with the rights of an administrator",
                );
            }
        }
        for hit in self.all(Signal::SafetyOff) {
            let backs = [Signal::Override, Signal::Conceal];
            let in_text = matches!(
                self.layer.place(hit.span),
                Place::Prose | Place::Comment | Place::Frontmatter | Place::Data
            ) || self.layer.is_disguised();
            if in_text
                && self.near(&backs, hit.span, 300)
                && self.is_order(&hit)
                && !self.view.is_security
            {
                self.push(
                    "SEC108",
                    hit.span,
                    true,
                    "takes a safeguard of the agent away",
                );
            }
        }
    }

    /// SEC109: reports commands that destroy files or disks, and ransom demands.
    pub(super) fn destroyed(&mut self) {
        let has_ransom = !self.all(Signal::Encrypt).is_empty();
        for hit in self.all(Signal::Destroy) {
            let text = self.layer.part(hit.span);
            // `/dev/sdX` is a placeholder.
            let is_blank = ["/dev/sdX", "/dev/nvmeX", "/dev/diskN", "/dev/sdx"]
                .iter()
                .any(|name| text.contains(name));
            if self.is_order(&hit) && !self.is_lesson(&hit, None) {
                self.push(
                    "SEC109",
                    hit.span,
                    !is_blank,
                    "destroys files or disks of the user",
                );
            }
        }
        for hit in self.all(Signal::Ransom) {
            if has_ransom && self.is_order(&hit) && !self.view.is_security {
                self.push(
                    "SEC109",
                    hit.span,
                    true,
                    "encrypts files and asks for a ransom",
                );
            }
        }
    }

    /// SEC115: reports lasting rights that the skill gives itself.
    pub(super) fn escalated(&mut self) {
        for hit in self.all(Signal::Escalate) {
            if self.is_order(&hit) {
                self.push(
                    "SEC115",
                    hit.span,
                    !self.view.is_security,
                    "gives itself lasting rights over the machine",
                );
            }
        }
    }
}

fn lower_has(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(word)
}
