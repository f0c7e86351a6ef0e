//! Reports data that a command or script sends: secrets, facts about the machine, and whole folders.

use std::collections::HashMap;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::telling::{last_end, takes};
use super::{NEAR, Of};
use crate::security::context::Place;
use crate::security::flow::is_weak;
use crate::security::hosts::{Address, HostKind};
use crate::security::purpose::Purpose;
use crate::security::roles::{Role, is_spoken, role};
use crate::security::signals::{Match, Signal};
use crate::security::statements::assigned;

/// The names of keys, each with substrings of the host names of the key's issuer.
pub(super) const OWNERS: [(&str, &[&str]); 12] = [
    ("GITHUB_TOKEN", &["github"]),
    ("GH_TOKEN", &["github"]),
    ("AWS_SECRET_ACCESS_KEY", &["aws", "amazon"]),
    ("AWS_ACCESS_KEY_ID", &["aws", "amazon"]),
    ("OPENAI_API_KEY", &["openai", "azure"]),
    ("ANTHROPIC_API_KEY", &["anthropic", "claude"]),
    ("NPM_TOKEN", &["npm"]),
    ("SLACK_TOKEN", &["slack"]),
    ("STRIPE_SECRET_KEY", &["stripe"]),
    ("GITLAB_TOKEN", &["gitlab"]),
    ("HF_TOKEN", &["hf", "huggingface"]),
    ("DATABASE_URL", &["\0"]),
];

/// The maximum number of keys to look for in a request body.
const MOST_KEYS: usize = 24;

/// The maximum number of bytes before and after the name of a file that are searched for a verb of its sentence.
const SENTENCE: usize = 300;

/// Strings in the address of a Telegram bot, directly before the variable that holds the bot's key.
const BOTS: [&str; 5] = ["/bot$", "/bot${", "/bot{", "/bot\" + ", "/bot' + "];

/// Substrings of statements that read files, in lower case.
const READS: [&str; 18] = [
    "cd ~/.",
    "cd $home/.",
    "cat ",
    "read",
    "open(",
    "cp ",
    "tar ",
    "base64",
    "find ",
    "zip ",
    "sqlite3",
    "copy",
    "curl",
    "for ",
    "glob",
    "get-content",
    "security ",
    "ls ",
];

/// Facts about a secret file that the text names. They do not depend on the command that may send the file.
#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, of which each command needs others"
)]
struct SecretFile<'a> {
    name: &'a str,
    /// Whether the file is named in prose.
    is_spoken: bool,
    /// Whether a code span in a sentence only names the file, and the sentence does not say to read or copy it.
    is_named: bool,
    /// Whether cloud tools sign in with the file.
    is_cloud: bool,
    /// Whether the command only signs in with the file, writes it or names it, or the file is public.
    is_used: bool,
    /// Whether the file may contain the skill's own settings, or is public.
    is_weak: bool,
    /// Whether the statement that names the file reads files.
    reads: bool,
    /// Whether the statement passes on the content of the file.
    is_taken: bool,
    /// Whether the statement copies files to another machine.
    is_copied: bool,
    /// Whether the statement uses the whole file, not only one line, and does not load the file as settings.
    is_whole: bool,
}

/// Returns whether a file or store contains private keys or cloud credentials. Such keys are only for signing in: no
/// service needs them as data. `name`: the name of the file or store in the text.
fn is_private(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "id_rsa",
        "id_ed25519",
        "id_ecdsa",
        "id_dsa",
        ".ssh/*",
        ".aws/credentials",
        ".gnupg",
        "export-secret",
        "wallet.dat",
    ];
    let lower = name.to_ascii_lowercase();
    NAMES.iter().any(|part| lower.contains(part))
}

/// Returns whether a command copies files from another machine to this one.
pub(super) fn is_download(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let is_copy = words
        .next()
        .is_some_and(|word| matches!(word, "scp" | "rsync"));
    let is_one = !command.contains([';', '|', '&', '`']) && !command.contains("$(");
    if !is_copy || !is_one {
        return false;
    }
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    let is_remote = |word: &&str| word.contains(':');
    words.split_last().is_some_and(|(last, others)| {
        !is_remote(last) && !last.starts_with('$') && others.iter().any(is_remote)
    })
}

impl<'a> Of<'a, '_> {
    /// SEC103 and SEC104: reports data that is sent after it was read: in the same command, into a variable, or nearby.
    pub(super) fn sent_by_command(&mut self) {
        let signals = [Signal::Send, Signal::DnsLookup];
        let sends = signals.into_iter().flat_map(|signal| self.all(signal));
        let sends = sends.collect();
        let mut files = HashMap::new();
        for hit in self.each(sends) {
            if !self.is_order(&hit) {
                continue;
            }
            let address = (self.layer.worst(hit.span))
                .or_else(|| self.layer.leads_to(self.layer.statement(hit.span)));
            let kind = address.as_ref().map(|address| address.kind);
            if kind == Some(HostKind::Local) {
                continue;
            }
            let is_home =
                kind.is_some_and(|kind| matches!(kind, HostKind::Known | HostKind::Placeholder));
            let unit = self.layer.unit(hit.span);
            let statement = self.layer.statement(hit.span);
            if is_download(self.layer.part(statement)) || self.is_one_download(&hit) {
                continue;
            }
            let to = match &address {
                Some(address) => format!("'{}' ({})", address.host, address.kind.words()),
                None => "another machine".to_owned(),
            };
            let is_suspect = kind.is_some_and(HostKind::is_suspect);
            let secret = self.secret_file(hit, unit, statement, &mut files);
            if let Some((name, is_named)) = secret.filter(|_| !is_home || is_suspect) {
                let what = format!("reads '{name}' and sends it to {to}");
                let is_error = !(is_named
                    || self.is_lesson_to(&hit, address.as_ref())
                    || self.is_backup(&hit, kind)
                    || self.is_deployment(&hit, name)
                    || kind.is_none() && self.signs_in(statement));
                self.push("SEC103", hit.span, is_error, &what);
                continue;
            }
            let taken = secret.filter(|(_, is_named)| !is_named);
            if self.sent_to_vendor(&hit, taken.map(|(name, _)| name), address.as_ref()) {
                continue;
            }
            let dump = self
                .layer
                .within(
                    Signal::EnvironmentDump,
                    Span::new(unit.start, statement.end),
                )
                .last()
                .copied();
            if dump.is_some_and(|dump| {
                self.flows(dump.span, statement)
                    || hit.span.start.saturating_sub(dump.span.start) < NEAR
            }) && !is_home
                && !dump.is_some_and(|dump| {
                    self.is_for_child(dump.span, hit.span, statement)
                        || self.is_printed(dump.span, hit.span, statement)
                })
            {
                let what = format!("sends the environment variables, which contain keys, to {to}");
                self.push("SEC103", hit.span, !self.is_lesson(&hit, kind), &what);
                continue;
            }
            if let Some(name) = self.key_of_another(hit, statement, address.as_ref()) {
                let what = format!("sends '{name}', the key of another service, to {to}");
                self.push("SEC103", hit.span, !self.is_lesson(&hit, kind), &what);
                continue;
            }
            let is_dns = hit.signal == Signal::DnsLookup;
            let mut facts = self.layer.within(Signal::HostFacts, unit);
            let are_many = || {
                let many = facts.clone().nth(2).is_some();
                many && kind == Some(HostKind::Other)
            };
            let flows = |fact: &Match| {
                let Span { start, end } = fact.span;
                let is_inside = start >= statement.start && end <= statement.end;
                is_inside || self.flows(fact.span, statement)
            };
            if (is_suspect || is_dns || are_many()) && facts.any(flows) {
                let what = format!("sends information about the machine and its user to {to}");
                let is_own = self.is_own_chat(&hit, statement);
                self.push(
                    "SEC104",
                    hit.span,
                    !self.view.is_security && (is_suspect || is_dns) && !is_own,
                    &what,
                );
                continue;
            }
            let read = Span::new(unit.start, statement.end);
            let has_read = self.layer.within(Signal::ReadAll, read).next().is_some();
            if has_read && kind.is_some_and(|kind| kind >= HostKind::Other) {
                let what = format!("reads whole folders and sends their contents to {to}");
                let is_own = self.is_own_chat(&hit, statement);
                self.push("SEC104", hit.span, !self.view.is_security && !is_own, &what);
            }
        }
    }

    /// Reports a private key that is sent to a known vendor. Such a key never belongs to the vendor. Returns whether
    /// there was such a key.
    pub(super) fn sent_to_vendor(
        &mut self,
        hit: &Match,
        secret: Option<&str>,
        address: Option<&Address>,
    ) -> bool {
        let Some(name) = secret.filter(|name| is_private(name)) else {
            return false;
        };
        let Some(address) = address.filter(|address| address.kind == HostKind::Known) else {
            return false;
        };
        let host = &address.host;
        let what = format!("reads '{name}' and sends it to '{host}' (a known vendor)");
        let is_error = address.passes_on() && !self.is_lesson(hit, None);
        self.push("SEC103", hit.span, is_error, &what);
        true
    }

    /// Returns whether a request sends a secret in a header in order to sign in.
    fn signs_in(&self, statement: Span) -> bool {
        let near = Span::new(statement.start.saturating_sub(300), statement.end);
        let part = self.layer.part(near);
        part.contains("headers=")
            && ["Token", "Authorization", "Bearer"]
                .iter()
                .any(|name| part.contains(name))
    }

    /// Returns whether a backup tool copies to a destination that the user has set up, in a skill for backups.
    pub(super) fn is_backup(&self, hit: &Match, kind: Option<HostKind>) -> bool {
        const TOOLS: [&str; 9] = [
            "rclone",
            "restic",
            "borg",
            "duplicity",
            "kopia",
            "aws s3",
            "gsutil",
            "rsync",
            "azcopy",
        ];
        let part = self.layer.part(hit.span);
        kind.is_none()
            && TOOLS.iter().any(|tool| part.contains(tool))
            && self.serves(hit, Purpose::Backup)
    }

    /// Returns whether a tool copies the settings of an application to the user's own server, in a skill for
    /// deployment. `secret`: the name of the file.
    pub(super) fn is_deployment(&self, hit: &Match, secret: &str) -> bool {
        let command = self.command(hit);
        let is_copy = ["scp ", "rsync "]
            .iter()
            .any(|tool| command.starts_with(tool));
        is_copy
            && command.contains('@')
            && is_weak(secret)
            && self.aims_at(hit, Purpose::Deployment)
            && self.layer.worst(hit.span).is_none_or(|address| {
                // A reserved IP address stands for the user's server in an example.
                !address.kind.is_suspect() || address.kind == HostKind::Number && !address.is_live()
            })
    }

    /// Returns whether a match is a single command that copies files from another machine to this one.
    fn is_one_download(&self, hit: &Match) -> bool {
        let part = self.layer.part(hit.span);
        let copies = ["scp ", "rsync ", "sftp "].iter();
        let count: usize = copies.map(|tool| part.matches(tool).count()).sum();
        count == 1 && self.copies_here(hit)
    }

    /// Returns whether the command of a match copies files from another machine to this one.
    pub(super) fn copies_here(&self, hit: &Match) -> bool {
        let decide = || is_download(self.command(hit));
        self.layer.downloads(hit.span, decide)
    }

    /// Returns the command at the start of a match, up to the end of the command.
    pub(super) fn command(&self, hit: &Match) -> &'a str {
        let line = self.layer.part(self.layer.statement(hit.span));
        let part = self.layer.part(hit.span).trim_start();
        // A match may end before the command does.
        let start = line.find(part).unwrap_or_default();
        let rest = &line[start..];
        let end = rest.find(['\n', ';', '|', '&', '`']);
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Returns whether a message goes to a chat of the user: the token and the id of the chat are in variables that the
    /// text does not set. If the message is sent by a script, which the user may not have read, no file of the skill
    /// may contain a token.
    pub(super) fn is_own_chat(&self, hit: &Match, statement: Span) -> bool {
        let part = self.layer.part(statement);
        let is_given = |rest: &str| {
            let rest = rest.trim_start_matches(['"', '\'', '=', ':', ' ', '\\']);
            let name = rest
                .strip_prefix("${")
                .or_else(|| rest.strip_prefix('$'))
                .unwrap_or_default();
            let name = name
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .next()
                .unwrap_or_default();
            let is_set = self.layer.sets_number(name)
                || self.layer.is_script && self.layer.sets_decoded(name);
            !name.is_empty() && !is_set
        };
        let after = |sign: &str| part.split_once(sign).map(|(_, rest)| rest);
        let is_bot = after("api.telegram.org/bot").is_some_and(is_given)
            && after("chat_id").is_some_and(is_given);
        let is_hook = ["hooks.slack.com/services/", "/api/webhooks/"]
            .iter()
            .any(|path| after(path).is_some_and(is_given));
        (is_bot || is_hook)
            && (self.is_shown(hit) || !self.view.has_chat() && !self.is_disguised(hit))
    }

    /// Returns whether a shell command only prints the environment, as in `env | grep APP`. A nearby command that sends
    /// something then sends other data.
    fn is_printed(&self, dump: Span, send: Span, statement: Span) -> bool {
        let text = self.layer.lower_part(dump);
        let word = text.trim_start_matches([' ', '\t', '\n', ';', '&', '|']);
        // A match may begin with the end of the previous line.
        let dump = Span::new(dump.start + (text.len() - word.len()), dump.end);
        let line = self.layer.part(self.layer.statement(dump));
        let is_inline = self.layer.place(dump) == Place::CodeSpan;
        let code = |span: Span| {
            let at = self.layer.place_of(span).start;
            self.layer.doc.and_then(|doc| doc.code_span_at(at))
        };
        let is_apart = dump.end <= statement.start
            || dump.start >= statement.end
            || is_inline && self.layer.layer.is_file() && code(dump) != code(send);
        let is_piped = ["env", "printenv", "export -p", "declare -x", "set"]
            .iter()
            .filter_map(|name| word.strip_prefix(name))
            .any(|rest| rest.trim_start().starts_with('|'));
        let is_kept = has_any(line, &["$(", ">", "tee ", "xargs", "while ", "read "])
            || !is_inline && line.contains('`');
        // The output of a function or of a group of commands may be sent as a whole.
        let near = Span::new(
            dump.start.saturating_sub(NEAR),
            statement.start.max(dump.end),
        );
        let is_grouped = has_any(
            self.layer.part(near),
            &["() {", "(){", "function ", "{ ", "(\n"],
        ) || self
            .layer
            .part(statement)
            .trim_start()
            .starts_with([')', '}', '|']);
        is_apart && is_piped && !is_kept && !is_grouped && self.layer.sets(dump).is_none()
    }

    /// Returns whether an environment is passed to a child process, and the sending statement uses no variable that
    /// contains the environment.
    fn is_for_child(&self, dump: Span, send: Span, statement: Span) -> bool {
        let between = self
            .layer
            .part(Span::new(dump.start, send.start.max(dump.end)));
        let is_given = ["env=", "env:", "environment="]
            .iter()
            .any(|sign| between.contains(sign));
        is_given && !self.flows(dump, statement)
    }

    /// Returns the name of the secret file that a command sends, and whether a sentence only names the file. `files`:
    /// caches the facts about such files.
    fn secret_file(
        &self,
        hit: Match,
        unit: Span,
        statement: Span,
        files: &mut HashMap<Span, SecretFile<'a>>,
    ) -> Option<(&'a str, bool)> {
        let unit = Span::new(unit.start, statement.end.max(unit.start));
        let is_code = matches!(
            self.layer.place(hit.span),
            Place::Shell | Place::Code | Place::CodeSpan | Place::Script
        );
        // Cloud tools sign in with their own file. The text around a command may only say where the file is.
        let part = self.layer.part(hit.span);
        let is_cloud = has_any(part, &["aws ", "gsutil", "rclone", "gcloud"]);
        let is_sent = |place: &Match| {
            let span = place.span;
            let file = *files.entry(span).or_insert_with(|| self.file_at(span));
            if file.is_used || file.is_spoken && is_code || file.is_cloud && is_cloud {
                return None;
            }
            let is_inside = span.start >= statement.start && span.end <= statement.end;
            let is_copied = file.is_copied && hit.signal == Signal::Send;
            let is_sent = is_inside && (!file.is_weak || file.is_taken || is_copied);
            let between = Span::new(span.start.min(hit.span.start), hit.span.start);
            let is_near = || {
                hit.span.start.abs_diff(span.start) < 1500
                    && (file.reads || self.layer.reads_in(between))
            };
            let is_sent = is_sent
                || if file.is_weak {
                    file.reads && file.is_whole && self.flows(span, statement)
                } else {
                    is_near() || self.flows(span, statement)
                };
            is_sent.then_some((file.name, file.is_named && is_code))
        };
        // A file that is only named must not excuse another one, which is read.
        let mut named = None;
        for found in self
            .layer
            .within(Signal::SecretFile, unit)
            .filter_map(is_sent)
        {
            if !found.1 {
                return Some(found);
            }
            named = named.or(Some(found));
        }
        named
    }

    /// Returns the facts about the secret file that is named at `span`.
    fn file_at(&self, span: Span) -> SecretFile<'a> {
        let text = self.layer.text();
        let whole = self.layer.part(span).trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ')' | '(' | '=' | '@')
        });
        let name = whole.trim_start_matches('/');
        let start = char_floor(text, span.start);
        let before = text[char_floor(text, span.start.saturating_sub(40))..start]
            .trim_end_matches(['"', '\'', '~', '/', ' ']);
        let statement = self.layer.statement(span);
        let (line, lower) = (self.layer.part(statement), self.layer.lower_part(statement));
        SecretFile {
            name,
            is_spoken: self.layer.place(span) == Place::Prose,
            is_named: self.is_bare_name(span) && !self.is_taken(span),
            is_cloud: has_any(whole, &[".aws", "gcloud", "rclone"]),
            is_used: role(text, span) != Role::Read
                || before.ends_with("KUBECONFIG=")
                || self.layer.place(span) == Place::Script && is_spoken(text, span),
            is_weak: [".env", "env", "credentials.", "secrets."]
                .iter()
                .any(|start| name.starts_with(start))
                || name.contains("npmrc")
                || name.ends_with("etc/passwd"),
            reads: has_any(lower, &READS),
            is_taken: ["@", "$(", "`", "<", "cat ", "scp ", "cp ", "open("]
                .iter()
                .any(|sign| before.ends_with(sign))
                || line.contains("cat ") && line.contains('|')
                || line.contains(&format!("@{name}"))
                || line.contains("$(cat")
                || line.contains("open(") && line.contains("files="),
            is_copied: has_any(line, &["scp ", "s3 cp"]),
            is_whole: !has_any(line, &["source ", "grep", "cut", "awk", "sed", "xargs"])
                && !line.contains("load_dotenv"),
        }
    }

    /// Returns whether a code span contains only the name of the file at `span`, and no command.
    fn is_bare_name(&self, span: Span) -> bool {
        let at = self.layer.place_of(span).start;
        let code = self.layer.doc.and_then(|doc| {
            let code = doc.code_span_at(at)?;
            doc.text.get(code.start..code.end)
        });
        self.layer.place(span) == Place::CodeSpan
            && code
                .is_some_and(|code| !code.trim_matches(['`', ' ']).contains([' ', '<', '|', '$']))
    }

    /// Returns whether the sentence or row of a table around a span says to read or copy something.
    fn is_taken(&self, span: Span) -> bool {
        let text = self.layer.lower();
        let start = char_floor(text, span.start);
        let before = &text[char_floor(text, start.saturating_sub(SENTENCE))..start];
        let is_row = |line: &str| line.trim_start().starts_with('|');
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        let before = match last_end(before, false) {
            _ if is_row(line) => line,
            Some(end) => &before[end..],
            None => before,
        };
        // The text after the name, up to the next name.
        let end = char_floor(text, span.end);
        let after = &text[end..char_floor(text, end + SENTENCE)];
        let after = after.trim_start_matches('`');
        let after = after.split(". ").next().unwrap_or_default();
        takes(before) || takes(after.split(['`', '\n']).next().unwrap_or_default())
    }

    /// Returns whether the statement at `from` sets a variable that occurs in the statement `to`.
    fn flows(&self, from: Span, to: Span) -> bool {
        let name = self.layer.sets(from);
        name.is_some_and(|name| self.layer.uses(name, to))
    }

    /// If the body of a request sends a vendor's key to a host that does not belong to the vendor, returns the name of
    /// the key.
    pub(super) fn key_of_another(
        &self,
        hit: Match,
        statement: Span,
        address: Option<&Address>,
    ) -> Option<String> {
        let part = self.layer.part(statement);
        let unit = self.layer.unit(hit.span);
        let text = self.layer.part(Span::new(unit.start, statement.end));
        let is_socket = hit.signal == Signal::Send
            && self.layer.part(hit.span).contains(".send")
            && text.contains("socket");
        // A key in a header is used to sign in, so only the body counts.
        let in_body = [
            "json=", "data=", "params=", "-d ", "--data", "body:", "body=", "files=", "-F ",
            ".write(",
        ]
        .iter()
        .any(|sign| part.contains(sign))
            || is_socket;
        let host = address
            .map(|address| address.host.as_str())
            .unwrap_or_default();
        if !in_body || address.is_none() && !is_socket {
            return None;
        }
        let is_suspect = address.is_some_and(|address| address.kind.is_suspect());
        let header =
            part.contains("headers=") && !part.contains("json=") && !part.contains("data=");
        if header {
            return None;
        }
        let has_variable = part.contains('$');
        let mut keys = 0;
        for line in text.lines().rev() {
            let env = has_any(
                line,
                &[
                    "environ[",
                    "environ.get",
                    "os.getenv",
                    "process.env",
                    "getenv(",
                    "$env:",
                ],
            );
            let held = assigned(line).filter(|_| env);
            let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            for word in words.filter(|word| word.len() > 5 && !word.chars().any(char::is_lowercase))
            {
                let is_key = ["_TOKEN", "_KEY", "_SECRET", "_PASSWORD", "API_KEY"]
                    .iter()
                    .any(|end| word.ends_with(end))
                    || word == "DATABASE_URL"
                    || word == "AWS_ACCESS_KEY_ID";
                let maker = word.split('_').next().unwrap_or(word).to_ascii_lowercase();
                // A key that is named after the host is sent to its issuer.
                if !is_key || maker.len() >= 3 && host.contains(&*maker) {
                    continue;
                }
                let owner = OWNERS.iter().find(|(name, _)| *name == word);
                let is_foreign = owner
                    .is_some_and(|(_, hosts)| !hosts.iter().any(|owner| host.contains(owner)))
                    && address.is_some_and(|address| {
                        address.kind >= HostKind::Other || host.contains("invalid")
                    });
                if !(is_suspect || is_foreign || is_socket && !host.contains("localhost")) {
                    continue;
                }
                let is_held = held.is_some_and(|name| self.layer.uses(name, statement));
                let is_used = (env || has_variable) && self.layer.uses(word, statement);
                if !is_held && !is_used {
                    continue;
                }
                // The address of a Telegram bot contains the key of the bot.
                let is_path = [word, held.unwrap_or(word)].iter().any(|name| {
                    let mut ends = BOTS.iter();
                    ends.any(|bot| part.contains(&format!("{bot}{name}")))
                });
                // Many teams run their own GitLab server.
                let is_own = word == "GITLAB_TOKEN" && !is_suspect && is_in_header(part, word);
                let signs_in = || is_own || part.contains(&format!("Bearer ${word}"));
                if !is_path && (is_held || !signs_in()) {
                    return Some(word.to_owned());
                }
                keys += 1;
                if keys == MOST_KEYS {
                    self.layer.left_out.note();
                    return None;
                }
            }
        }
        None
    }
}

/// Returns whether a key occurs only in headers that authenticate a request.
fn is_in_header(part: &str, key: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    part.match_indices(key).all(|(at, _)| {
        let header = lower[..at].rsplit(['"', '\'']).next().unwrap_or_default();
        ["private-token:", "job-token:", "authorization:"]
            .iter()
            .any(|name| header.trim_start().starts_with(name))
    })
}

/// Returns whether `text` contains at least one of the words.
pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}
