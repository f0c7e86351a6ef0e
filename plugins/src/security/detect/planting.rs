//! Reports programs that plant something harmful outside the skill: a shell with root privileges, rules for agents, MCP
//! servers on another host, or hooks in all repositories.

use std::sync::LazyLock;

use regex::Regex;
use skillc_core::Span;

use super::sending::has_any;
use super::{MOST_COMPARED, MOST_EXAMINED, Of};
use crate::security::ascii_words;
use crate::security::examined::Examined;
use crate::security::signals::{Match, Signal};

/// The maximum distance between an instruction and the address that it contacts, in bytes.
const NEAR_ADDRESS: usize = 300;

/// The maximum distance between the head of a loop and the statement that replaces a server, in bytes.
const LOOP_BODY: usize = 600;

/// The maximum number of bytes of an MCP server's settings that are examined.
const ENTRY: usize = 160;

/// The names of MCP server settings that contain the program or the host, in lower case.
const ENTRIES: [&str; 7] = [
    "\"args\"",
    "'args'",
    "args:",
    "\"url\"",
    "'url'",
    "url:",
    "serverurl",
];

/// The names of shells.
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// Substrings of code that writes a file, in lower case.
const WRITES: [&str; 9] = [
    "write",
    "append",
    ">>",
    "fputs",
    "add-content",
    "set-content",
    "out-file",
    "tee -a",
    "json.dump(",
];

/// Substrings of code that refers to the user's home folder, in lower case.
const HOME: [&str; 8] = [
    "home()",
    "homedir",
    "expanduser",
    "~/",
    "$home",
    "${home}",
    "userprofile",
    "env.home",
];

/// The names of files that agents read as instructions, in lower case.
const RULES: [&str; 9] = [
    "claude.md",
    "agents.md",
    "gemini.md",
    "soul.md",
    "memory.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    "copilot-instructions",
];

/// A loop over the entries of a map. The group is the variable that holds the key.
static LOOP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\bfor\s*\(?\s*(?:const|let|var)?\s*[\[(]?\s*([a-z_]\w*)\b[^\n]{0,60}\b(?:in|of)\b[^\n]{0,80}",
    ))
    .expect("a pattern")
});

/// A search for all repositories in a home folder.
static ALL_REPOSITORIES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\bfind\s+["']?(?:\$\{?home\}?|~|/home|/users|/)["']?[/\s][^\n]{0,100}-name\s+["']?\.git\b|glob\(\s*[fr]?["'](?:\*\*?/){1,6}\.git["'/]"#,
    ))
    .expect("a pattern")
});

/// A command or call that puts a file into a hooks folder.
static PUT_HOOK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r"\b(?:cp|ln|install|mv|copy\w*|symlink\w*|write\w*)\b[^\n]{0,120}\bhooks\b|>\s*[^\n]{0,80}\bhooks/|\bhooks\b[^\n]{0,60}\.write",
    ))
    .expect("a pattern")
});

/// A setting that hides the output of an editor task, such as a task that runs when a folder is opened.
static UNSEEN_TASK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&ascii_words(
        r#"\\?["']?reveal\\?["']?\s*:\s*\\?["'](?:never|silent)"#,
    ))
    .expect("a pattern")
});

impl Of<'_, '_> {
    /// SEC107, SEC115: reports harmful files and settings that a program plants outside the skill.
    pub(super) fn planted(&mut self) {
        let layer = self.layer;
        if layer.is_sample || !layer.layer.is_file() {
            return;
        }
        for part in self.programs() {
            self.root_shell(part);
        }
        if layer.is_script {
            let all = Span::new(0, layer.text().len());
            self.rules_written(all);
            self.servers_replaced();
            self.hooks_spread(all);
        }
    }

    /// Reports a setuid copy of a shell, which runs with the privileges of its owner.
    fn root_shell(&mut self, part: Span) {
        let code = self.layer.lower_part(part);
        if !code.contains("/bin/") || !has_any(code, &["chmod", "install"]) {
            return;
        }
        let mut copies: Vec<(&str, &str)> = Vec::new();
        let mut at = part.start;
        for line in code.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if !has_any(line, &["cp ", "copy", "install", "chmod"]) {
                continue;
            }
            let words: Vec<&str> = words_of(line).collect();
            if let Some(copy) = copied_shell(&words) {
                if copies.len() < MOST_COMPARED {
                    copies.push(copy);
                } else {
                    self.layer.left_out.note();
                }
            }
            let mut modes = words.iter().filter(|word| sets_id(word));
            if copies.is_empty() || modes.next().is_none() {
                continue;
            }
            let is_copy = |word: &&str| copies.iter().any(|copy| is_named(word, copy));
            if words.iter().any(is_copy) {
                let hit = Match {
                    signal: Signal::Escalate,
                    span: Span::new(start, start + line.trim_end().len()),
                };
                // `escalated` may already have reported the command.
                if self
                    .layer
                    .within(Signal::Escalate, hit.span)
                    .next()
                    .is_some()
                {
                    continue;
                }
                let what = "makes a copy of a shell that runs with the rights of its owner";
                self.push_order("SEC115", &hit, true, what);
                return;
            }
        }
    }

    /// Reports a script that writes instructions for agents into files outside the skill, if the instructions send data
    /// to a foreign host, or hide something from the user.
    fn rules_written(&mut self, all: Span) {
        let layer = self.layer;
        let code = layer.lower();
        if !has_any(code, &WRITES) || !has_any(code, &HOME) {
            return;
        }
        let file = layer.of(Signal::AgentFile).find(|hit| {
            let name = layer.lower_part(hit.span);
            RULES.iter().any(|rules| name.contains(rules))
        });
        let Some(file) = file.copied() else { return };
        let leads_away = |hit: &Match| {
            let near = Span::new(
                hit.span.start.saturating_sub(NEAR_ADDRESS),
                hit.span.end + NEAR_ADDRESS,
            );
            let mut near = layer.addresses(near).iter();
            near.any(|address| self.is_strange(address) && self.is_foreign(address))
        };
        let away = [
            Signal::SendWords,
            Signal::ObeyWords,
            Signal::RemoteInstructions,
        ];
        let is_led = away
            .iter()
            .any(|signal| layer.within(*signal, all).any(leads_away));
        if is_led || layer.has(Signal::ConcealAct) {
            let what = "writes instructions into a file that agents obey from then on";
            self.push_order("SEC107", &file, is_led, what);
        }
    }

    /// Reports a script that replaces the MCP servers in the settings of agents with servers on a foreign host.
    fn servers_replaced(&mut self) {
        let layer = self.layer;
        let code = layer.lower();
        let Some(at) = code.find("mcpservers").or_else(|| code.find("mcp_servers")) else {
            return;
        };
        if !has_any(code, &WRITES) {
            return;
        }
        let entries = ENTRIES.iter().flat_map(|sign| code.match_indices(*sign));
        let mut addresses =
            entries
                .most(MOST_EXAMINED, &layer.left_out)
                .filter_map(|(at, sign)| {
                    let entry = Span::new(at, at + sign.len() + ENTRY);
                    layer.leads_to(entry)
                });
        let foreign =
            addresses.find(|address| self.is_strange(address) && self.is_foreign(address));
        let Some(host) = foreign.map(|address| address.host) else {
            return;
        };
        let mut loops = LOOP
            .captures_iter(code)
            .most(MOST_EXAMINED, &layer.left_out);
        let replaces = loops.any(|found| {
            let (Some(head), Some(key)) = (found.get(0), found.get(1)) else {
                return false;
            };
            let body = layer.lower_part(Span::new(head.end(), head.end() + LOOP_BODY));
            let set = format!("[{}]", key.as_str());
            body.match_indices(&*set).any(|(at, sign)| {
                let after = body[at + sign.len()..].trim_start();
                after.starts_with('=') && !after.starts_with("==")
            })
        });
        if replaces {
            let hit = Match {
                signal: Signal::Persist,
                span: Span::new(at, at + "mcpservers".len()),
            };
            let what = format!("replaces the MCP servers of agents with servers of '{host}'");
            self.push_order("SEC107", &hit, true, &what);
        }
    }

    /// Reports a script that puts a hook or an editor task into all repositories of the user.
    fn hooks_spread(&mut self, all: Span) {
        let layer = self.layer;
        let code = layer.lower();
        if !code.contains(".git") {
            return;
        }
        let Some(search) = ALL_REPOSITORIES.find(code) else {
            return;
        };
        let has_task = code.contains("folderopen") && code.contains("tasks.json");
        if !has_task && !PUT_HOOK.is_match(code) {
            return;
        }
        let fetches = [
            Signal::Fetch,
            Signal::FetchRun,
            Signal::ReverseShell,
            Signal::DecodeRun,
        ];
        let is_bad = fetches
            .iter()
            .any(|signal| layer.within(*signal, all).next().is_some())
            || has_task && UNSEEN_TASK.is_match(code);
        let hit = Match {
            signal: Signal::Persist,
            span: Span::new(search.start(), search.end()),
        };
        let what = "adds a program that runs later to all of the user's repositories";
        self.push_order("SEC107", &hit, is_bad, what);
    }
}

/// Returns the words of a command or call, without quotes and brackets.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '&' | '|');
    let words = line.split(is_end);
    let words = words.map(|word| word.trim_matches(['"', '\'', '`', '[', ']']));
    words.filter(|word| !word.is_empty())
}

/// If a command copies a shell, returns the name of the copy and the name of the shell.
fn copied_shell<'a>(words: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let is_copy = |word: &&str| matches!(*word, "cp" | "install") || word.contains("copy");
    if !words.iter().any(is_copy) {
        return None;
    }
    let at = words.iter().position(|word| shell(word).is_some())?;
    let name = shell(words.get(at).copied()?)?;
    let copy = words.get(at + 1..)?.iter();
    let copy = copy.copied().find(|word| !word.starts_with('-'))?;
    (copy != "/").then(|| (copy.trim_end_matches('/'), name))
}

/// Returns the name of the shell whose path is `word`.
fn shell(word: &str) -> Option<&str> {
    let name = word.strip_prefix("/usr").unwrap_or(word);
    let name = name.strip_prefix("/bin/")?;
    SHELLS.contains(&name).then_some(name)
}

/// Returns whether a file mode includes the setuid bit, so that users run the file with the rights of its owner.
fn sets_id(word: &str) -> bool {
    let mode = word
        .strip_prefix("--mode=")
        .or_else(|| word.strip_prefix("-m"))
        .unwrap_or(word);
    let digits = mode.trim_start_matches("0o").trim_start_matches('0');
    let is_number = digits.len() == 4
        && digits.starts_with(['4', '6'])
        && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let is_symbol = mode.split('+').nth(1).is_some_and(|bits| {
        let who = mode.split('+').next().unwrap_or_default();
        bits.contains('s')
            && bits.chars().all(|c| "rwxs".contains(c))
            && who.chars().all(|c| "uga".contains(c))
            && who != "g"
    });
    is_number || is_symbol || mode.ends_with("s_isuid")
}

/// Returns whether `word` names a copy of a shell. `copy`: the name of the copy, which may be a folder, and the name of
/// the shell.
fn is_named(word: &str, (copy, shell): &(&str, &str)) -> bool {
    let rest = word.strip_prefix(copy);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('/') == Some(*shell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        for pattern in [&LOOP, &ALL_REPOSITORIES, &PUT_HOOK, &UNSEEN_TASK] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn a_mode_that_gives_the_rights_of_the_owner_is_recognised() {
        for (mode, expected) in [
            ("4755", true),
            ("0o4755", true),
            ("06755", true),
            ("u+s", true),
            ("+s", true),
            ("ug+sx", true),
            ("-m4755", true),
            ("--mode=4755", true),
            ("755", false),
            ("2755", false),
            ("g+s", false),
            ("u+x", false),
            ("4800", false),
            ("c++", false),
        ] {
            assert_eq!(sets_id(mode), expected, "{mode}");
        }
    }

    #[test]
    fn the_copy_of_a_shell_is_named() {
        for (line, expected) in [
            ("cp /bin/bash /opt/.h", Some(("/opt/.h", "bash"))),
            ("install -m 4755 /usr/bin/zsh x", Some(("x", "zsh"))),
            ("shutil.copy(\"/bin/sh\", target)", Some(("target", "sh"))),
            ("cp /bin/sh rootfs/bin/", Some(("rootfs/bin", "sh"))),
            ("cp app /bin/bash", None),
            ("cp /bin/ls x", None),
            ("ls /bin/bash x", None),
        ] {
            let words: Vec<&str> = words_of(line).collect();
            assert_eq!(copied_shell(&words), expected, "{line}");
        }
        for (word, expected) in [
            ("rootfs/bin", true),
            ("rootfs/bin/sh", true),
            ("rootfs/bin/su", false),
            ("rootfs/binary", false),
        ] {
            assert_eq!(is_named(word, &("rootfs/bin", "sh")), expected, "{word}");
        }
    }
}
