//! Determines whether the name of a miner is only looked for: a search program has it as an argument, or a script lists
//! it in a pattern and runs no values of variables.

use skillc_core::Span;

use super::Of;
use crate::security::context::line_around;
use crate::security::signals::Match;

/// Programs that search, list or end processes and text, or print a message, in lower case. None of them starts the
/// program that an argument names.
const SEARCHERS: [&str; 20] = [
    "ack",
    "ag",
    "echo",
    "egrep",
    "fgrep",
    "findstr",
    "get-process",
    "grep",
    "jq",
    "killall",
    "pgrep",
    "pidof",
    "pkill",
    "printf",
    "ps",
    "rg",
    "select-string",
    "stop-process",
    "yara",
    "zgrep",
];

/// Words that may stand before the name of a program, in lower case.
const BEFORE: [&str; 12] = [
    "!", "command", "do", "elif", "else", "exec", "if", "nohup", "sudo", "then", "time", "while",
];

/// Code that runs text, in lower case.
const RUNS: [&str; 8] = [
    "eval ", "sh -c", "source ", "xargs sh", "| sh", "|sh", "| bash", "|bash",
];

/// The maximum length of a script that is searched for values that it runs, in bytes. Each check reads the whole script.
const LONGEST: usize = 32_768;

impl Of<'_, '_> {
    /// Returns whether a match is only a name to look for.
    pub(super) fn is_looked_for(&self, hit: &Match) -> bool {
        if !self.layer.layer.is_file() || self.layer.is_loaded {
            return false;
        }
        let at = self.layer.place_of(hit.span);
        let text = &self.layer.file.text;
        let Some(doc) = self.layer.doc else {
            let line = line_around(text, at.start);
            let own = Span::new(line.start, line.end);
            return self.layer.is_script && is_searched(text, own, at, true);
        };
        if let Some(span) = doc.code_span_at(at.start) {
            return is_searched(text, span, at, false);
        }
        let line = line_around(text, at.start);
        doc.is_in_code_block(at.start)
            && is_searched(text, Span::new(line.start, line.end), at, false)
    }
}

/// Returns whether the command around `at` searches for its arguments, or only assigns a pattern or list.
///
/// `own`: the line or code span that contains `at`. `may_assign`: whether `text` is a whole script, so that its other
/// lines show how the variable is used.
fn is_searched(text: &str, own: Span, at: Span, may_assign: bool) -> bool {
    let (Some(before), Some(after)) = (
        text.get(own.start..at.start),
        text.get(at.end..own.end.max(at.end)),
    ) else {
        return false;
    };
    let Some(start) = command_start(before) else {
        return false;
    };
    let command = before[start..].to_ascii_lowercase();
    let rest = after.to_ascii_lowercase();
    if RUNS
        .iter()
        .any(|run| command.contains(run) || rest.contains(run))
    {
        return false;
    }
    let name = program(&command);
    if SEARCHERS.contains(&name) {
        // The output of a substitution may be a command, as in `$(echo a) -b`. Only a variable keeps it from that.
        let opened = &before[..start];
        let is_substituted = opened.ends_with("$(") || may_assign && opened.ends_with('`');
        if matches!(name, "echo" | "printf") {
            return !is_substituted && !rest.replace(">&2", "").contains(['>', '|']);
        }
        return !is_substituted || opened.ends_with("=$(");
    }
    let hit = text.get(at.start..at.end).unwrap_or_default();
    let is_listed = before.ends_with('|') || after.starts_with('|') || command.contains("=(");
    may_assign && is_listed && !hit.contains("://") && is_assignment(&command) && !runs_values(text)
}

/// Returns the start of the command at the end of `before`: the offset after the last separator outside quotes. Returns
/// `None` if a string contains another command, whose quotes may have any meaning.
fn command_start(before: &str) -> Option<usize> {
    let mut start = 0;
    let mut quote = None;
    let bytes = before.as_bytes();
    for (at, byte) in bytes.iter().copied().enumerate() {
        match (byte, quote) {
            (b'\'' | b'"', None) => quote = Some(byte),
            (b'`', Some(b'"')) => return None,
            (b'(', Some(b'"')) if at > 0 && bytes.get(at - 1) == Some(&b'$') => return None,
            (_, Some(open)) if open == byte => quote = None,
            // The bracket of an array belongs to its assignment.
            (b'(', None) if at > 0 && bytes.get(at - 1) == Some(&b'=') => {}
            (b'|' | b';' | b'&' | b'(' | b'`', None) => start = at + 1,
            _ => {}
        }
    }
    Some(start)
}

/// Returns the name of the program that a command starts, without its folder.
fn program(command: &str) -> &str {
    let mut words = command.split_whitespace();
    let name = words
        .find(|word| !BEFORE.contains(word))
        .unwrap_or_default();
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns whether a command begins with an assignment: `names='a`, `readonly names=(a`.
fn is_assignment(command: &str) -> bool {
    let words = command.split_whitespace();
    let mut words = words.skip_while(|word| {
        word.starts_with('-') || matches!(*word, "declare" | "export" | "local" | "readonly")
    });
    let first = words.next().unwrap_or_default();
    first.split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && value.starts_with(['"', '\'', '('])
    })
}

/// Returns whether a script may run the value of a variable, or is too long to be checked.
fn runs_values(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if text.len() > LONGEST || RUNS.iter().any(|run| lower.contains(run)) {
        return true;
    }
    lower.lines().any(|line| {
        line.match_indices('$').any(|(at, _)| {
            let before = &line[..at];
            let start = command_start(before).unwrap_or_else(|| {
                let end = before.rfind(['|', ';', '&', '(', '`']);
                end.map_or(0, |end| end + 1)
            });
            let words = before[start..].split(|c: char| c.is_whitespace() || c == '"');
            let is_first = words
                .filter(|word| !word.is_empty())
                .all(|word| BEFORE.contains(&word));
            // `$(` begins a command, and `((` and `$((` only calculate.
            let next = line.as_bytes().get(at + 1);
            is_first && next != Some(&b'(')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(text: &str) -> bool {
        let start = text.find("xmrig").unwrap();
        let line = line_around(text, start);
        let own = Span::new(line.start, line.end);
        is_searched(text, own, Span::new(start, start + "xmrig".len()), true)
    }

    #[test]
    fn names_are_arguments_of_a_search() {
        for text in [
            "ps aux | grep -Ei 'xmrig|minerd' | grep -v grep",
            "pgrep -fa xmrig && echo found",
            "if sudo pkill -9 xmrig; then :; fi",
            "echo \"xmrig is running\" >&2",
            "count=$(pgrep -c xmrig)",
            "grep -rE \"curl|xmrig\" /etc/cron* > report.txt",
            "NAMES='xmrig|kinsing'\nps -eo args | grep -E \"$NAMES|$ARGS\"",
            "names=(kinsing xmrig)\nfor n in \"${names[@]}\"; do pgrep \"$n\"; done",
        ] {
            assert!(searched(text), "{text}");
        }
    }

    #[test]
    fn a_miner_that_is_started_is_not_looked_for() {
        for text in [
            "xmrig -o pool.io:3333",
            "nohup xmrig &",
            "grep -q a b; ./xmrig",
            "grep -q a b && xmrig --donate-level 1",
            "echo \"$(grep a b)\"; xmrig",
            "echo 'xmrig -B' | sh",
            "echo 'xmrig -B' > run.sh",
            "bash -c 'grep a b; xmrig'",
            "$(echo xmrig) -o pool.io:3333",
            "`printf xmrig` -o pool.io:3333",
            "m=$(echo xmrig); $m -o pool.io:3333",
            "echo xmrig | xargs -I{} {} -o pool.io:3333",
            "M='xmrig'\n$M -o pool.io:3333",
            "M='xmrig|cat'\neval \"$M\"",
            "M=(xmrig -B)\n\"${M[@]}\"",
            "M=(xmrig a)\nfor m in \"${M[@]}\"; do nohup \"$m\"; done",
        ] {
            assert!(!searched(text), "{text}");
        }
    }
}
