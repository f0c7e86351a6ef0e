//! Reports scheduled jobs, services and start-up files that run suspicious programs, and SSH keys that give other
//! people access.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{NEAR, Of};
use crate::security::ascii_words;
use crate::security::context::Place;
use crate::security::examined::Examined;
use crate::security::flow::{saved, statement_at};
use crate::security::hosts::{Address, HostKind, is_cheap};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};

/// A command that downloads a file, followed by a command that runs a file.
static FETCH_THEN_RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:curl|wget)\b[^\n]{0,240}(?:;|&&)\s*(?:[^\s;]{0,40}/)?(?:(?:ba|z|da)?sh|python3?|node|perl|source|\.)\s+[^\n\s-]",
    ))
    .expect("a pattern")
});

/// The maximum length of an installed here-document, in bytes.
const MOST_TEXT: usize = 4000;

/// The maximum distance between the download of a file and its installation, in bytes.
const FAR: usize = 1500;

/// The maximum number of downloads that are examined near an installed command.
const MOST_FETCHES: usize = 16;

/// The minimum length of a complete public key, in bytes. A shorter key that contains `your` or `user@` is a
/// placeholder.
const WHOLE_KEY: usize = 60;

/// Names of folders that many programs share.
const COMMON: [&str; 9] = [
    "bin", "lib", "tmp", "usr", "etc", "home", "config", "local", "share",
];

/// Phrases which say that a public key belongs to the user, in lower case and without accents.
const OWN_KEY: [&str; 23] = [
    "your key",
    "your public key",
    "your own key",
    "your own public",
    "my key",
    "my public key",
    "the user's",
    "你的公钥",
    "您的公钥",
    "用户的公钥",
    "自己的公钥",
    "自分の",
    "ユーザーの公開鍵",
    "本人の公開鍵",
    "사용자의 공개",
    "내 공개",
    "본인의 공개",
    "ваш публичный",
    "ваш открытый",
    "свой ",
    "tu clave publica",
    "votre cle",
    "ihren offentlichen",
];

/// Words for people other than the user who receive access, in lower case.
const OTHERS: [&str; 13] = [
    "assist",
    "support",
    "vendor",
    "helper",
    "maintain",
    "our team",
    "operator",
    "us in",
    "支持",
    "サポート",
    "지원",
    "поддержк",
    "soporte",
];

/// The owner of a public key that a command adds to the authorized keys of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    /// A placeholder or a host key, neither of which gives access to an account.
    None,
    /// A key that belongs to the user, according to the text.
    Own,
    Foreign,
}

/// The maximum length of a document whose accounts are looked up, in bytes. Units in longer ones are not excused.
const LONGEST: usize = 60_000;

impl Of<'_, '_> {
    /// SEC107: reports jobs and start-up files that run suspicious programs.
    pub(super) fn persistent(&mut self) {
        for hit in self.all(Signal::Persist) {
            if self.is_order(&hit) && !self.is_preload_read(&hit) && !self.is_only_read(&hit) {
                self.installs(&hit);
            }
        }
    }

    /// Returns whether a command only reads the list of libraries that are loaded into every program.
    fn is_preload_read(&self, hit: &Match) -> bool {
        const READERS: [&str; 10] = [
            "[",
            "[[",
            "cat",
            "grep",
            "head",
            "less",
            "ls",
            "sha256sum",
            "stat",
            "test",
        ];
        let own = self.layer.part(hit.span).trim();
        let line = self.layer.part(self.layer.statement(hit.span));
        let reads = |command: &str| {
            let words = command.split_whitespace();
            let mut words = words.filter(|word| !matches!(*word, "sudo" | "if" | "!" | "then"));
            words.next().is_some_and(|word| READERS.contains(&word))
                && !command.replace("2>", "").contains('>')
        };
        let mut commands = line.split(['\n', ';', '|', '&']);
        own.eq_ignore_ascii_case("/etc/ld.so.preload")
            && commands.all(|command| !command.contains(own) || reads(command))
    }

    /// Returns whether each command on the line of a match only reads, as in a check of a machine for unknown jobs. The
    /// traces of malware that a guide shows below such commands do not make these commands suspicious.
    fn is_only_read(&self, hit: &Match) -> bool {
        let place = self.layer.place(hit.span);
        let is_code = matches!(place, Place::Shell | Place::Code | Place::Script);
        is_code && only_reads(self.layer.part(self.layer.statement(hit.span)))
    }

    /// Reports a match that installs a suspicious program. Examines only the installed text and the files that this
    /// text names, not other steps of the instructions.
    fn installs(&mut self, hit: &Match) {
        let own = self.layer.part(hit.span);
        if ["ssh-", "ecdsa-"]
            .iter()
            .any(|start| own.to_lowercase().starts_with(start))
        {
            let key = self.key(hit);
            if key != Key::None {
                let is_error = key == Key::Foreign && !self.view.is_security;
                let what = "gives the owner of an SSH key access to the machine";
                self.push("SEC107", hit.span, is_error, what);
            }
            return;
        }
        let unit = self.layer.statement(hit.span);
        let wide = Span::new(unit.start.saturating_sub(300), unit.end + 300);
        let installed = self.installed(hit, unit);
        let has = |signals: &[Signal]| {
            signals
                .iter()
                .any(|signal| self.layer.within(*signal, installed).next().is_some())
        };
        let address = self
            .layer
            .leads_to(installed)
            .filter(|address| address.kind >= HostKind::Other);
        let fetches = self.transfers(own, installed)
            && address
                .as_ref()
                .is_some_and(|address| self.is_foreign(address) || has(&[Signal::FetchRun]));
        // Even a host that is named after the skill must not decide, at each run, which code is executed.
        let runs_later = address.as_ref().is_some_and(|address| {
            let fetches = self.layer.within(Signal::Fetch, installed);
            let mut fetches = fetches.copied().most(MOST_FETCHES, &self.layer.left_out);
            fetches.any(|fetch| self.is_run_later(fetch, address))
                || FETCH_THEN_RUN.is_match(self.layer.part(installed))
        });
        let is_download = self.names_download(installed);
        let is_evil = self.is_evil(hit, wide)
            || runs_later
            || is_download && !self.is_confined(hit)
            || has(&[Signal::ReverseShell, Signal::DecodeRun]);
        // A job that the user asks for is allowed to download data, but not to run it.
        let is_asked = self.is_shown(hit)
            && self.layer.place(hit.span) != Place::Data
            && self.serves(hit, Purpose::Schedule);
        let is_sent = has(&[Signal::Send, Signal::Binary]);
        let is_suspect = is_evil || is_download || fetches && (is_sent || !is_asked);
        if is_suspect || self.installs_itself(installed) {
            let is_error = (is_evil || fetches && !is_asked) && !self.view.is_security;
            let what = "installs a program that runs again without the user";
            self.push("SEC107", hit.span, is_error, what);
        }
    }

    /// Returns the span of the text that a match installs: the command, and the here-document that it writes.
    fn installed(&self, hit: &Match, unit: Span) -> Span {
        let text = self.layer.text();
        let all = Span::new(unit.start, char_floor(text, unit.end));
        let own = statement_at(text, all, hit.span.start).unwrap_or(unit);
        let own = self.in_code_span(hit, own);
        let after = char_floor(text, hit.span.end);
        let rest = &text[after.min(own.end)..own.end];
        let next = rest.find("&&").into_iter().chain(rest.find(';')).min();
        let own = next.map_or(own, |at| Span::new(own.start, own.end - rest.len() + at));
        let own = Span::new(
            own.start.min(hit.span.start),
            own.end.max(char_floor(text, hit.span.end)),
        );
        let Some((_, mark)) = self.layer.part(own).split_once("<<") else {
            return own;
        };
        let mark = mark.trim_start_matches(['-', ' ', '"', '\'', '\\']);
        let mark = mark
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next()
            .unwrap_or_default();
        let rest = &text[own.end..char_floor(text, own.end + MOST_TEXT)];
        let mut at = own.end;
        for line in rest.split_inclusive('\n').skip(1) {
            if !mark.is_empty() && line.trim() == mark {
                let first = rest.find('\n').map_or(rest.len(), |end| end + 1);
                return Span::new(own.start, at + first);
            }
            at += line.len();
        }
        if !mark.is_empty() && own.end + rest.len() < text.len() {
            self.layer.left_out.note();
        }
        own
    }

    /// Limits a span to the code span around a match. Returns the span unchanged if the match is not in a code span.
    fn in_code_span(&self, hit: &Match, span: Span) -> Span {
        if self.layer.place(hit.span) != Place::CodeSpan {
            return span;
        }
        let text = self.layer.text();
        let before = char_floor(text, span.start.min(hit.span.start));
        let start = text[before..char_floor(text, hit.span.start)].rfind('`');
        let after = char_floor(text, hit.span.end);
        let end = text[after..].find('`');
        Span::new(
            start.map_or(span.start, |at| before + at + 1),
            end.map_or(span.end, |at| span.end.min(after + at)),
        )
    }

    /// Returns whether a command in `span` downloads or sends data. `own`: the text of the match that installs this
    /// span.
    fn transfers(&self, own: &str, span: Span) -> bool {
        let has = |signal: Signal| self.layer.within(signal, span).next().is_some();
        if has(Signal::FetchRun) || has(Signal::Fetch) {
            return true;
        }
        // Copying a public key to another machine is not a transfer. Downloading a key is one, because the downloaded
        // key gives another person access.
        if own.contains("authorized_keys") {
            return false;
        }
        let text = self.layer.part(span);
        // Enabling a service is harmless, unless the span also writes the service file.
        let is_bare = own.contains("systemctl")
            && !["ExecStart", "[Service]", ".service <<", "cat >"]
                .iter()
                .any(|sign| text.contains(sign));
        // A file that is copied to another machine is installed on that machine, not sent away.
        let is_sent = |send: &Match| {
            let part = self.layer.part(send.span);
            let is_copy = ["scp ", "rsync ", "| ssh ", "|ssh "]
                .iter()
                .any(|tool| part.contains(tool));
            !is_copy || self.copies_here(send)
        };
        let mut sends = self.layer.within(Signal::Send, span);
        !is_bare && (sends.any(is_sent) || has(Signal::Binary))
    }

    /// Returns whether the installed program is suspicious regardless of its origin: it is in a hidden temporary
    /// folder, is loaded into every program, spreads to other skills, adds a foreign MCP server, or is hidden from the
    /// user.
    fn is_evil(&self, hit: &Match, wide: Span) -> bool {
        let own = self.layer.part(hit.span);
        let lower = own.to_lowercase();
        let text = self.layer.part(wide);
        let from_nowhere = comes_from_nowhere(text);
        let is_preload = lower.contains("ld.so.preload") && self.is_written(hit);
        let is_script = self.layer.place(hit.span) == Place::Script;
        // Whether a script adds an MCP server on a foreign host to the settings of a client.
        let is_server = || {
            let behind = Span::new(hit.span.start, hit.span.end + 300);
            let writes = lower.contains("write") || self.layer.lower_part(behind).contains("dump");
            let address = self.layer.leads_to(wide);
            let is_foreign =
                |address: &Address| address.kind >= HostKind::Other && self.is_foreign(address);
            lower.contains("mcpservers") && writes && address.as_ref().is_some_and(is_foreign)
        };
        let is_worm = lower.contains("/skills") && lower.contains("skill.md");
        let hides = || {
            let at = hit.span.start;
            let near = Span::new(at.saturating_sub(NEAR), at + NEAR);
            let mut near = self.layer.within(Signal::Conceal, near);
            let runs = self.layer.within(Signal::RunWords, wide).next().is_some();
            runs && self.near(&[Signal::Conceal], hit.span, 300)
                && near.any(|of| {
                    self.layer.part(of.span).contains(' ') && of.span.start.abs_diff(at) < NEAR
                })
        };
        from_nowhere
            || is_preload
            || is_script && (is_worm || is_server())
            || !only_extends_path(self.layer.part(self.layer.statement(hit.span))) && hides()
    }

    /// Returns whether the command or sentence of a match writes the file that the match names, rather than reads or
    /// mentions it.
    fn is_written(&self, hit: &Match) -> bool {
        let own = self.layer.part(hit.span);
        let line = self.layer.part(self.layer.statement(hit.span));
        let mut parts = line.split(['`', ';', '|', '&']);
        let command = parts.find(|part| part.contains(own)).unwrap_or(line);
        let mut words = command.split_whitespace().filter(|word| *word != "sudo");
        let is_read = words
            .next()
            .is_some_and(|word| ["cat", "ls", "less", "head", "stat", "grep"].contains(&word));
        let lower = line.to_lowercase();
        let writes = [
            ">", "tee ", "cp ", "mv ", "install ", "write", "open(", "echo ", "printf ", "dest",
            "add ", "append", "put ",
        ];
        !is_read && writes.iter().any(|sign| lower.contains(sign))
    }

    /// Returns whether a unit that a document shows runs its program as a system account which the same document
    /// creates for it, so that the program has no access to the files of the user. Nothing near it may come from a
    /// suspicious host.
    fn is_confined(&self, hit: &Match) -> bool {
        let own = self.layer.lower_part(hit.span);
        let near = Span::new(
            hit.span.start.saturating_sub(FAR),
            hit.span.end.saturating_add(FAR),
        );
        let worst = self.layer.worst(near);
        let is_safe =
            worst.is_none_or(|address| address.kind <= HostKind::Other && !is_cheap(&address.host));
        let place = self.layer.place(hit.span);
        let is_unit = own.starts_with("execstart=") && self.layer.doc.is_some();
        // The whole layer is read for each unit.
        let is_short = self.layer.lower().len() <= LONGEST;
        is_unit
            && is_short
            && is_safe
            && place != Place::Data
            && self.is_shown(hit)
            && self.serves(hit, Purpose::Schedule)
            && account(self.layer.lower_part(near), own)
                .is_some_and(|name| creates(self.layer.lower(), name))
    }

    /// Returns whether the installed text names a file that a command nearby downloads from a foreign host.
    fn names_download(&self, installed: Span) -> bool {
        let near = Span::new(
            installed.start.saturating_sub(FAR),
            installed.end.saturating_add(FAR),
        );
        let text = self.layer.part(installed);
        let signals = [Signal::Fetch, Signal::Clone, Signal::Send];
        let fetches = signals
            .iter()
            .flat_map(|signal| self.layer.within(*signal, near))
            .most(3 * MOST_FETCHES, &self.layer.left_out);
        fetches.copied().any(|fetch| {
            let is_inside = fetch.span.start < installed.end && installed.start < fetch.span.end;
            let command = self.layer.statement(fetch.span);
            let address = self.layer.leads_to(command);
            let is_foreign =
                |address: &Address| address.kind >= HostKind::Other && self.is_foreign(address);
            !is_inside
                && !self.layer.is_mention(fetch.span)
                && address.as_ref().is_some_and(is_foreign)
                && self
                    .brought(&fetch, command)
                    .is_some_and(|name| names(text, name))
        })
    }

    /// Returns the name of the file or folder that a command downloads.
    fn brought(&self, fetch: &Match, command: Span) -> Option<&str> {
        let part = self.layer.part(command);
        match fetch.signal {
            Signal::Fetch => {
                // Earlier commands on the same line may write other files.
                let at = fetch.span.start.saturating_sub(command.start);
                let before = &part[..char_floor(part, at)];
                let start = before.rfind(['&', ';']).map_or(0, |end| end + 1);
                saved(&part[start..])
            }
            Signal::Clone => {
                let url = part.split_whitespace().find(|word| word.contains("://"))?;
                let last = part.split_whitespace().last()?;
                let name = if last == url { url } else { last };
                let name = name.trim_end_matches(['/', '`', '"', '\'']);
                let name = name.rsplit('/').next()?;
                Some(name.strip_suffix(".git").unwrap_or(name))
            }
            _ => {
                let copy = self.command(fetch);
                let last = copy.split_whitespace().last()?;
                let is_download = self.copies_here(fetch);
                is_download.then(|| last.rsplit('/').next().unwrap_or(last))
            }
        }
    }

    /// Returns whether a script that downloads or sends something installs itself.
    fn installs_itself(&self, installed: Span) -> bool {
        let text = self.layer.part(installed);
        let is_self = [
            "\"$0\"",
            "$(realpath $0",
            "$(readlink -f",
            "BASH_SOURCE",
            "__file__",
            "sys.argv[0]",
            "__filename",
            "$PSCommandPath",
            "MyInvocation.MyCommand",
        ]
        .iter()
        .any(|sign| text.contains(sign));
        // The folder of the script, as in `$(dirname "$0")`, may refer to other scripts in that folder.
        let is_folder = text.contains("dirname") || text.contains("parent");
        if !is_self || is_folder || !self.layer.is_script {
            return false;
        }
        let transfers = [
            Signal::Fetch,
            Signal::FetchRun,
            Signal::Send,
            Signal::Net,
            Signal::DnsLookup,
        ];
        let all = Span::new(0, self.layer.text().len());
        transfers.iter().any(|signal| self.layer.has(*signal))
            && self
                .layer
                .worst(all)
                .is_some_and(|address| self.is_foreign(&address))
    }

    /// Returns the owner of the public key to which a match gives access.
    fn key(&self, hit: &Match) -> Key {
        let key = self.layer.part(hit.span).to_lowercase();
        let near = Span::new(hit.span.start.saturating_sub(200), hit.span.end + 160);
        let near = self.layer.part(near).to_lowercase();
        // Host keys are public and give no access to an account.
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
        let is_blank = ["...", "…", "<"].iter().any(|sign| key.contains(sign));
        if is_blank || is_host_key || is_host {
            return Key::None;
        }
        let is_called = ["your", "you@", "user@", "me@"]
            .iter()
            .any(|sign| key.contains(sign));
        let is_whole = key
            .split_whitespace()
            .nth(1)
            .is_some_and(|body| body.len() >= WHOLE_KEY);
        if is_called && !is_whole {
            return Key::None;
        }
        let is_own = is_called || OWN_KEY.iter().any(|words| near.contains(words));
        let is_others = OTHERS.iter().any(|word| near.contains(word));
        if is_own && !is_others {
            Key::Own
        } else {
            Key::Foreign
        }
    }
}

/// Returns whether `text` names a file in a hidden temporary folder. The lock of an X server, which is removed before
/// the server starts, is no program: `rm -f /tmp/.X99-lock`.
fn comes_from_nowhere(text: &str) -> bool {
    const FOLDERS: [&str; 5] = [
        "/tmp/.",
        "/dev/shm/",
        "/var/tmp/.",
        "$HOME/.cache/.",
        "~/.cache/.",
    ];
    let is_lock = |at: usize, rest: &str| {
        let name = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let name = name.clone().next().unwrap_or_default();
        let number = name
            .strip_prefix('X')
            .and_then(|name| name.strip_suffix("-lock"));
        let is_removed =
            text[..at].trim_end().ends_with("rm -f") || text[..at].trim_end().ends_with("rm");
        is_removed && number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    FOLDERS.iter().any(|folder| {
        let mut places = text.match_indices(folder);
        places.any(|(at, _)| !(*folder == "/tmp/." && is_lock(at, &text[at + folder.len()..])))
    })
}

/// Returns whether a command only adds folders to the list of folders with programs, in a start-up file:
/// `echo 'export PATH=$PATH:/usr/local/go/bin' >> ~/.bashrc`.
fn only_extends_path(command: &str) -> bool {
    let command = command.trim();
    let Some(rest) = command
        .strip_prefix("echo ")
        .and_then(|rest| rest.trim_start().strip_prefix(['"', '\'']))
    else {
        return false;
    };
    let Some((value, target)) = rest.split_once(['"', '\'']) else {
        return false;
    };
    let Some(folders) = value
        .strip_prefix("export ")
        .unwrap_or(value)
        .strip_prefix("PATH=")
    else {
        return false;
    };
    let is_folder = |c: char| c.is_ascii_alphanumeric() || "$/:._-{}~".contains(c);
    let is_target = |c: char| c.is_ascii_alphanumeric() || "$/._-{}~".contains(c);
    let target = target.trim().strip_prefix(">>").map(str::trim);
    folders.chars().all(is_folder)
        && !folders.contains("/.")
        && !folders.contains("/tmp")
        && target.is_some_and(|target| target.chars().all(is_target))
}

/// Returns the account in the unit of the command `own`. Returns `None` if the unit gives the program other rights than
/// those of the account. `near`: the text around the command. Both texts are in lower case.
fn account<'a>(near: &'a str, own: &str) -> Option<&'a str> {
    /// Settings that give a program more rights, and marks of commands that ignore the account.
    const RIGHTS: [&str; 9] = [
        "=+",
        "=!",
        "=@+",
        "=-+",
        "=:+",
        "ambientcapabilities",
        "permissionsstartonly",
        "supplementarygroups",
        "group=",
    ];
    let at = near.find(own)?;
    let start = near[..at].rfind("[service]")?;
    let unit = &near[start..];
    let end = unit.find("```").unwrap_or(unit.len());
    let unit = &unit[..end];
    let mut names = unit
        .lines()
        .filter_map(|line| line.trim().strip_prefix("user="));
    let name = names.next()?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_plain = at < start + end
        && names.next().is_none()
        && !RIGHTS.iter().any(|right| unit.contains(right));
    (is_plain && is_name && !name.is_empty() && name != "root").then_some(name)
}

/// Returns whether a command in `text`, in lower case, creates a system account that cannot log in.
fn creates(text: &str, name: &str) -> bool {
    /// Signs of commands that give an account more rights.
    const GRANTS: [&str; 7] = [
        "usermod", "gpasswd", "sudoers", "nopasswd", "setcap", "setfacl", "u+s",
    ];
    let grants = GRANTS.iter().any(|sign| text.contains(sign));
    !grants
        && text.lines().any(|line| {
            let mut words = line.split_whitespace();
            let is_command = words.any(|word| matches!(word, "useradd" | "adduser"));
            let rest: Vec<&str> = words.collect();
            let has = |sign: &str| rest.contains(&sign);
            let is_system = (has("-r") || has("--system"))
                && rest.iter().any(|word| word.ends_with("/nologin"));
            let has_rights = rest
                .iter()
                .any(|word| word.starts_with("-g") || word.starts_with("--g") || *word == "-o");
            is_command && is_system && !has_rights && rest.last() == Some(&name)
        })
}

/// Returns whether `text` contains `name` as a whole word. `name`: the name of a file or folder, or the variable that
/// contains the name, such as `$FILE`.
fn names(text: &str, name: &str) -> bool {
    let name = name.trim_matches(['"', '\'', '$', '{', '}']);
    if name.is_empty() || COMMON.contains(&name) {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_marked = before.ends_with(['/', '$', '{']);
        !before.ends_with(is_part) && !after.starts_with(is_part) && (name.len() > 2 || is_marked)
    })
}

/// Returns whether each command of a shell line only reads files, or lists scheduled jobs and attributes. A line with a
/// redirection, a substitution or an unknown command does not count.
fn only_reads(line: &str) -> bool {
    const READERS: [&str; 14] = [
        "cat",
        "grep",
        "egrep",
        "zgrep",
        "head",
        "tail",
        "ls",
        "lsattr",
        "stat",
        "sha256sum",
        "wc",
        "uniq",
        "cut",
        "getfacl",
    ];
    let line = line.replace("2>/dev/null", "").replace("2>&1", "");
    if line.contains(['>', '`', '(', '{', '\\']) {
        return false;
    }
    // Search patterns may contain any punctuation. A quote within the other kind of quotes is too rare to be parsed.
    if line.contains('"') && line.contains('\'') {
        return false;
    }
    let outside: Vec<&str> = line.split(['"', '\'']).step_by(2).collect();
    let outside = outside.join("x");
    let reads = |command: &str| {
        let mut words = command.split_whitespace().filter(|word| *word != "sudo");
        match words.next() {
            Some("crontab") => words.next() == Some("-l"),
            Some(word) => READERS.contains(&word),
            None => true,
        }
    };
    outside.split(['\n', ';', '|', '&']).all(reads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_of_a_machine_only_reads() {
        for (line, expected) in [
            ("crontab -l; cat /var/spool/cron/root /etc/cron.d/*", true),
            ("grep -r \"curl.*| *sh\" /etc/cron* /etc/rc.local", true),
            ("sudo cat ~/.ssh/authorized_keys 2>/dev/null | wc -l", true),
            ("lsattr /etc/crontab", true),
            ("crontab -l; crontab /tmp/.x/job", false),
            ("cat /tmp/.x/job | crontab -", false),
            ("cat /tmp/.x/job > /etc/cron.d/x", false),
            ("cat /etc/crontab | tee /etc/cron.d/x", false),
            ("grep x \"$(crontab /tmp/.x/job)\"", false),
            ("cat <(curl -s a.b) /etc/crontab", false),
            ("cat /tmp/.x/job | sh", false),
            ("echo '* * * * * /tmp/.x/job' | crontab -", false),
        ] {
            assert_eq!(only_reads(line), expected, "{line}");
        }
    }

    #[test]
    fn a_hidden_temporary_folder_is_not_a_display() {
        for (text, expected) in [
            ("ExecStart=/tmp/.cache/agent", true),
            ("ExecStart=/dev/shm/agent", true),
            ("rm -f /tmp/.X99-lock", false),
            ("ExecStart=/tmp/.X11-unix/xd", true),
            ("@reboot /tmp/.X99-lock", true),
            ("rm -f /tmp/.X99-lock; /tmp/.X99-lock", true),
            ("rm -f /tmp/.X1-lock; /tmp/.u", true),
        ] {
            assert_eq!(comes_from_nowhere(text), expected, "{text}");
        }
    }

    #[test]
    fn a_list_of_folders_is_not_a_program() {
        for (text, expected) in [
            (
                "echo 'export PATH=$PATH:/usr/local/go/bin' >> ~/.bashrc",
                true,
            ),
            ("echo \"PATH=$HOME/bin:$PATH\" >> $HOME/.profile", true),
            ("echo 'export PATH=/tmp/x:$PATH' >> ~/.bashrc", false),
            ("echo 'export PATH=$HOME/.x:$PATH' >> ~/.bashrc", false),
            ("echo 'export PATH=$(sh x):$PATH' >> ~/.bashrc", false),
            ("echo 'export PATH=$PATH:/x' >> ~/.bashrc; sh x", false),
            ("echo 'sh x' >> ~/.bashrc", false),
        ] {
            assert_eq!(only_extends_path(text), expected, "{text}");
        }
    }

    #[test]
    fn the_pattern_compiles() {
        assert!(!FETCH_THEN_RUN.as_str().is_empty());
    }

    #[test]
    fn a_unit_runs_as_an_own_account() {
        let own = "execstart=/usr/bin/java -jar paper.jar";
        for (unit, expected) in [
            (
                "[service]\nuser=mc\nexecstart=/usr/bin/java -jar paper.jar\nrestart=always\n```",
                Some("mc"),
            ),
            (
                "[service]\nexecstart=/usr/bin/java -jar paper.jar\nuser=mc\n```",
                Some("mc"),
            ),
            (
                "[service]\nexecstart=/usr/bin/java -jar paper.jar\n```\nuser=mc",
                None,
            ),
            (
                "[service]\nuser=root\nexecstart=/usr/bin/java -jar paper.jar\n",
                None,
            ),
            (
                "[service]\nuser=%u\nexecstart=/usr/bin/java -jar paper.jar\n",
                None,
            ),
            (
                "[service]\nuser=mc\nuser=root\nexecstart=/usr/bin/java -jar paper.jar\n",
                None,
            ),
            (
                "[service]\nuser=mc\nexecstartpre=+/bin/x\nexecstart=/usr/bin/java -jar paper.jar\n",
                None,
            ),
            (
                "[service]\nuser=mc\ngroup=docker\nexecstart=/usr/bin/java -jar paper.jar\n",
                None,
            ),
            ("user=mc\nexecstart=/usr/bin/java -jar paper.jar\n", None),
        ] {
            assert_eq!(account(unit, own), expected, "{unit}");
        }
        for (text, expected) in [
            (
                "sudo useradd -r -m -d /srv/mc -s /usr/sbin/nologin mc",
                true,
            ),
            ("adduser --system --shell /usr/sbin/nologin mc", true),
            ("sudo useradd -m mc", false),
            ("sudo useradd -r -s /usr/sbin/nologin mc2", false),
            ("sudo useradd -r -s /usr/sbin/nologin -g docker mc", false),
            (
                "useradd -r -s /usr/sbin/nologin mc\nusermod -ag sudo mc",
                false,
            ),
            ("# mc", false),
        ] {
            assert_eq!(creates(text, "mc"), expected, "{text}");
        }
    }

    #[test]
    fn a_file_is_named_as_a_word() {
        for (text, name, expected) in [
            ("@reboot $HOME/bin/agent --quiet", "agent", true),
            ("@reboot \"$T\"", "$T", true),
            ("@reboot sh /opt/u", "u", true),
            ("export PATH=\"$HOME/bin:$PATH\"", "bin", false),
            ("eval \"$(useragents init)\"", "agent", false),
            ("alias u='ls'", "u", false),
        ] {
            assert_eq!(names(text, name), expected, "{text}");
        }
    }
}
