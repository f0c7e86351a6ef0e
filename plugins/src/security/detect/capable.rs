//! Reports programs by their combined capabilities: the data that they read, the hosts to which they send data, and the
//! code that they run. The order of the statements does not matter.
//!
//! These checks do not prove a data flow. They report a program that reads secrets and, nearby, sends data to an
//! unknown host. In a long program, which may do much else, a request that names only known hosts does not count.

use std::collections::{BTreeSet, HashMap};

use skillc_core::reveal::RevealedFile;
use skillc_core::source::lines::char_floor;
use skillc_core::{RelPath, Span};

use super::children::is_only_given;
use super::delaying::is_independent;
use super::leaking::arguments;
use super::sending::has_any;
use super::{MOST_EXAMINED, Of};
use crate::security::Threat;
use crate::security::context::Place;
use crate::security::examined::Examined;
use crate::security::flow::{is_weak, trimmed};
use crate::security::hosts::{Address, HostKind, kind};
use crate::security::roles::{Role, is_spoken, role};
use crate::security::signals::{Match, Signal};
use crate::security::structure;

/// The maximum distance between reading a secret and sending data, in bytes.
const REACH: usize = 5000;

/// The maximum distance between the path of a Git hook and a command in the text of the hook, in bytes.
const HOOK: usize = 300;

/// The maximum length, in bytes, of a program that does little else than read a secret and send data.
const MAX_SHORT_PROGRAM: usize = 8000;

/// Substrings of code that reads data, in lower case. They count within a few hundred bytes of a secret.
const READS: [&str; 37] = [
    "open(",
    "open my",
    "read(",
    ".read",
    "read_",
    "read -",
    "readf",
    "readall",
    "reader(",
    "inputstream",
    "createread",
    "get_contents",
    "contentsof",
    "opentext",
    "archive(",
    "cat ",
    "copy",
    "tar ",
    "zip",
    "glob",
    "sqlite",
    "get-content",
    "slurp",
    "lookup(",
    "query(",
    "base64",
    "cp ",
    "find ",
    "secret-tool",
    "dump-keychain",
    "cmdkey",
    "exec(",
    "file(",
    ".text(",
    "files=",
    "=@",
    "@$",
];

/// Code before the name of a file with which a client library signs in, in lower case.
const CONFIGURED: [&str; 4] = [
    "load_kube_config(",
    "new_client_from_config(",
    "loadfromfile(",
    "from_service_account_file(",
];

/// More such substrings, which are common in other code. They count only in the statement that names the secret.
const READS_HERE: [&str; 19] = [
    "read",
    "for ",
    ".text",
    "reg query",
    "pass ls",
    "load",
    "upload",
    "put(",
    "send",
    "attach",
    "security ",
    "export",
    "mimikatz",
    "secretsdump",
    "vaultcmd",
    "bw ",
    "op item",
    "@",
    "<",
];

/// The maximum number of variables for which a check searches the whole program for other uses than as the environment
/// of a child process.
const MOST_GIVEN: usize = 20;

/// The capacity of each of the two lists of file names in [`Programs`].
const MAX_NAMES: usize = 50_000;

/// The maximum number of scripts in [`Programs`].
const MOST_PARTS: usize = 1000;

/// A program of the skill, and its capabilities.
#[derive(Debug)]
struct Part {
    /// The name of the file without its extension.
    stem: String,
    /// The names, without extensions, of files in statements that load other files.
    loads: BTreeSet<String>,
    /// A secret that the program reads.
    secret: Option<String>,
    /// Where the program sends data: the file, the span and line of the statement, and the host.
    sends: Option<(RelPath, Span, usize, String)>,
}

/// The files through which programs of a skill may pass secrets to each other.
#[derive(Debug, Default)]
pub(super) struct Programs {
    /// The names of the skill's files, without extensions.
    stems: BTreeSet<String>,
    /// The scripts, which may load each other.
    parts: Vec<Part>,
    /// Whether there are more scripts than [`MOST_PARTS`].
    has_more: bool,
    /// The file names in programs that read secrets but do not send data, each with the secret.
    written: Names<(String, String)>,
    /// The file names in programs that send data but read no secrets: the name, the program, the span and line of the
    /// sending statement, and the host.
    sent: Names<(String, RelPath, Span, usize, String)>,
}

/// At most [`MAX_NAMES`] file names.
#[derive(Debug)]
struct Names<T> {
    names: Vec<T>,
    /// Whether further names were found and dropped.
    has_more: bool,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            has_more: false,
        }
    }
}

impl<T> Extend<T> for Names<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, names: I) {
        let mut names = names.into_iter();
        let room = MAX_NAMES - self.names.len();
        self.names.extend(names.by_ref().take(room));
        self.has_more |= names.next().is_some();
    }
}

impl Programs {
    /// Creates an empty list for the programs among a skill's files.
    pub(super) fn new(files: &[RevealedFile]) -> Self {
        Self {
            stems: files.iter().map(|file| stem(file).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Returns the number of file names.
    pub(super) fn len(&self) -> usize {
        self.written.names.len() + self.sent.names.len()
    }

    /// Adds a threat for each file name that is in both lists: one program seems to write secrets to the file, and
    /// another to send the file.
    ///
    /// Treats scripts that load each other as one program. Adds a threat for each such program in which one script
    /// reads a secret and another sends data to an unknown host.
    pub(super) fn join(self, out: &mut Vec<Threat>) {
        self.join_parts(out);
        if self.has_more {
            let message = "the skill has more scripts than the scan compares";
            out.push(structure::skill_threat(false, message.to_owned()));
        }
        if self.written.has_more || self.sent.has_more {
            let message = "the scripts mention more files than the scan compares";
            out.push(structure::skill_threat(false, message.to_owned()));
        }
        let mut written: HashMap<&str, &str> = HashMap::new();
        for (name, secret) in &self.written.names {
            written.entry(name).or_insert(secret);
        }
        for (name, file, span, line, host) in self.sent.names {
            if let Some(secret) = written.get(&*name) {
                out.push(Threat {
                    rule: "SEC103",
                    file: Some(file),
                    span,
                    line,
                    is_error: true,
                    message: format!(
                        "sends '{name}' to '{host}'; another script writes '{secret}' into this file"
                    ),
                    help: None,
                });
            }
        }
    }
}

impl Programs {
    fn join_parts(&self, out: &mut Vec<Threat>) {
        let count = self.parts.len();
        // The number of the program to which each script belongs.
        let mut group: Vec<usize> = (0..count).collect();
        for (of, part) in self.parts.iter().enumerate() {
            for (to, other) in self.parts.iter().enumerate() {
                if of != to && part.loads.contains(&other.stem) {
                    let (from, into) = (group[of], group[to]);
                    if from == into {
                        continue;
                    }
                    group
                        .iter_mut()
                        .filter(|own| **own == from)
                        .for_each(|own| *own = into);
                }
            }
        }
        for (of, part) in self.parts.iter().enumerate() {
            let Some(secret) = part.secret.as_ref().filter(|_| part.sends.is_none()) else {
                continue;
            };
            let sender = self.parts.iter().enumerate().find_map(|(to, other)| {
                let is_other = to != of && group[to] == group[of] && other.secret.is_none();
                other.sends.as_ref().filter(|_| is_other)
            });
            if let Some((file, span, line, host)) = sender {
                out.push(Threat {
                    rule: "SEC103",
                    file: Some(file.clone()),
                    span: *span,
                    line: *line,
                    is_error: true,
                    message: format!(
                        "sends data to {host}; the script '{}' of the same program reads '{secret}'",
                        part.stem
                    ),
                    help: None,
                });
            }
        }
    }
}

impl Of<'_, '_> {
    /// SEC101, SEC103, SEC104, SEC109: reports harmful combinations of capabilities in the layer's program.
    pub(super) fn capable(&mut self) {
        self.damaged();
        self.pushed();
        if !self.is_program() || self.layer.is_sample {
            return;
        }
        let sources = [
            Signal::SecretFile,
            Signal::SecretCommand,
            Signal::EnvironmentDump,
            Signal::ReadAll,
            Signal::Input,
            Signal::LoadCode,
        ];
        // Finding the destination is slower than checking whether there is anything to send.
        if !sources.iter().any(|signal| self.layer.has(*signal)) {
            return;
        }
        let sends = self.each_of(&[Signal::Send, Signal::DnsLookup, Signal::Net]);
        let target = self.target();
        let secret = self.secret();
        self.bundled(&sends, target.as_deref());
        if let (Some((what, place)), Some(target)) = (&secret, &target)
            && let Some(send) = near(&sends, place.start, REACH)
        {
            let what = format!("reads '{what}' and sends it to {target}");
            let linked = self.linked(&sends, place.start);
            let is_short = self.layer.text().len() <= MAX_SHORT_PROGRAM;
            let is_error = !self.view.is_security && (is_short || linked.is_some());
            self.push("SEC103", linked.unwrap_or(send).span, is_error, &what);
        }
        if let Some(target) = &target {
            self.watched(&sends, target);
            self.loaded(target);
        }
    }

    /// Returns the first request near a position that names an unknown host, directly or through a variable. If there
    /// is none, returns the first one whose address is not known: it may be in a parameter or a field.
    /// `sends`: the requests of the program, in file order.
    fn linked<'m>(&self, sends: &'m [Match], at: usize) -> Option<&'m Match> {
        let text = self.layer.text();
        let first = sends.partition_point(|send| send.span.start + REACH <= at);
        let near = sends[first..]
            .iter()
            .take_while(|send| send.span.start < at + REACH);
        let mut open_ended = None;
        for send in near.most(MOST_EXAMINED, &self.layer.left_out) {
            let statement = self.layer.statement(send.span);
            // The arguments of a call may continue on later lines.
            let open = self.layer.part(send.span).find('(');
            let end = open.map_or(0, |open| {
                arguments(text, char_floor(text, send.span.start) + open + 1).end
            });
            let request = Span::new(statement.start, statement.end.max(end));
            match self.layer.leads_to(request) {
                Some(address) if self.is_strange(&address) => return Some(send),
                Some(_) => {}
                None => open_ended = open_ended.or(Some(send)),
            }
        }
        open_ended
    }

    /// Reports programs that send whole folders of the user.
    fn bundled(&mut self, sends: &[Match], target: Option<&str>) {
        let Some(target) = target else { return };
        let reads = self.each_of(&[Signal::ReadAll]);
        if reads.is_empty() {
            return;
        }
        // A backup program may tell the user's own chat that the backup is complete.
        let to_chat = |send: &Match| self.is_own_chat(send, self.layer.statement(send.span));
        let is_strange = |send: &Match| {
            let address = self.layer.leads_to(self.layer.statement(send.span));
            address.is_some_and(|address| address.kind >= HostKind::Other)
        };
        let are_own = sends.iter().any(to_chat)
            && sends.iter().all(|send| to_chat(send) || !is_strange(send));
        for read in reads {
            let text = self
                .layer
                .lower_part(Span::new(read.span.start, read.span.end + 120));
            let is_own = [
                "documents",
                "desktop",
                "pictures",
                "downloads",
                "/home",
                "expanduser(\"~\")",
                "home()",
            ]
            .iter()
            .any(|name| text.contains(name));
            let is_near = near(sends, read.span.start, 1500).is_some();
            if is_own && is_near && self.is_order(&read) {
                let what = format!("reads the user's folders and sends their contents to {target}");
                let is_error = !self.view.is_security && !are_own;
                self.push("SEC104", read.span, is_error, &what);
            }
        }
    }

    /// Reports programs that load code near a download from an unknown host.
    fn loaded(&mut self, target: &str) {
        let fetches = self.each_of(&[Signal::Fetch, Signal::FetchRun]);
        for load in self.each_of(&[Signal::LoadCode]) {
            let is_near = near(&fetches, load.span.start, 1500).is_some();
            let is_own = self
                .layer
                .part(self.layer.statement(load.span))
                .contains("__file__")
                || self
                    .layer
                    .part(Span::new(
                        load.span.start.saturating_sub(300),
                        load.span.end,
                    ))
                    .contains("__file__");
            if is_near && !is_own && self.is_order(&load) {
                let what = format!("runs what it downloads from {target}");
                self.push("SEC101", load.span, !self.view.is_security, &what);
            }
        }
    }

    /// Reports programs that record the screen, the microphone, the clipboard or the keyboard, and send data.
    fn watched(&mut self, sends: &[Match], target: &str) {
        for input in self.each_of(&[Signal::Input]) {
            let is_near = near(sends, input.span.start, 1500).is_some();
            if is_near && self.is_order(&input) {
                let what =
                    format!("sends keystrokes, sound, copied text or screenshots to {target}");
                self.push("SEC103", input.span, !self.view.is_security, &what);
            }
        }
    }

    /// Reports code that damages files, or that encrypts them with an attacker's key.
    fn damaged(&mut self) {
        for hit in self.each_of(&[Signal::Damage]) {
            // A backup also encrypts a file and removes the original: require a demand for money.
            let text = self.layer.lower_part(hit.span);
            let locks = ["gpg", "age ", "openssl", "7z"]
                .iter()
                .any(|tool| text.starts_with(tool));
            let wide = Span::new(hit.span.start.saturating_sub(500), hit.span.end + 500);
            let wide = self.layer.lower_part(wide);
            let is_sold = [
                "bought",
                "buy ",
                "pay ",
                "payment",
                "price",
                "ransom",
                "btc",
                "unlock",
                "bitcoin",
                "купить",
                "оплат",
                "购买",
                "支付",
            ]
            .iter()
            .any(|word| wide.contains(word));
            let is_order = (!locks || is_sold)
                && !is_independent(self.layer.lower(), hit.span)
                && self.is_order(&hit);
            if is_order && !self.view.is_security && !self.only_rebuilds(&hit) {
                self.push(
                    "SEC109",
                    hit.span,
                    true,
                    "damages or locks the user's files",
                );
            }
        }
    }

    /// Reports commands that push a whole repository to a foreign host.
    fn pushed(&mut self) {
        for hit in self.each_of(&[Signal::PushAway]) {
            let address = self.layer.worst(hit.span);
            let text = self.layer.part(self.layer.statement(hit.span));
            let is_whole = ["--mirror", "--all"]
                .iter()
                .any(|option| text.contains(option));
            let is_quiet = [" -q", "--quiet", "/dev/null", "remote add", "--force "]
                .iter()
                .any(|sign| text.contains(sign));
            // A command that erases the history is reported even after a negation.
            let is_final = text.contains("reflog expire") || text.contains("filter-branch");
            let is_hook = self.is_in_hook(hit.span);
            let is_away = |address: &Address| self.is_foreign(address) && (is_whole || is_hook);
            if let Some(address) = address.filter(is_away)
                && (is_final || self.is_order(&hit))
            {
                let when = if is_hook { ", from a Git hook" } else { "" };
                let what = format!("pushes the repository to '{}'{when}", address.host);
                let is_error = (is_quiet || is_hook) && !self.view.is_security;
                self.push("SEC104", hit.span, is_error, &what);
            }
        }
    }

    /// Returns whether a command is in the text that a program writes into a Git hook, or in a hook itself. Git runs
    /// hooks at each commit or push, and the user no longer sees what they run.
    fn is_in_hook(&self, span: Span) -> bool {
        const HOOKS: [&str; 6] = [
            "/hooks/",
            "hooks\\",
            "'hooks'",
            "\"hooks\"",
            "hookspath",
            ".husky/",
        ];
        const NAMES: [&str; 6] = [
            "post-commit",
            "post-push",
            "post-merge",
            "post-checkout",
            "pre-push",
            "pre-commit",
        ];
        let path = self.layer.file.path.as_str();
        let is_hook = |text: &str| {
            HOOKS.iter().any(|sign| text.contains(sign))
                && NAMES.iter().any(|name| text.contains(name))
        };
        // The path of the hook may follow in the same command: `echo '…' > .git/hooks/post-commit`.
        let end = self.layer.statement(span).end.max(span.start);
        let near = Span::new(span.start.saturating_sub(HOOK), end);
        let near = self.layer.lower_part(near);
        // Another code block is another command.
        let own = near.rsplit("```").next().unwrap_or(near);
        is_hook(own) || NAMES.contains(&self.layer.file.path.file_name()) || is_hook(path)
    }

    /// Adds the layer's script, and the file names in it, to `programs`.
    pub(super) fn exchanged(&self, programs: &mut Programs) {
        if !self.is_program() || self.layer.is_sample || !self.layer.layer.is_file() {
            return;
        }
        let sends = self.each_of(&[Signal::Send, Signal::Net, Signal::DnsLookup]);
        let secret = self.secret();
        self.add_part(&sends, secret.as_ref(), programs);
        let sends = self.each_of(&[Signal::Send]);
        if let (Some((secret, _)), true) = (&secret, sends.is_empty()) {
            let names = self.file_names().into_iter();
            programs
                .written
                .extend(names.map(|name| (name, secret.clone())));
        } else if let (None, Some(send)) = (&secret, sends.first())
            && let Some(target) = self.target()
        {
            let file = self.layer.file;
            let line = file.lines.line(send.span.start);
            let names = self.file_names().into_iter();
            programs.sent.extend(names.map(|name| {
                (
                    name,
                    file.path.clone(),
                    send.span,
                    line,
                    target.trim_matches('\'').to_owned(),
                )
            }));
        }
    }

    /// Adds the layer's script to [`Programs::parts`].
    fn add_part(&self, sends: &[Match], secret: Option<&(String, Span)>, programs: &mut Programs) {
        let file = self.layer.file;
        if !self.layer.is_script || self.view.is_security {
            return;
        }
        if programs.parts.len() == MOST_PARTS {
            programs.has_more = true;
            return;
        }
        let send = sends.first().zip(self.target());
        programs.parts.push(Part {
            loads: self.loaded_names(&programs.stems),
            secret: secret.map(|(name, _)| name.clone()),
            sends: send.map(|(send, target)| {
                let line = file.lines.line(send.span.start);
                (file.path.clone(), send.span, line, target)
            }),
            stem: stem(file).to_owned(),
        });
    }

    /// Returns the names in statements that load or run other files. `stems`: the names of the skill's files.
    fn loaded_names(&self, stems: &BTreeSet<String>) -> BTreeSet<String> {
        const VERBS: [&str; 14] = [
            "import",
            "from ",
            "require",
            "source ",
            ". ",
            "mod ",
            "use ",
            "include",
            "load",
            "import_module",
            "Import-Module",
            "sh ",
            "python",
            "node ",
        ];
        let lines = self.layer.text().lines();
        let loads = lines.filter(|line| VERBS.iter().any(|verb| line.contains(verb)));
        let words = loads.flat_map(|line| {
            line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
        });
        words
            .filter(|word| word.len() > 1 && stems.contains(*word))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the file names, without folders, in the quoted strings of the program.
    fn file_names(&self) -> BTreeSet<String> {
        let text = self.layer.text();
        let quoted = text.split(['"', '\'', '`']);
        let parts = quoted.filter(|part| part.len() < 120 && !part.contains("://"));
        let names = parts.filter_map(|part| part.trim().rsplit(['/', '\\']).next());
        let is_file = |name: &&str| {
            name.len() >= 6
                && name.contains('.')
                && !name.contains([' ', '*', '(', '{', '='])
                && !name.ends_with('.')
                && !name.starts_with("appsettings")
        };
        names.filter(is_file).map(str::to_owned).collect()
    }

    /// Returns whether the layer is a program: a script, or a data file that can contain commands, such as an Ansible
    /// playbook.
    fn is_program(&self) -> bool {
        let file = self.layer.file;
        let extension = file.path.extension().unwrap_or_default();
        self.layer.is_script
            || self.layer.doc.is_none()
                && matches!(&*extension, "yml" | "yaml" | "tf" | "json" | "toml")
    }

    /// Returns the matches of the signals in the program, in file order.
    fn each_of(&self, signals: &[Signal]) -> Vec<Match> {
        let mut all: Vec<Match> = signals
            .iter()
            .flat_map(|signal| self.layer.of(*signal))
            .copied()
            .collect();
        all.sort_by_key(|hit| hit.span.start);
        all
    }

    /// Returns the name and the span of a secret that the program reads.
    fn secret(&self) -> Option<(String, Span)> {
        let text = self.layer.text();
        let file = self
            .each_of(&[Signal::SecretFile, Signal::SecretCommand])
            .into_iter()
            .find(|hit| {
                let name = trimmed(self.layer.part(hit.span));
                if is_weak(name) {
                    return false;
                }
                let from = hit.span.start.saturating_sub(40);
                let before = self.layer.lower_part(Span::new(from, hit.span.start));
                let before = before.trim_end_matches(['"', '\'', '~', '/', ' ', '$', '{', '=']);
                let after = text.get(hit.span.end..).unwrap_or_default();
                // `netrc.netrc()` is a function call, not a file.
                let is_method = after.starts_with('(')
                    && text[..hit.span.start].ends_with(|c: char| c.is_alphanumeric());
                let is_used = is_method
                    || hit.signal == Signal::SecretFile
                        && (role(text, hit.span) != Role::Read || is_spoken(text, hit.span))
                    || CONFIGURED.iter().any(|start| before.ends_with(start));
                let wide = Span::new(hit.span.start.saturating_sub(700), hit.span.end + 700);
                let wide = self.layer.lower_part(wide);
                let line = self.layer.lower_part(self.layer.statement(hit.span));
                // The response of a cloud's metadata service may be read through any variable.
                let is_service = name.starts_with("169.254.") || name.starts_with("metadata.");
                let reads = is_service
                    || hit.signal == Signal::SecretCommand
                    || has_any(wide, &READS)
                    || has_any(line, &READS_HERE);
                let is_read = [
                    "readfile",
                    "open(",
                    "read_text",
                    "read_bytes",
                    "cat ",
                    "get-content",
                    "io.open",
                ]
                .iter()
                .any(|verb| line.contains(verb));
                // The list of users is public, and its path is a common value in tests.
                let is_common = name.ends_with("/etc/passwd");
                !is_used && reads && (is_read || !is_common && self.is_order(hit))
            });
        if let Some(hit) = file {
            return Some((trimmed(self.layer.part(hit.span)).to_owned(), hit.span));
        }
        let mut examined = 0;
        let dump = self
            .each_of(&[Signal::EnvironmentDump])
            .into_iter()
            .find(|hit| {
                // Skip an environment that is passed to a child process, or that is filtered for the program's own
                // settings.
                let line = self.layer.lower_part(self.layer.statement(hit.span));
                let is_passed = [
                    "env=",
                    "env: process",
                    "env: {",
                    "env:{",
                    "spawn",
                    "popen",
                    "startswith(",
                    "start_with",
                    "hasprefix",
                ]
                .iter()
                .any(|sign| line.contains(sign));
                let behind = self
                    .layer
                    .lower_part(Span::new(hit.span.start, hit.span.end + 600));
                let name = self.layer.sets(hit.span).unwrap_or("env");
                let name = name.to_ascii_lowercase();
                let is_given = behind.contains(&format!("env={name}"))
                    || behind.contains(&format!("env: {name}"));
                let mut is_for_child = || {
                    examined += 1;
                    examined <= MOST_GIVEN && is_only_given(self.layer.lower(), &name)
                };
                !(is_passed || is_given && is_for_child())
            });
        dump.map(|hit| ("the environment".to_owned(), hit.span))
    }

    /// Describes the destination of the program's requests: the most suspicious unknown host, a host whose name the
    /// program assembles, a name server, or a chat.
    pub(super) fn target(&self) -> Option<String> {
        let text = self.layer.text();
        let all = self.layer.addresses(Span::new(0, text.len()));
        let worst = all
            .iter()
            .filter(|address| self.is_strange(address))
            .max_by_key(|address| address.kind);
        if let Some(address) = worst {
            return Some(format!("'{}'", address.host));
        }
        // If the program assembles only the first part of a host name, the rest still shows the owner of the host.
        let below = all.iter().find_map(|address| {
            let (_, rest) = text.get(address.start..)?.split_once("://")?;
            let end = rest.find(['/', '"', '\'', '`', ' ', '\n', '?'])?;
            let (_, domain) = rest[..end].rsplit_once('}')?;
            let domain = domain.strip_prefix('.')?;
            let is_strange = kind(domain, "") >= HostKind::Other && domain.contains('.');
            is_strange.then(|| format!("'{domain}'"))
        });
        if below.is_some() {
            return below;
        }
        let is_built = [
            "http://{",
            "https://{",
            "http://\" +",
            "https://\" +",
            "chr(",
            "fromcharcode",
            "[char]",
            ".reverse(",
            ".join(\"\")",
            ".join('')",
        ]
        .iter()
        .any(|sign| self.layer.lower().contains(sign));
        if is_built {
            return Some("a host whose name it assembles".to_owned());
        }
        if self.layer.has(Signal::DnsLookup) {
            return Some("a DNS server".to_owned());
        }
        let is_bot = ["telebot", "telegram", "discord"]
            .iter()
            .any(|name| text.contains(name));
        is_bot.then(|| "a chat".to_owned())
    }

    /// Returns whether an address is outside comments and does not belong to a known vendor. A host that is named after
    /// the skill counts too: the name does not entitle the host to the user's secrets.
    pub(super) fn is_strange(&self, address: &Address) -> bool {
        address.kind >= HostKind::Other
            && !self.layer.is_reference(address)
            && self
                .layer
                .place(Span::new(address.start, address.start + 1))
                != Place::Comment
    }
}

/// Returns the first match that begins less than `bytes` bytes from a position. `hits`: in file order.
fn near(hits: &[Match], at: usize, bytes: usize) -> Option<&Match> {
    let first = hits.partition_point(|hit| hit.span.start + bytes <= at);
    let hit = hits.get(first)?;
    (hit.span.start.abs_diff(at) < bytes).then_some(hit)
}

/// Returns the name of a file without its extension.
fn stem(file: &RevealedFile) -> &str {
    let name = file.path.file_name();
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_joined_in_linear_time_and_a_bound_is_reported() {
        let file = RelPath::parse("a.py").unwrap();
        let mut programs = Programs::default();
        let written = (0..=MAX_NAMES).map(|n| (format!("{n}.json"), ".env".to_owned()));
        programs.written.extend(written);
        let sent = (MAX_NAMES - 10..2 * MAX_NAMES - 10).map(|n| {
            let (name, host) = (format!("{n}.json"), "a.example".to_owned());
            (name, file.clone(), Span::default(), 1, host)
        });
        programs.sent.extend(sent);
        let mut out = Vec::new();
        programs.join(&mut out);
        let (bounds, joined): (Vec<&Threat>, Vec<&Threat>) =
            out.iter().partition(|threat| threat.rule == "SEC118");
        assert_eq!(bounds.len(), 1);
        assert_eq!(joined.len(), 10);
    }
}
