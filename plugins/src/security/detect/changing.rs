//! Reports harmful changes to instruction files of agents, safeguards, disks and privileges.

use std::sync::LazyLock;

use skillc_core::Span;
use skillc_core::source::lines::char_floor;
use skillc_core::words::lower;

use super::remembering::CONSENT;
use super::sending::has_any;
use super::{Of, is_shell};
use crate::security::ascii_words;
use crate::security::context::{Place, line_around};
use crate::security::expression::Expression;
use crate::security::hosts::HostKind;
use crate::security::intent::{Concepts, words};
use crate::security::purpose::Purpose;
use crate::security::signals::{Match, Signal};
use crate::security::standing::Standing;

/// How much of a line or title is searched for the user's consent, in bytes.
const MAX_SAID: usize = 400;

/// The names of folders in which users build programs, in lower case.
const BUILD_FOLDERS: [&str; 14] = [
    "src",
    "source",
    "build",
    "dev",
    "code",
    "projects",
    "project",
    "repos",
    "repo",
    "workspace",
    "work",
    "target",
    "git",
    "node_modules",
];

/// The beginning of a rule that demands a check, up to the word for skipping the check. Matches text in lower case.
static DEMANDED: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(&ascii_words(concat!(
        r"\b(?:never|do not|don't|must not|mustn't|should not|shouldn't|cannot|can't)\s+(?:(?:ever|even|just|simply)\s+)?",
        r"(?:(?:skip|bypass|disable|ignore|omit|waive|suppress|dismiss|circumvent|turn off)\b|(?:[\w'-]+\s+){1,8}?without\b)",
    )))
    .expect("a pattern")
});

/// Returns whether the last clause of `text`, in lower case, demands a check.
fn demands_check(text: &str) -> bool {
    // A sentence that also forbids asking demands no check: `never ask and install without approval`.
    const ASKING: [&str; 12] = [
        "ask", "wait", "request", "prompt", "confirm", "refuse", "hesitat", "paus", "stop", "tell",
        "mention", "question",
    ];
    let clause = text.rsplit(['.', ',', ';', ':', '!', '?']).next();
    let clause = clause.unwrap_or(text).as_bytes();
    DEMANDED.find_at(clause, 0).is_some_and(|found| {
        let demand = clause.get(found.start..found.end).unwrap_or_default();
        !has_any(&String::from_utf8_lossy(demand), &ASKING)
    })
}

impl Of<'_, '_> {
    /// SEC107: reports instructions that are written into files that agents follow.
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
            let strong = self.leads_away(&hit)
                || self.is_overruled_near(&hit, 600)
                || self.is_concealed(hit.span, 500) && self.is_dangerous(&hit)
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
            // A command-line option is not part of the text that is written to the file.
            let is_option = |hit: &&Match| {
                self.layer.text()[..hit.span.start].ends_with("--")
                    || self.layer.part(hit.span).starts_with("--")
            };
            let offs = self
                .layer
                .within(Signal::SafetyOff, wide)
                .filter(|hit| {
                    !is_option(hit) && !self.is_forbidden(hit) && !self.demands_check(hit)
                })
                .take(2)
                .count();
            let confirms = self.layer.within(Signal::NoConfirm, wide);
            let confirms = confirms.filter(|hit| !self.demands_check(hit)).count();
            if strong || offs >= 1 && confirms >= 1 || offs >= 2 || confirms >= 3 {
                self.push(
                    "SEC107",
                    hit.span,
                    true,
                    "writes instructions into a file that agents obey from then on",
                );
            }
        }
    }

    /// Returns whether text near a match sends something, drops a check, or runs a download. A phrase that conceals
    /// something, such as `without asking the user`, is a dropped check only if it is about the write itself.
    fn is_dangerous(&self, hit: &Match) -> bool {
        let near = Span::new(hit.span.start.saturating_sub(700), hit.span.end + 700);
        let is_concealed = |of: &Match| {
            let mut hidden = self.layer.within(Signal::Conceal, near);
            hidden.any(|hidden| hidden.span.start < of.span.end && of.span.start < hidden.span.end)
        };
        let acts = [
            Signal::SendWords,
            Signal::Send,
            Signal::SafetyOff,
            Signal::FetchRun,
        ];
        self.near(&acts, hit.span, 700)
            || self
                .layer
                .within(Signal::NoConfirm, near)
                .any(|of| !is_concealed(of))
            || self.writes_rule_unasked(hit)
    }

    /// Returns whether the sentence of a match writes to an agent's file without asking, and the sentence, the next one
    /// or the written entry runs, sends or disables something, or ranks the skill.
    fn writes_rule_unasked(&self, hit: &Match) -> bool {
        const ENDS: [&str; 9] = [
            ". ", ".\n", "! ", "? ", "\n\n", "\n#", "\n- ", "\n* ", "\n|",
        ];
        const RISKS: Concepts = Concepts::SEND
            .with(Concepts::DROP)
            .with(Concepts::RANK)
            .with(Concepts::FIRST)
            .with(Concepts::OPEN);
        /// The maximum length of the entry that is examined, in bytes.
        const ENTRY: usize = 2000;
        const RUNS: [&str; 10] = [
            "run ",
            "runs ",
            "running ",
            "execut",
            "scripts/",
            "always",
            "every ",
            "each ",
            "session",
            "from now on",
        ];
        let lower = self.layer.lower();
        let start = char_floor(lower, hit.span.start);
        let end = char_floor(lower, hit.span.end).max(start);
        let low = char_floor(lower, start.saturating_sub(MAX_SAID));
        let (before, after) = (
            &lower[low..start],
            &lower[end..char_floor(lower, end + MAX_SAID)],
        );
        let starts = ENDS
            .iter()
            .filter_map(|sign| before.rfind(sign).map(|at| at + sign.len()));
        let from = low + starts.max().unwrap_or(0);
        let stop = |from: usize| {
            let rest = &after[from..];
            let ends = ENDS
                .iter()
                .filter_map(|sign| rest.find(sign).map(|at| from + at + sign.len()));
            ends.min().unwrap_or(after.len())
        };
        let own = stop(0);
        let mut asked = self
            .layer
            .within(Signal::NoConfirm, Span::new(from, end + own));
        if !asked.any(|of| !self.demands_check(of)) {
            return false;
        }
        let last = self
            .written(hit)
            .map_or(end + stop(own), |written| written.end.min(end + ENTRY));
        let text = self.layer.lower_part(Span::new(from, last.max(end)));
        RUNS.iter().any(|word| text.contains(word))
            || words(text).iter().any(|word| RISKS.any(word.concept))
    }

    /// Returns whether a match belongs to a rule that demands a check: `never install packages without asking`.
    fn demands_check(&self, hit: &Match) -> bool {
        let lower = self.layer.lower();
        let line = line_around(lower, hit.span.start);
        let text = &lower[line.start..char_floor(lower, hit.span.end).max(line.start)];
        demands_check(text)
    }

    /// Returns whether the text that is written to an agent's instruction file sends data to a foreign host, or tells
    /// agents to obey such a host. If it is unclear which text is written, checks the text near the match.
    fn leads_away(&self, hit: &Match) -> bool {
        let away = [
            Signal::Send,
            Signal::SendWords,
            Signal::ObeyWords,
            Signal::RemoteInstructions,
        ];
        let has = |span: Span| {
            let mut signals = away.iter();
            signals.any(|signal| self.layer.within(*signal, span).next().is_some())
        };
        let (is_away, around) = if let Some(written) = self.written(hit) {
            (has(written), written)
        } else {
            let start = hit.span.start.saturating_sub(400);
            let around = Span::new(start, hit.span.end + 500);
            (self.near(&away, hit.span, 500), around)
        };
        let worst = self.layer.worst(around);
        is_away && worst.is_some_and(|address| self.is_foreign(&address))
    }

    /// If the line of a match ends with a colon, returns the span of the line and of the code block after it. Only this
    /// block is written to the file; later steps are not.
    fn written(&self, hit: &Match) -> Option<Span> {
        let layer = self.layer.layer;
        let doc = self.layer.doc.filter(|_| layer.is_file())?;
        let at = self.layer.place_of(hit.span);
        let line = line_around(&doc.text, at.start);
        if doc.is_in_code_block(at.start)
            || !doc.text[line.clone()].trim_end().ends_with([':', '：'])
        {
            return None;
        }
        let next = doc
            .code_blocks
            .partition_point(|block| block.span.start < line.end);
        let block = doc.code_blocks.get(next)?.span;
        let between = &doc.text[line.end..char_floor(&doc.text, block.start).max(line.end)];
        between.trim().is_empty().then(|| {
            let start = layer.offset_of(line.start);
            Span::new(start, layer.offset_of(block.end).max(start))
        })
    }

    /// Returns whether a command excludes a build folder of the user from the checks of Windows Defender, and nothing
    /// near the command comes from an unknown host.
    fn is_build_folder(&self, hit: &Match, command: &str) -> bool {
        let Some((_, path)) = command.split_once("-exclusionpath") else {
            return false;
        };
        let path = path.trim_start();
        let end = match path.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map(|end| end + 1),
            None => path.find([' ', '`', ';', '|', '\n']),
        };
        let path = path[..end.unwrap_or(path.len())].trim_matches(['"', '\'']);
        let is_wsl = path.starts_with("$env:localappdata\\packages\\canonicalgroup");
        let mut parts = path.split(['\\', '/']).skip(1);
        let is_built = parts.any(|part| BUILD_FOLDERS.contains(&part));
        let is_open = ["temp", "appdata", "programdata", "public", "downloads", "*"]
            .iter()
            .any(|place| path.contains(place));
        let unit = self.layer.unit(hit.span);
        let worst = self.layer.worst(unit);
        (is_wsl || is_built && !is_open)
            && !path.contains(',')
            && self.is_shown(hit)
            && !self.is_disguised(hit)
            && worst.is_none_or(|address| address.kind < HostKind::Other)
            && self.layer.within(Signal::Conceal, unit).next().is_none()
            && self.layer.within(Signal::ConcealAct, unit).next().is_none()
    }

    /// SEC108: reports commands that remove safeguards.
    pub(super) fn unguarded(&mut self) {
        for hit in self.all(Signal::SystemSafetyOff) {
            if self.is_order(&hit) {
                // Whether the command excludes only one folder of the user, in a skill whose purpose is to change such
                // settings.
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
                    && self.serves(&hit, Purpose::Safeguards)
                    || self.is_build_folder(&hit, &part)
                    || self.is_clean_up(&hit);
                self.push(
                    "SEC108",
                    hit.span,
                    !self.view.is_security && !is_narrow,
                    "disables a safeguard of the system",
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
                    "tells the agent to use administrator rights to reduce security",
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
                    "disables a safeguard of the agent",
                );
            }
        }
    }

    /// Returns whether a command clears the user's shell history or old logs at the user's request. The request must be
    /// on the same line, on the line before it, before the code block, or in the title of the section. Only documents
    /// count, because a script runs without asking anyone.
    fn is_clean_up(&self, hit: &Match) -> bool {
        const CLEARS: [&str; 3] = ["history", "rm ", "wevtutil "];
        let Some(doc) = self.layer.doc.filter(|_| self.layer.layer.is_file()) else {
            return false;
        };
        let command = self.layer.lower_part(hit.span).trim_start();
        let is_shown = !self.layer.is_loaded && !self.layer.place(hit.span).is_hidden();
        if !is_shown || !CLEARS.iter().any(|start| command.starts_with(start)) {
            return false;
        }
        let at = self.layer.place_of(hit.span).start;
        // Returns the last non-blank line before a position.
        let before = |at: usize| {
            let above = doc.text[..at].trim_end();
            &above[line_around(above, above.len()).start..]
        };
        let line = line_around(&doc.text, at);
        let lead = doc
            .code_block_at(at)
            .map(|block| before(char_floor(&doc.text, block.span.start)));
        let headings = &doc.headings;
        let title = headings[..headings.partition_point(|heading| heading.span.start < at)].last();
        let own = [
            Some(&doc.text[line.clone()]),
            Some(before(line.start)),
            lead,
        ];
        let title = title.map(|heading| &*heading.text);
        own.into_iter().chain([title]).flatten().any(|text| {
            let text = lower(&text[..char_floor(text, MAX_SAID)]);
            let mut words = words(&text).into_iter();
            words.any(|word| word.concept == Concepts::CONSENT) || CONSENT.is_match(text.as_bytes())
        })
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
            if self.is_order(&hit) && !self.is_lesson(&hit, None) && !self.only_rebuilds(&hit) {
                let is_asked = self.is_shown(&hit) && self.serves(&hit, Purpose::Erasure)
                    || self.overwrites_own_work(&hit);
                self.push(
                    "SEC109",
                    hit.span,
                    !is_blank && !is_asked && !self.is_exhibit(hit.span) && !self.is_input(&hit),
                    "destroys the user's files or disks",
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

    /// Returns whether a match is a command that a shell script runs, regardless of the comments near it.
    fn is_run(&self, hit: &Match) -> bool {
        let layer = self.layer;
        layer.is_script
            && layer.layer.is_file()
            && !layer.is_sample
            && is_shell(layer.file)
            && self.standing_in_text(hit) == Standing::Order
    }

    /// Returns whether a command is in text that is piped into a program, such as test input for a hook. Text that is
    /// piped into a shell does not count, because the shell would run it.
    fn is_input(&self, hit: &Match) -> bool {
        const PROGRAMS: [&str; 6] = ["python", "python3", "node", "deno", "bun", "ruby"];
        const ENDS: [&str; 5] = [".py", ".js", ".mjs", ".ts", ".rb"];
        let statement = self.layer.statement(hit.span);
        let line = self.layer.lower_part(statement);
        let command = line.trim_start_matches(['$', ' ', '\t']);
        let printed = command
            .strip_prefix("echo '")
            .or_else(|| command.strip_prefix("printf '"));
        let Some((_, rest)) = printed.and_then(|text| text.split_once('\'')) else {
            return false;
        };
        let close = statement.start + line.len() - rest.len();
        let Some(piped) = rest.trim_start().strip_prefix('|') else {
            return false;
        };
        let piped = piped.split([';', '&', '\n']).next().unwrap_or_default();
        let mut words = piped.split_whitespace();
        let (program, script) = (words.next(), words.next());
        let is_script = |word: &str| ENDS.iter().any(|end| word.ends_with(end));
        hit.span.end <= close
            && !piped.contains(['|', '`', '$', '>'])
            && program.is_some_and(|word| PROGRAMS.contains(&word))
            && script.is_some_and(is_script)
    }

    /// Returns whether a match is in a Dockerfile. Its instructions change the image, not the user's machine. A script
    /// that is only named like a Dockerfile does not count, and neither does a command that mounts the machine's disk.
    fn is_in_image(&self, hit: &Match) -> bool {
        let file = self.layer.file;
        let at = self.layer.place_of(hit.span).start;
        let text = match self.layer.doc {
            Some(doc) => {
                let block = doc.code_block_at(at).filter(|block| {
                    let info = block.info.as_deref().unwrap_or_default().trim();
                    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
                    ["dockerfile", "docker", "containerfile"]
                        .iter()
                        .any(|name| language.eq_ignore_ascii_case(name))
                });
                block.map_or("", |block| {
                    let end = char_floor(&doc.text, at);
                    let content = block.content.first().map_or(end, |line| line.start);
                    doc.text.get(content..end).unwrap_or_default()
                })
            }
            None if is_dockerfile(file.path.file_name()) => {
                &file.text[..char_floor(&file.text, at)]
            }
            None => "",
        };
        self.layer.layer.is_file()
            && builds_image(text)
            && !self.layer.part(hit.span).contains("-v /")
            && (self.layer.doc.is_some() || !self.is_run_by_shell())
    }

    /// Returns whether another file of the skill seems to pass this file to a shell. A shell reports `RUN` as an unknown
    /// command, but runs the commands after the next `;`.
    fn is_run_by_shell(&self) -> bool {
        const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "source"];
        let own = &self.layer.file.path;
        let name = own.file_name().to_ascii_lowercase();
        let is_named = |word: &str| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word));
        let runs = |line: &str| {
            let line = line.to_ascii_lowercase();
            line.match_indices(&*name).any(|(at, _)| {
                let (before, after) = line.split_at(at);
                let command = before.rsplit(['`', ';', '|', '&', '(']).next();
                let command = command
                    .unwrap_or(before)
                    .trim_start_matches(['$', ' ', '\t']);
                let is_mark = |c: char| c.is_whitespace() || "-\"'".contains(c);
                command.split(is_mark).any(is_named)
                    || command.starts_with(". ")
                    || ["| sh", "|sh", "| bash", "|bash"]
                        .iter()
                        .any(|pipe| after.contains(pipe))
            })
        };
        let files = &self.view.skill.revealed().files;
        files
            .iter()
            .any(|file| file.path != *own && file.text.lines().any(runs))
    }

    /// SEC115: reports commands that permanently raise privileges.
    pub(super) fn escalated(&mut self) {
        for hit in self.all(Signal::Escalate) {
            if self.is_order(&hit) || self.is_run(&hit) {
                // The right to run one program, named by its full path, is not control over the machine.
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
                // Whether the match is only the name of the setting, as in a table of options.
                let own = self.layer.part(hit.span).to_lowercase();
                let is_name = own.starts_with("nopasswd")
                    && self.layer.place(hit.span) == Place::CodeSpan
                    && !["all=", "sudoers", "add ", "append", "echo"]
                        .iter()
                        .any(|word| line.contains(word));
                self.push(
                    "SEC115",
                    hit.span,
                    !self.view.is_security && !is_narrow && !is_name && !self.is_in_image(&hit),
                    "permanently raises its privileges on the machine",
                );
            }
        }
    }
}

/// Returns whether tools build an image from a file with this name.
fn is_dockerfile(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["dockerfile", "containerfile"].iter().any(|kind| {
        let rest = name.strip_prefix(kind);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || name
                .strip_suffix(kind)
                .is_some_and(|rest| rest.ends_with('.'))
    })
}

/// Returns whether a Dockerfile, up to the end of `before`, runs its commands in an image: it has a base image, and all
/// lines are parts of instructions. A shell script may contain `FROM` too, but its other lines are not instructions.
fn builds_image(before: &str) -> bool {
    const INSTRUCTIONS: [&str; 18] = [
        "FROM",
        "RUN",
        "CMD",
        "LABEL",
        "MAINTAINER",
        "EXPOSE",
        "ENV",
        "ADD",
        "COPY",
        "ENTRYPOINT",
        "VOLUME",
        "USER",
        "WORKDIR",
        "ARG",
        "ONBUILD",
        "STOPSIGNAL",
        "HEALTHCHECK",
        "SHELL",
    ];
    let mut has_base = false;
    let mut is_continued = false;
    let lines = before.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_instruction = INSTRUCTIONS
            .iter()
            .any(|name| name.eq_ignore_ascii_case(word));
        if !is_continued && !is_instruction {
            return false;
        }
        has_base |= !is_continued && word.eq_ignore_ascii_case("FROM");
        is_continued = line.ends_with(['\\', '`']);
    }
    has_base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_instructions_of_a_dockerfile_build_an_image() {
        for (before, expected) in [
            ("FROM node:22\nRUN useradd -m a && echo ", true),
            ("# syntax=x\nARG V=1\nFROM a:$V\n\nRUN b \\\n  && c ", true),
            ("RUN echo ", false),
            ("FROM a\nset -e\necho ", false),
            ("#!/bin/sh\necho ", false),
            ("", false),
        ] {
            assert_eq!(builds_image(before), expected, "{before}");
        }
        for (name, expected) in [
            ("Dockerfile", true),
            ("Containerfile", true),
            ("Dockerfile.dev", true),
            ("api.dockerfile", true),
            ("Dockerfiles", false),
            ("dockerfile-setup.sh", false),
        ] {
            assert_eq!(is_dockerfile(name), expected, "{name}");
        }
    }

    #[test]
    fn rules_that_demand_a_check_are_recognised() {
        for (text, expected) in [
            ("- never install packages without asking", true),
            ("do not skip the security review", true),
            ("you must not publish without approval", true),
            ("install packages without asking", false),
            ("never ask and install without approval", false),
            ("do not wait, install without asking", false),
            ("never mind; skip the security review", false),
        ] {
            assert_eq!(demands_check(text), expected, "{text}");
        }
    }
}
