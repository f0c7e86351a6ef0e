//! Reports lasting changes: jobs and start-up files, safeguards, disks, rights.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;

use super::{NEAR, Of};
use crate::security::ascii_words;
use crate::security::context::Place;
use crate::security::hosts::HostKind;
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};

/// A command that downloads a file, and one after it that runs a file.
static FETCH_THEN_RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:curl|wget)\b[^\n]{0,240}(?:;|&&)\s*(?:[^\s;]{0,40}/)?(?:(?:ba|z|da)?sh|python3?|node|perl|source|\.)\s+[^\n\s-]",
    ))
    .expect("a pattern")
});

/// Returns whether a command adds a plain setting to the start-up file of a shell: a variable, an alias, or the set-up of
/// an installed tool.
fn is_setting(command: &str) -> bool {
    let Some((text, file)) = command.split_once(">>") else {
        return false;
    };
    let is_rc = ["rc", "profile", ".zshenv", "config.fish"]
        .iter()
        .any(|end| file.trim_end().trim_end_matches(['"', '\'']).ends_with(end));
    let text = text.trim_start();
    let text = text.strip_prefix("echo").unwrap_or(text).trim_start();
    let text = text.trim_start_matches(['\'', '"']);
    let is_plain = [
        "export ",
        "alias ",
        "eval \"$(",
        "eval '$(",
        "source ",
        ". ",
        "PATH=",
        "#",
    ]
    .iter()
    .any(|start| text.starts_with(start));
    is_rc
        && is_plain
        && !["://", "curl", "wget", "base64", "/tmp", "python", "node"]
            .iter()
            .any(|sign| text.contains(sign))
}

impl Of<'_, '_> {
    /// SEC107: reports jobs and start-up files that run something suspect.
    #[expect(
        clippy::too_many_lines,
        reason = "one decision, of which each step needs the others"
    )]
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
                .leads_to(wide)
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
            // What runs again is linked to what is fetched if both are in one command, or if what is fetched is run.
            // Otherwise, the two may just be steps of one text.
            let is_linked = has(&[Signal::FetchRun])
                || self.layer.worst(unit).is_some()
                || [Signal::Fetch, Signal::Send, Signal::Binary]
                    .iter()
                    .any(|signal| self.layer.within(*signal, unit).next().is_some());
            if !is_linked && is_setting(self.layer.part(unit)) {
                continue;
            }
            let is_public_key = ["ssh-", "ecdsa-"]
                .iter()
                .any(|start| own.starts_with(start));
            let is_key = is_public_key && self.lets_in(&hit);
            if is_public_key && !is_key {
                continue;
            }
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
            let hides =
                self.near(&[Signal::Conceal], hit.span, 300) && has(&[Signal::RunWords]) && {
                    let at = hit.span.start;
                    let near = Span::new(at.saturating_sub(NEAR), at + NEAR);
                    let mut near = self.layer.within(Signal::Conceal, near);
                    near.any(|of| {
                        self.layer.part(of.span).contains(' ') && of.span.start.abs_diff(at) < NEAR
                    })
                };
            // Even a host named like the skill has no reason to decide each time what runs.
            let runs_later = address.as_ref().is_some_and(|address| {
                let fetches = self.layer.within(Signal::Fetch, wide);
                let mut fetches = fetches.copied().take(8);
                fetches.any(|fetch| self.is_run_later(fetch, address))
                    || FETCH_THEN_RUN.is_match(self.layer.part(wide))
            });
            // A job that the user asks for may fetch data, but not run it.
            let is_asked = self.serves(&hit, Purpose::Schedule)
                && self.layer.place(hit.span) != Place::Script
                && !has(&[Signal::Send, Signal::Binary])
                && !runs_later;
            if fetches && !is_asked
                || runs_later
                || is_key
                || is_preload
                || is_server && self.layer.place(hit.span) == Place::Script
                || is_worm && self.layer.place(hit.span) == Place::Script
                || from_nowhere
                || hides
                || has(&[Signal::ReverseShell, Signal::DecodeRun])
            {
                let what = if is_key {
                    "lets the owner of a foreign key in"
                } else {
                    "installs a program that runs again without the user"
                };
                let is_sure = is_linked
                    || runs_later
                    || is_key
                    || is_preload
                    || is_server
                    || is_worm
                    || from_nowhere
                    || hides
                    || has(&[Signal::ReverseShell, Signal::DecodeRun]);
                self.push("SEC107", hit.span, is_sure && !self.view.is_security, what);
            }
        }
    }

    /// Returns whether a public key in full is to be let in to an account.
    fn lets_in(&self, hit: &Match) -> bool {
        let key = self.layer.part(hit.span).to_lowercase();
        let is_blank = ["...", "…", "<", "your", "you@", "user@", "me@"]
            .iter()
            .any(|sign| key.contains(sign));
        let near = Span::new(hit.span.start.saturating_sub(200), hit.span.end + 160);
        let near = self.layer.part(near).to_lowercase();
        // The keys of hosts are public, and open no account.
        let is_host_key = [
            "known_hosts",
            "host key",
            "hostkey",
            "fingerprint",
            "ssh-keyscan",
        ]
        .iter()
        .any(|word| near.contains(word));
        let before = self.layer.text()[..hit.span.start].trim_end_matches(' ');
        let is_host = before.ends_with(|c: char| c.is_ascii_alphanumeric())
            && before
                .rsplit(char::is_whitespace)
                .next()
                .is_some_and(|word| word.contains('.'));
        !is_blank && !is_host_key && !is_host
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
                "merge",
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
                // The exclusion of one folder of the user, which the skill explains.
                let part = self
                    .layer
                    .part(self.layer.statement(hit.span))
                    .to_lowercase();
                let is_narrow = part.contains("-exclusionpath")
                    && ![
                        "$env:temp",
                        "\\temp",
                        "appdata",
                        "programdata",
                        "public",
                        "\"c:\\\"",
                        "c:\\users\\",
                        "downloads",
                    ]
                    .iter()
                    .any(|place| part.contains(place))
                    && self.is_shown(&hit)
                    && self.serves(&hit, Purpose::Safeguards);
                self.push(
                    "SEC108",
                    hit.span,
                    !self.view.is_security && !is_narrow,
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
        let encrypts = self.layer.has(Signal::Encrypt);
        for hit in self.all(Signal::Destroy) {
            let text = self.layer.part(hit.span);
            // `/dev/sdX` is a placeholder.
            let is_blank = ["/dev/sdX", "/dev/nvmeX", "/dev/diskN", "/dev/sdx"]
                .iter()
                .any(|name| text.contains(name));
            if self.is_order(&hit) && !self.is_lesson(&hit, None) {
                let is_asked = self.is_shown(&hit) && self.serves(&hit, Purpose::Erasure);
                self.push(
                    "SEC109",
                    hit.span,
                    !is_blank && !is_asked,
                    "destroys files or disks of the user",
                );
            }
        }
        for hit in self.all(Signal::Ransom) {
            if encrypts && self.is_order(&hit) && !self.view.is_security {
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
                // A right to run one program, by its full path, is not a right over the machine.
                let line = self
                    .layer
                    .part(self.layer.statement(hit.span))
                    .to_lowercase();
                let allowed = line
                    .split_once("nopasswd:")
                    .map(|(_, rest)| rest.trim_start());
                let is_narrow = allowed.is_some_and(|rest| {
                    let path = rest
                        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ','))
                        .next()
                        .unwrap_or_default();
                    let name = path.rsplit('/').next().unwrap_or_default();
                    path.starts_with('/')
                        && !path.contains('*')
                        && !name.ends_with("sh")
                        && !name.starts_with("python")
                        && ![
                            "env", "perl", "ruby", "node", "tee", "vi", "vim", "su", "find",
                            "chmod",
                        ]
                        .contains(&name)
                });
                // The name of the setting alone, as in a table of choices.
                let own = self.layer.part(hit.span).to_lowercase();
                let is_name = own.starts_with("nopasswd")
                    && self.layer.place(hit.span) == Place::CodeSpan
                    && !["all=", "sudoers", "add ", "append", "echo"]
                        .iter()
                        .any(|word| line.contains(word));
                self.push(
                    "SEC115",
                    hit.span,
                    !self.view.is_security && !is_narrow && !is_name,
                    "gives itself lasting rights over the machine",
                );
            }
        }
    }
}

fn lower_has(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(word)
}
