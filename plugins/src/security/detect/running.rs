//! Reports commands that run harmful programs: downloads, remote shells, miners, and decoded code.

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::loading::has_data;
use super::{MOST_EXAMINED, NEAR, Of};
use crate::security::context::Place;
use crate::security::hosts::{Address, HostKind, addresses};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};
use crate::security::view::MOST_ADDRESSES;

/// The number of bytes before a file name that are searched for the word before the path of the file.
const LONGEST_WORD: usize = 80;

/// The number of bytes after a download that are searched for a use of the downloaded file.
const AFTER: usize = 500;

/// The maximum number of accounts of a file that are looked up in the documents of a skill.
const MOST_ACCOUNTS: usize = 50;

impl Of<'_, '_> {
    /// SEC101: reports downloads that are run.
    pub(super) fn fetched(&mut self) {
        for hit in self.all(Signal::FetchRun) {
            let worst = (self.layer.worst(hit.span))
                .or_else(|| self.layer.leads_to(self.layer.statement(hit.span)));
            if !self.is_order_to(&hit, worst.as_ref()) {
                continue;
            }
            let disguised = self.is_disguised(&hit);
            match worst {
                None if disguised => self.push(
                    "SEC101",
                    hit.span,
                    true,
                    "secretly downloads and runs a program",
                ),
                // The host is in a variable, and its name is encoded elsewhere in the file.
                None if self.layer.part(hit.span).contains('$') && self.hides_host() => self.push(
                    "SEC101",
                    hit.span,
                    !self.view.is_security,
                    "runs what it downloads from a host that the file hides",
                ),
                None => self.fetched_from(&hit, None),
                Some(address) if address.is_open && !disguised => {
                    self.fetched_from(&hit, Some(&address));
                }
                Some(address) => {
                    // A command that passes an address to one of these Windows programs is never an installer.
                    let part = self.layer.part(hit.span).trim_start().to_ascii_lowercase();
                    let is_blind = ["mshta", "regsvr32", "rundll32"]
                        .iter()
                        .any(|tool| part.starts_with(tool));
                    let is_error = disguised
                        || (is_blind || self.is_run_unseen(&hit) || self.is_forced(&hit, &address))
                            && address.kind >= HostKind::Other
                        || address.kind.is_suspect()
                        || self.is_foreign(&address) && !self.view.is_of_tool(&address)
                        || address.is_plain && address.kind == HostKind::Other;
                    let is_told = matches!(
                        address.kind,
                        HostKind::Local | HostKind::Placeholder | HostKind::Known
                    ) && !disguised;
                    if address.kind == HostKind::Known && !disguised {
                        self.fetched_of_stranger(&hit, &address);
                    } else if !is_told {
                        let what = format!(
                            "runs what it downloads from '{}' ({})",
                            address.host,
                            address.kind.words()
                        );
                        let is_shown = !disguised && self.is_exhibit(hit.span);
                        let is_sure = !self.view.is_security && !is_shown
                            || self.layer.place(hit.span) == Place::Script
                            || self.is_setup(hit.span) && super::is_real(&address) && !is_shown
                            || matches!(address.kind, HostKind::Number | HostKind::Anonymous)
                                && address.is_live();
                        self.push("SEC101", hit.span, is_error && is_sure, &what);
                    }
                }
            }
        }
        for hit in self.all(Signal::Fetch) {
            let Some(address) = self.layer.worst(hit.span) else {
                continue;
            };
            let is_bad = address.kind.is_suspect()
                || self.layer.is_disguised() && address.kind >= HostKind::Other;
            let is_used = if is_bad {
                self.is_run_later(hit, &address)
            } else {
                self.is_foreign(&address) && self.is_installed_later(hit)
            };
            if is_used && self.is_order(&hit) {
                let what = format!(
                    "downloads a program from '{}' ({}) and runs it",
                    address.host,
                    address.kind.words()
                );
                let is_error = is_bad && !self.view.is_security;
                self.push("SEC101", hit.span, is_error, &what);
            }
        }
        for hit in self.all(Signal::Clone) {
            let Some(address) = self.layer.worst(hit.span) else {
                continue;
            };
            let is_suspect = address.kind.is_suspect();
            let is_used = is_suspect || self.is_foreign(&address) && self.is_built_later(hit);
            if is_used && self.is_order(&hit) && !self.view.is_security {
                let what = format!(
                    "clones and runs a repository of '{}' ({})",
                    address.host,
                    address.kind.words()
                );
                self.push("SEC101", hit.span, is_suspect, &what);
            }
        }
    }

    /// Returns whether the command that runs a download hides its window, or runs in the background without output. The
    /// user then sees neither what runs nor that it fails. Legitimate installers do not hide, not even those from a
    /// host that is named after the skill.
    fn is_run_unseen(&self, hit: &Match) -> bool {
        let statement = self.layer.statement(hit.span);
        let start = statement.start.min(hit.span.start);
        let end = statement.end.max(hit.span.end);
        let text = self.layer.lower_part(Span::new(start, end));
        let words: Vec<&str> = text.split_whitespace().collect();
        let has_no_window = words.windows(2).any(|pair| {
            // PowerShell accepts prefixes of parameter names.
            let option = pair[0].trim_start_matches(['-', '/', '"', '\'']);
            let value = pair[1].trim_matches(['"', '\'', ',']);
            !option.is_empty()
                && pair[0].len() > option.len()
                && "windowstyle".starts_with(option)
                && !value.is_empty()
                && "hidden".starts_with(value)
        }) || text.contains("-windowstyle:hidden");
        let is_silenced = ["&>/dev/null", "&> /dev/null", "2>&1"]
            .iter()
            .any(|sign| text.contains(sign))
            && text.contains("/dev/null");
        let is_detached = words
            .iter()
            .any(|word| matches!(word.trim_start_matches('('), "nohup" | "setsid" | "disown"))
            || text.trim_end().ends_with('&');
        has_no_window || is_silenced && is_detached
    }

    /// Returns whether a download is run as an administrator, bypasses PowerShell's execution policy, and comes from a
    /// host whose name only contains the name of a product, as in `acme-downloads.com`. Such a domain rarely belongs to
    /// the vendor.
    fn is_forced(&self, hit: &Match, address: &Address) -> bool {
        let text = self.layer.lower_part(self.layer.statement(hit.span));
        let words = || text.split_whitespace();
        let is_policy = |word: &str| {
            let option = word.trim_start_matches('-');
            option.len() < word.len()
                && option.len() > 1
                && ("executionpolicy".starts_with(option) || option == "ep")
        };
        let passes = words()
            .zip(words().skip(1))
            .any(|(option, value)| is_policy(option) && matches!(value, "bypass" | "unrestricted"));
        let is_administrator = || {
            let start = hit.span.start.saturating_sub(NEAR);
            let text = self.layer.lower_part(Span::new(start, hit.span.end + NEAR));
            ["administra", "админ", "管理员", "管理者", "관리자"]
                .iter()
                .any(|word| text.contains(word))
        };
        passes && address.owner().contains('-') && is_administrator()
    }

    /// Reports a download that is run, if all or part of its address is in a variable that the text does not set.
    /// `address`: the known part of the address.
    fn fetched_from(&mut self, hit: &Match, address: Option<&Address>) {
        let part = self.layer.part(hit.span);
        let mut words = part.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
        let is_variable = match address {
            Some(address) => address.host.contains('$'),
            // `$(…)` is the output of another command, not a variable.
            None => words.any(|word| word.starts_with('$') && !word.starts_with("$(")),
        };
        if is_variable && !self.view.is_security {
            let what = "runs what it downloads from an address that is not in the text";
            self.push("SEC101", hit.span, false, what);
        }
    }

    /// Reports a download that is run from a known host where anyone can publish, if an account unrelated to the skill
    /// has published it.
    fn fetched_of_stranger(&mut self, hit: &Match, address: &Address) {
        let Some((owner, name)) = address.publisher() else {
            return;
        };
        let is_related = [owner, name].into_iter().any(|name| {
            let tenant = Some(name.to_owned());
            let address = Address {
                tenant,
                ..address.clone()
            };
            !name.is_empty() && self.view.is_related(&address)
        });
        if !is_related && !self.view.is_security {
            let what = if owner.is_empty() {
                format!(
                    "runs a file from '{}', where anyone can publish files",
                    address.host
                )
            } else {
                format!(
                    "runs a file that '{owner}' has published at '{}'",
                    address.host
                )
            };
            let is_error = !owner.is_empty()
                && is_blank_name(name)
                && !self.names_account(owner)
                && self.is_plain_order(hit)
                && !self.is_exhibit(hit.span);
            self.push("SEC101", hit.span, is_error, &what);
        }
    }

    /// Returns whether a document of the skill mentions an account outside of the account's addresses. After the first
    /// accounts of a file, the answer is no: a skill does not mention so many, and each answer reads all documents.
    fn names_account(&self, owner: &str) -> bool {
        let asked = self.layer.of_file.accounts.get();
        self.layer.of_file.accounts.set(asked + 1);
        if asked >= MOST_ACCOUNTS {
            return false;
        }
        let owner = owner.to_ascii_lowercase();
        let files = self.view.skill.revealed().files.iter();
        let mut docs = files.filter_map(|file| self.view.skill.document(&file.path));
        docs.any(|doc| {
            let lower = doc.text.to_ascii_lowercase();
            // Further places could only make the finding a warning.
            let mut places = lower.match_indices(&*owner).take(MOST_EXAMINED);
            places.any(|(at, _)| {
                let before = &lower[..at];
                let after = &lower[at + owner.len()..];
                !before.ends_with("raw.githubusercontent.com/")
                    && !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
                    && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
            })
        })
    }

    /// Returns whether an encoded part of the file contains a foreign address.
    fn hides_host(&self) -> bool {
        let file = self.layer.file;
        *self.layer.of_file.hides_host.get_or_init(|| {
            let mut hidden = file.layers.iter().filter(|layer| !layer.is_file());
            hidden.any(|layer| {
                let found = addresses(&layer.text, MOST_ADDRESSES);
                found.iter().any(|address| self.is_foreign(address))
            })
        })
    }

    /// Returns the commands in the 500 bytes after a match.
    fn commands_after(&self, hit: Match) -> impl Iterator<Item = &str> {
        let text = self.layer.text();
        let from = char_floor(text, hit.span.start);
        let rest = &text[from..char_floor(text, hit.span.end + AFTER)];
        let commands = rest.split(['\n', ';', '&', '|', '`']).skip(1);
        commands.map(|command| {
            let command = command.trim();
            command
                .strip_prefix("sudo ")
                .unwrap_or(command)
                .trim_start()
        })
    }

    /// Returns whether a command after a download installs a package file.
    fn is_installed_later(&self, hit: Match) -> bool {
        const INSTALLERS: [&str; 11] = [
            "dpkg -i ",
            "dpkg --install ",
            "rpm -i",
            "rpm -U",
            "rpm --install ",
            "installer -pkg ",
            "msiexec /i ",
            "apt install ",
            "apt-get install ",
            "dnf install ",
            "yum install ",
        ];
        const PACKAGES: [&str; 4] = [".deb", ".rpm", ".pkg", ".msi"];
        self.commands_after(hit).any(|command| {
            INSTALLERS.iter().any(|start| command.starts_with(start))
                && PACKAGES.iter().any(|end| command.contains(end))
        })
    }

    /// Returns whether a command after a clone runs a script, or builds and installs something.
    fn is_built_later(&self, hit: Match) -> bool {
        const RUNNERS: [&str; 8] = [
            "sh ", "bash ", "zsh ", "source ", "python ", "python3 ", "node ", "./",
        ];
        const BUILDERS: [&str; 4] = ["make", "make install", "npm install", "pip install ."];
        self.commands_after(hit).any(|command| {
            RUNNERS.iter().any(|start| command.starts_with(start)) || BUILDERS.contains(&command)
        })
    }

    /// Returns whether the file that a command saves is run within the next 500 bytes.
    pub(super) fn is_run_later(&self, hit: Match, address: &Address) -> bool {
        let command = self.layer.part(hit.span);
        let words: Vec<&str> = command.split_whitespace().collect();
        let named = words.windows(2).find(|pair| {
            matches!(
                pair[0],
                "-o" | "-O" | "--output" | ">" | "-OutFile" | "--output-document" | "-outfile"
            )
        });
        let path = address
            .path
            .split(['?', '#', '"', '\''])
            .next()
            .unwrap_or_default();
        let name = named
            .map(|pair| pair[1])
            .filter(|name| !name.starts_with('-') && !name.starts_with("http"))
            .unwrap_or(path);
        let name = name
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .trim_matches(|c: char| !c.is_alphanumeric());
        if name.len() < 2 {
            return false;
        }
        let from = hit.span.start + command.find(name).map_or(0, |at| at + name.len());
        let text = self.layer.text();
        let from = char_floor(text, from);
        let rest = &text[from..char_floor(text, (from + 500).min(text.len()))];
        rest.match_indices(name).any(|(at, _)| {
            let before = rest[char_floor(rest, at.saturating_sub(LONGEST_WORD))..at]
                .trim_end_matches(|c: char| !c.is_whitespace() && !matches!(c, ';' | '&' | '|'))
                .trim_end();
            let last = before
                .rsplit(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|'))
                .next()
                .unwrap_or_default();
            let own = rest[..at].ends_with("./")
                || rest[..at].ends_with("/tmp/") && (last.is_empty() || last.ends_with("&&"));
            own || [
                "bash",
                "sh",
                "zsh",
                "python",
                "python3",
                "node",
                "source",
                "+x",
                "755",
                "777",
                "open",
                "start",
                "Start-Process",
                "sudo",
                "perl",
                "ruby",
                "nohup",
                "&",
            ]
            .contains(&last)
        })
    }

    /// SEC102, SEC116: reports remote shells and cryptocurrency miners.
    pub(super) fn shells(&mut self) {
        for hit in self.all(Signal::ReverseShell) {
            let part = self.layer.part(hit.span);
            let is_bare = part.contains("/dev/tcp") || part.contains("/dev/udp");
            let obeys = [
                "-i", "0>&1", "0<&", "exec ", "sh <", "| sh", "|sh", "|bash", "| bash",
            ]
            .iter()
            .any(|sign| part.contains(sign));
            let is_local = ["localhost", "127.0.0.1", "0.0.0.0"]
                .iter()
                .any(|host| part.contains(host));
            if is_bare && (!obeys || is_local) || !self.is_order(&hit) || self.is_lesson(&hit, None)
            {
                continue;
            }
            // Tunnels to the user's own server are common in remote maintenance.
            let is_tunnel =
                part.contains("ssh ") && self.is_shown(&hit) && self.serves(&hit, Purpose::Access);
            let is_excused = is_tunnel
                || self.is_in_lab(&hit)
                || self.is_exhibit(hit.span)
                || self.is_trace(&hit);
            self.push(
                "SEC102",
                hit.span,
                !is_excused,
                "opens a shell that a remote machine controls",
            );
        }
        for hit in self.all(Signal::Mining) {
            if self.is_order(&hit) && !self.is_lesson(&hit, None) {
                let is_own = self.is_shown(&hit) && self.serves(&hit, Purpose::Mining);
                let what = "starts a cryptocurrency miner with options for the algorithm, the pool or the wallet";
                self.push("SEC116", hit.span, !is_own, what);
            }
        }
        for hit in self.all(Signal::Miner) {
            // A skill that monitors miners mentions their names.
            let is_own = self.serves(&hit, Purpose::Mining) && self.is_shown(&hit);
            if self.is_order(&hit) && !self.is_lesson(&hit, None) {
                self.push(
                    "SEC116",
                    hit.span,
                    !is_own && !self.is_looked_for(&hit) && !self.is_trace(&hit),
                    "mines coins on the user's machine",
                );
            }
        }
    }

    /// Returns whether a program that downloads nothing restores an object whose text is in no file of the skill:
    /// programs store objects in databases and caches like this.
    fn is_own_object(&self, hit: &Match) -> bool {
        let part = self.layer.lower_part(hit.span);
        let restores = ["pickle.", "dill."]
            .iter()
            .any(|module| part.starts_with(module));
        let statement = self.layer.lower_part(self.layer.statement(hit.span));
        let is_brought = ["requests", "urlopen", "get(", "open(", "read"]
            .iter()
            .any(|sign| statement.contains(sign));
        let mut files = self.view.skill.revealed().files.iter();
        restores
            && !is_brought
            && !self.layer.has(Signal::Fetch)
            && !files.any(|file| has_data(&file.text))
    }

    /// SEC110: reports code that is decoded and run.
    pub(super) fn decoded(&mut self) {
        for hit in self.all(Signal::DecodeRun) {
            if self.is_order(&hit) {
                self.push(
                    "SEC110",
                    hit.span,
                    !self.is_lesson(&hit, None)
                        && !self.is_trace(&hit)
                        && !self.is_own_object(&hit),
                    "decodes code before running it, which hides the code from review",
                );
            }
        }
    }
}

/// Returns whether the name of a repository does not say what the repository contains. Accounts that only spread a
/// program have such repositories. Those of real projects are named after the project.
fn is_blank_name(name: &str) -> bool {
    const BLANK: [&str; 10] = [
        "release",
        "releases",
        "download",
        "downloads",
        "update",
        "updates",
        "upload",
        "uploads",
        "loader",
        "payload",
    ];
    let name = name.to_ascii_lowercase();
    BLANK.contains(&name.trim_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_repository_may_say_nothing() {
        for (name, expected) in [
            ("Release", true),
            ("downloads-2", true),
            ("UPDATES_1", true),
            ("files", false),
            ("install", false),
            ("dotfiles", false),
            ("release-please", false),
            ("public-apis", false),
            ("", false),
        ] {
            assert_eq!(is_blank_name(name), expected, "{name}");
        }
    }
}
