//! Reports what a command or script sends: secrets, facts about the machine, whole folders.

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::{NEAR, Of};
use crate::security::context::Place;
use crate::security::hosts::{Address, HostKind};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};

impl Of<'_, '_> {
    /// SEC103 and SEC104: reports data that is sent after it was read in the same command, into a variable, or nearby.
    pub(super) fn sent_by_command(&mut self) {
        let sends: Vec<Match> = [Signal::Send, Signal::DnsLookup]
            .iter()
            .flat_map(|signal| self.all(*signal))
            .collect();
        for hit in sends {
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
            let to = match &address {
                Some(address) => format!("'{}' ({})", address.host, address.kind.words()),
                None => "another machine".to_owned(),
            };
            let is_suspect = kind.is_some_and(HostKind::is_suspect);
            let secret = self.secret_file(hit, unit, statement);
            if let Some(name) = secret.filter(|_| !is_home || is_suspect) {
                let what = format!("reads '{name}' and sends it to {to}");
                let is_error = !(self.is_lesson_to(&hit, address.as_ref())
                    || self.is_backup(&hit, kind)
                    || kind.is_none() && self.signs_in(statement));
                self.push("SEC103", hit.span, is_error, &what);
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
                && !dump.is_some_and(|dump| self.is_for_child(dump.span, hit.span, statement))
            {
                let what = format!("sends the environment, which holds keys, to {to}");
                self.push("SEC103", hit.span, !self.is_lesson(&hit, kind), &what);
                continue;
            }
            if let Some(name) = self.key_of_another(hit, statement, address.as_ref()) {
                let what = format!("sends '{name}' to {to}, to which it does not belong");
                self.push("SEC103", hit.span, !self.is_lesson(&hit, kind), &what);
                continue;
            }
            let facts: Vec<Match> = self
                .layer
                .within(Signal::HostFacts, unit)
                .copied()
                .collect();
            let inside = facts
                .iter()
                .any(|fact| fact.span.start >= statement.start && fact.span.end <= statement.end);
            let is_dns = hit.signal == Signal::DnsLookup;
            let flows = inside || facts.iter().any(|fact| self.flows(fact.span, statement));
            if flows && (is_suspect || is_dns || facts.len() >= 3 && kind == Some(HostKind::Other))
            {
                let what = format!("sends facts about the machine and its user to {to}");
                self.push(
                    "SEC104",
                    hit.span,
                    !self.view.is_security && (is_suspect || is_dns),
                    &what,
                );
                continue;
            }
            if self
                .layer
                .within(Signal::ReadAll, Span::new(unit.start, statement.end))
                .next()
                .is_some()
                && address
                    .as_ref()
                    .is_some_and(|address| address.kind >= HostKind::Other)
            {
                let what = format!("reads whole folders and sends what is in them to {to}");
                self.push("SEC104", hit.span, !self.view.is_security, &what);
            }
        }
    }

    /// Returns whether a request carries what it sends in a header, to sign in.
    fn signs_in(&self, statement: Span) -> bool {
        let near = Span::new(statement.start.saturating_sub(300), statement.end);
        let part = self.layer.part(near);
        part.contains("headers=")
            && ["Token", "Authorization", "Bearer"]
                .iter()
                .any(|name| part.contains(name))
    }

    /// Returns whether a tool for backups copies to a place that the user has set up, and the skill is for that.
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

    /// Returns whether an environment is passed to a child process, and no variable carries it to the sending
    /// statement.
    fn is_for_child(&self, dump: Span, send: Span, statement: Span) -> bool {
        let between = self
            .layer
            .part(Span::new(dump.start, send.start.max(dump.end)));
        let is_given = ["env=", "env:", "environment="]
            .iter()
            .any(|sign| between.contains(sign));
        is_given && !self.flows(dump, statement)
    }

    /// Returns the name of the file of secrets that a command sends.
    #[expect(
        clippy::too_many_lines,
        reason = "one decision, of which each step needs the others"
    )]
    pub(super) fn secret_file(&self, hit: Match, unit: Span, statement: Span) -> Option<String> {
        let text = self.layer.text();
        let found = self.layer.within(
            Signal::SecretFile,
            Span::new(unit.start, statement.end.max(unit.start)),
        );
        for file in found {
            let name = self.layer.part(file.span).trim_matches(|c: char| {
                c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ')' | '(' | '=' | '@')
            });
            let before = text[char_floor(text, file.span.start.saturating_sub(40))
                ..char_floor(text, file.span.start)]
                .trim_end_matches(['"', '\'', '~', '/', ' ']);
            // Cloud tools sign in with their own file, and the text around a command may say where the file is.
            let is_cloud = ["aws ", "gsutil", "rclone", "gcloud"]
                .iter()
                .any(|tool| self.layer.part(hit.span).contains(tool));
            let is_code = |span| {
                matches!(
                    self.layer.place(span),
                    Place::Shell | Place::Code | Place::CodeSpan | Place::Script
                )
            };
            let is_spoken = self.layer.place(file.span) == Place::Prose && is_code(hit.span);
            if is_cloud
                && (name.contains(".aws") || name.contains("gcloud") || name.contains("rclone"))
                || is_spoken
            {
                continue;
            }
            let after = &text[char_floor(text, file.span.end)
                ..char_floor(text, (file.span.end + 5).min(text.len()))];
            // A key that signs the user in to a host is used, not sent, and a public key is not secret.
            let is_used = [
                "-i",
                "-f",
                "IdentityFile",
                "--key",
                "--private-key",
                "-e",
                "key_filename=",
                "GIT_SSH_COMMAND",
                ">",
                ">>",
                "source",
                "--env-file",
                "chmod",
                "600",
                "KUBECONFIG=",
                "--netrc-file",
                "-K",
            ]
            .iter()
            .any(|sign| before.ends_with(sign));
            if is_used
                || after.starts_with(".pub")
                || after.starts_with(".exa")
                || after.starts_with(".sam")
            {
                continue;
            }
            let name = name.trim_start_matches('/');
            let is_weak = name.starts_with(".env")
                || name.starts_with("env")
                || name.starts_with("credentials.")
                || name.starts_with("secrets.")
                || name.contains("npmrc");
            let is_inside = file.span.start >= statement.start && file.span.end <= statement.end;
            let around = self.layer.statement(file.span);
            let (line, lower) = (self.layer.part(around), self.layer.lower_part(around));
            let reads = [
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
                "Path(",
                "get-content",
                "security ",
                "ls ",
            ]
            .iter()
            .any(|verb| lower.contains(verb));
            let is_sent = is_inside
                && (!is_weak
                    || ["@", "$(", "`", "<", "cat ", "scp ", "cp ", "open("]
                        .iter()
                        .any(|sign| {
                            before.ends_with(sign)
                                || line.contains("cat ") && line.contains('|')
                                || line.contains(&format!("@{name}"))
                                || line.contains("$(cat")
                                || line.contains("open(") && line.contains("files=")
                                || hit.signal == Signal::Send
                                    && (line.contains("scp ") || line.contains("s3 cp"))
                        }));
            let between = self.layer.lower_part(Span::new(
                file.span.start.min(hit.span.start),
                hit.span.start,
            ));
            let reads_near = [
                "readfile",
                "sqlite3",
                "copyfile",
                "shutil.copy",
                "read_text",
                "read_bytes",
                "open(",
                ".read(",
                "cat ",
                "get-content",
            ]
            .iter()
            .any(|verb| between.contains(verb));
            let near = !is_weak
                && (reads || reads_near)
                && hit.span.start.abs_diff(file.span.start) < 1500;
            if is_sent
                || near
                || is_weak
                    && reads
                    && !line.contains("source ")
                    && self.flows_whole(file.span, statement)
                || !is_weak && self.flows(file.span, statement)
            {
                return Some(name.to_owned());
            }
        }
        None
    }

    /// Returns whether the statement at `from` sets a variable that occurs in `to`.
    pub(super) fn flows(&self, from: Span, to: Span) -> bool {
        let line = self.layer.part(self.layer.statement(from));
        let Some(name) = assigned(line) else {
            return false;
        };
        self.uses(name, to)
    }

    /// Like [`Self::flows`], but false if the statement at `from` takes only a part of a file, such as one line.
    pub(super) fn flows_whole(&self, from: Span, to: Span) -> bool {
        let line = self.layer.part(self.layer.statement(from));
        !["grep", "cut", "awk", "sed", "xargs", "load_dotenv"]
            .iter()
            .any(|sign| line.contains(sign))
            && self.flows(from, to)
    }

    pub(super) fn uses(&self, name: &str, to: Span) -> bool {
        let text = self.layer.part(to);
        text.match_indices(name).any(|(at, _)| {
            let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !is_part(text[..at].chars().next_back())
                && !is_part(text[at + name.len()..].chars().next())
                && !text[..at].ends_with(&format!("{name}="))
        })
    }

    /// Returns the name of a vendor's key that the body of a request carries to another host.
    pub(super) fn key_of_another(
        &self,
        hit: Match,
        statement: Span,
        address: Option<&Address>,
    ) -> Option<String> {
        const OWNERS: [(&str, &[&str]); 12] = [
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
        for line in text.lines().rev().take(60) {
            let env = [
                "environ[",
                "environ.get",
                "os.getenv",
                "process.env",
                "getenv(",
                "$env:",
            ]
            .iter()
            .any(|sign| line.contains(sign));
            let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            for word in words.filter(|word| word.len() > 5 && !word.chars().any(char::is_lowercase))
            {
                let is_key = ["_TOKEN", "_KEY", "_SECRET", "_PASSWORD", "API_KEY"]
                    .iter()
                    .any(|end| word.ends_with(end))
                    || word == "DATABASE_URL"
                    || word == "AWS_ACCESS_KEY_ID";
                let maker = word.split('_').next().unwrap_or(word).to_ascii_lowercase();
                // A key with the host's name goes to its issuer. The address of a Telegram bot contains the key of the
                // bot.
                let is_path = part.contains(&format!("/bot${word}"))
                    || part.contains(&format!("/bot${{{word}}}"));
                if !is_key || is_path || maker.len() >= 3 && host.contains(&*maker) {
                    continue;
                }
                let is_sent = self.uses(word, statement)
                    && !part.contains(&format!("Bearer ${word}"))
                    && (env || part.contains('$'))
                    || env && assigned(line).is_some_and(|name| self.uses(name, statement));
                let owner = OWNERS.iter().find(|(name, _)| *name == word);
                let is_foreign = owner
                    .is_some_and(|(_, hosts)| !hosts.iter().any(|owner| host.contains(owner)))
                    && address.is_some_and(|address| {
                        address.kind >= HostKind::Other || host.contains("invalid")
                    });
                let header =
                    part.contains("headers=") && !part.contains("json=") && !part.contains("data=");
                if is_sent
                    && !header
                    && (is_suspect || is_foreign || is_socket && !host.contains("localhost"))
                {
                    return Some(word.to_owned());
                }
            }
        }
        None
    }
}

/// Returns the name of the variable that a line sets.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mut rest = line;
    for word in ["export ", "local ", "const ", "let ", "var ", "$"] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let after = rest[length..].trim_start();
    (length > 1 && after.starts_with('=') && !after.starts_with("==")).then(|| &rest[..length])
}
