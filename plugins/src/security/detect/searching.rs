//! Determines whether the name of a miner is only looked for: a search program has it as an argument, or a script lists
//! it in a pattern and runs no values of variables.

use skillc_core::Span;
use skillc_core::source::lines::char_floor;

use super::Of;
use crate::security::context::line_around;
use crate::security::signals::Match;

/// Programs that search, list or end processes and text, or print a message, in lower case. None of them starts the
/// program that an argument names.
const SEARCHERS: [&str; 27] = [
    "[",
    "[[",
    "ack",
    "ag",
    "echo",
    "egrep",
    "fgrep",
    "find",
    "findstr",
    "get-process",
    "grep",
    "journalctl",
    "jq",
    "killall",
    "locate",
    "lsof",
    "pgrep",
    "pidof",
    "pkill",
    "printf",
    "ps",
    "rg",
    "select-string",
    "stop-process",
    "whereis",
    "yara",
    "zgrep",
];

/// Words that may stand before the name of a program, in lower case.
const BEFORE: [&str; 12] = [
    "!", "command", "do", "elif", "else", "exec", "if", "nohup", "sudo", "then", "time", "while",
];

/// Programs that start the program which their arguments name, in lower case.
const STARTERS: [&str; 9] = [
    "chroot",
    "daemonize",
    "env",
    "ionice",
    "nice",
    "screen",
    "setsid",
    "taskset",
    "timeout",
];

/// Names of miners, in lower case. No command has two of them, but a list of names to look for has.
const MINERS: [&str; 14] = [
    "ccminer",
    "cgminer",
    "cpuminer",
    "ethminer",
    "kdevtmpfsi",
    "kinsing",
    "lolminer",
    "minerd",
    "nbminer",
    "phoenixminer",
    "sysrv",
    "t-rex",
    "xmr-stak",
    "xmrig",
];

/// How much text on each side of a name belongs to its list, in bytes.
const LIST_SIDE: usize = 200;

/// The extensions of scripts in which [`STARTS`] are known.
const PROGRAMS: [&str; 6] = ["cjs", "go", "js", "mjs", "py", "ts"];

/// Signs of code that starts programs or runs text, in lower case.
const STARTS: [&str; 29] = [
    "&",
    "__import__",
    "`",
    "b64",
    "child_",
    "command(",
    "ctypes",
    "decode",
    "dlopen",
    "eval",
    "exec",
    "fork",
    "fromchar",
    "getattr",
    "globals",
    "import(",
    "importlib",
    "loadlibrary",
    "pexpect",
    "plugin",
    "popen",
    "posix",
    "run(",
    "runpy",
    "spawn",
    "startfile",
    "subprocess",
    "syscall",
    "system",
];

/// Code that runs text, in lower case.
const RUNS: [&str; 8] = [
    "eval ", "sh -c", "source ", "xargs sh", "| sh", "|sh", "| bash", "|bash",
];

/// The maximum length of a script that is searched for values that it runs, in bytes. Each check reads the whole
/// script.
const LONGEST: usize = 32_768;

/// The maximum length of a line that is searched for values that it runs, in bytes. The line is read for each `$`.
const LONGEST_LINE: usize = 1000;

impl Of<'_, '_> {
    /// Returns whether a match is only a name to look for.
    pub(super) fn is_looked_for(&self, hit: &Match) -> bool {
        if !self.layer.layer.is_file() || self.layer.is_loaded {
            return false;
        }
        let at = self.layer.place_of(hit.span);
        let text = &self.layer.file.text;
        let of_file = &self.layer.of_file;
        let runs = || *of_file.runs_values.get_or_init(|| runs_values(text));
        let Some(doc) = self.layer.doc else {
            let line = line_around(text, at.start);
            let own = Span::new(line.start, line.end);
            return self.layer.is_script
                && (is_searched(text, own, at, true, runs)
                    || is_case(text, own, at)
                    || self.is_program_file() && has_list(text, at) && starts_nothing(text));
        };
        if let Some(span) = doc.code_span_at(at.start) {
            return is_searched(text, span, at, false, runs);
        }
        let line = line_around(text, at.start);
        doc.is_in_code_block(at.start)
            && (is_label(&text[line.clone()])
                || is_searched(text, Span::new(line.start, line.end), at, false, runs))
    }

    /// Returns whether the file is a script in a language in which the signs of started programs are known.
    fn is_program_file(&self) -> bool {
        let extension = self.layer.file.path.extension();
        extension.is_some_and(|extension| PROGRAMS.contains(&&*extension))
    }
}

/// Returns whether the command around `at` searches for its arguments, or only assigns a pattern or list.
///
/// `own`: the line or code span that contains `at`. `may_assign`: whether `text` is a whole script, so that its other
/// lines show how the variable is used.
fn is_searched(
    text: &str,
    own: Span,
    at: Span,
    may_assign: bool,
    runs: impl FnOnce() -> bool,
) -> bool {
    let end = at.end.min(own.end).max(at.start);
    let hit = text.get(at.start..end).unwrap_or_default();
    // The match may cover the rest of a pattern, a pipe or a quote.
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name_end = hit.find(|c| !is_part(c)).unwrap_or(hit.len());
    let behind = hit[name_end..].trim_end_matches([';', '`']);
    let behind = behind.rsplit("://").next().unwrap_or(behind);
    // A second command in the match has no match of its own.
    if behind.contains(['/', '$', ';', '&', '`', '(']) || behind.contains(&hit[..name_end]) {
        return false;
    }
    let at = Span::new(at.start, at.start + name_end);
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
        if matches!(name, "echo" | "find" | "locate" | "printf" | "whereis") {
            let rest = rest.replace(">&2", "").replace("2>/dev/null", "");
            let is_printed = !is_substituted && !rest.contains(['>', '|']);
            let is_found = |text: &str| {
                !["-exec", "-ok", "-fp", "-fls"]
                    .iter()
                    .any(|sign| text.contains(sign))
            };
            return is_printed && (name != "find" || is_found(&command) && is_found(&rest));
        }
        return !is_substituted || opened.ends_with("=$(");
    }
    let is_listed = before.ends_with('|')
        || after.starts_with('|')
        || command.contains("=(")
        || has_miners(&format!("{command}{}{rest}", &hit[..name_end]));
    may_assign && is_listed && !hit.contains("://") && is_assignment(&command) && !runs()
}

/// Returns whether a line is a string of several words without options, as in a list of names: `"XMRig Miner",`.
fn is_label(line: &str) -> bool {
    let line = line.trim().trim_end_matches(',');
    let inside = ['"', '\'']
        .iter()
        .find_map(|quote| line.strip_prefix(*quote)?.strip_suffix(*quote));
    inside.is_some_and(|inside| {
        inside.contains(' ') && inside.chars().all(|c| c.is_alphanumeric() || c == ' ')
    })
}

/// Returns whether `text`, in lower case, has the names of at least two miners.
fn has_miners(text: &str) -> bool {
    let mut names = MINERS.iter().filter(|name| text.contains(**name));
    names.nth(1).is_some()
}

/// Returns whether the match is in a list of several miners.
fn has_list(text: &str, at: Span) -> bool {
    let start = char_floor(text, at.start.saturating_sub(LIST_SIDE));
    let end = char_floor(text, at.end.saturating_add(LIST_SIDE));
    let near = text.get(start..end).unwrap_or_default();
    has_miners(&near.to_ascii_lowercase())
}

/// Returns whether a script in any language has no sign of code that starts programs. A script that is too long to be
/// checked may start them.
fn starts_nothing(text: &str) -> bool {
    let lower = text[..char_floor(text, LONGEST)].to_ascii_lowercase();
    let lower = lower.replace("&&", "");
    text.len() <= LONGEST && !STARTS.iter().any(|sign| lower.contains(sign))
}

/// Returns whether a match is in the pattern of a branch: `*xmrig*|*minerd*) echo found ;;`. `own`: its line.
fn is_case(text: &str, own: Span, at: Span) -> bool {
    let (Some(above), Some(line)) = (text.get(..own.start), text.get(own.start..own.end)) else {
        return false;
    };
    let Some(end) = line.find(')') else {
        return false;
    };
    // A pattern only follows these lines. After any other line, the text may be the last command in brackets.
    let above = above.trim_end();
    let above = above[line_around(above, above.len()).start..].trim_start();
    let follows = above.ends_with(";;") || above.starts_with("case ") && above.ends_with(" in");
    let is_pattern = |c: char| c.is_alphanumeric() || "*?|\"'-_./[] \t".contains(c);
    // A match that goes on after the bracket has a command.
    follows
        && at.start < own.start + end
        && at.end <= own.start + end + 1
        && line[..end].chars().all(is_pattern)
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

/// Returns whether a word may stand before the name of a program that is started.
fn may_precede(word: &str) -> bool {
    let word = word.trim_matches('"');
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    BEFORE.contains(&word)
        || STARTERS.contains(&word)
        || word.starts_with('-')
        || word.contains('=')
        || is_number
}

/// Returns whether a script may run the value of a variable, or is too long to be checked.
fn runs_values(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if text.len() > LONGEST || RUNS.iter().any(|run| lower.contains(run)) {
        return true;
    }
    lower.lines().any(|line| {
        if line.len() > LONGEST_LINE && line.contains('$') {
            return true;
        }
        line.match_indices('$').any(|(at, _)| {
            let before = &line[..at];
            let start = command_start(before).unwrap_or_else(|| {
                let end = before.rfind(['|', ';', '&', '(', '`']);
                end.map_or(0, |end| end + 1)
            });
            let command = &before[start..];
            // The word around the variable, as in `./$name`, is no word before the program.
            let own = command.rfind(char::is_whitespace).map_or(0, |end| end + 1);
            let (before, own) = (command.get(..own), command.get(own..));
            let is_first = !own.unwrap_or_default().contains('=')
                && before
                    .unwrap_or_default()
                    .split_whitespace()
                    .all(may_precede);
            // `$(` begins a command, and `((` and `$((` only calculate.
            let next = line.as_bytes().get(at + 1);
            is_first && next != Some(&b'(')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the name of a miner in a script. The match goes on to the next space, as that of the pattern does.
    fn searched(text: &str) -> bool {
        let start = text.find("xmrig").unwrap();
        let line = line_around(text, start);
        let own = Span::new(line.start, line.end);
        let rest = text[start..].find(char::is_whitespace);
        let at = Span::new(start, rest.map_or(text.len(), |end| start + end));
        is_searched(text, own, at, true, || runs_values(text)) || is_case(text, own, at)
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
            "BAD=\"xmrig minerd\"\nfor n in $BAD; do pgrep -l \"$n\"; done",
            "[[ $cmd =~ xmrig|minerd ]] && echo bad",
            "find / -name '*xmrig*' -print 2>/dev/null",
            "lsof -c xmrig",
            "case \"$c\" in\n  *xmrig*|*minerd*) echo \"suspicious: $p\" ;;\nesac",
            "case $c in\n a) b ;;\n *xmrig*) echo bad;;\nesac",
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
            "echo xmrig|sh",
            "pgrep xmrig;./xmrig -B",
            "pkill xmrig||xmrig -B",
            "case a in\n *xmrig*)./xmrig -B;;\nesac",
            "M='xmrig|minerd'\nenv A=1 ./$M",
            "M='xmrig minerd'\nfor m in $M; do ./$m -B; done",
            "M='xmrig minerd'\nfor m in $M; do timeout 9 \"/opt/$m\"; done",
            "M='xmrig -o pool.io:3333'\nnice -n 5 $M",
            "find / -name xmrig -exec {} -B +",
            "find / -name xmrig | head -1 > run.sh",
            "$(find / -name xmrig) -B",
            "(cd /opt\n./xmrig)",
            "(echo case in\n*xmrig*)",
            "M=(xmrig a)\nfor m in \"${M[@]}\"; do nohup \"$m\"; done",
        ] {
            assert!(!searched(text), "{text}");
        }
    }

    #[test]
    fn programs_that_start_nothing_list_names() {
        for (text, expected) in [
            (
                "MINERS = [\n  'xmrig',\n  'minerd',\n]\nprint(MINERS)",
                true,
            ),
            (
                "const M = /xmrig|minerd/; if (M.test(p)) console.log(p)",
                true,
            ),
            ("M = ('xmrig', 'minerd')\nif a in M: print(a)", true),
            ("M = ['xmrig', '-B']\nprint(M)", false),
            ("M = ['xmrig', 'minerd']\nsubprocess.run(M)", false),
            ("M = ['xmrig', 'minerd']\nos.system(M[0])", false),
            ("const M = ['xmrig', 'minerd']; Bun.spawn(M)", false),
            (
                "var m = []string{`xmrig`, `minerd`}; exec.Command(m[0])",
                false,
            ),
        ] {
            let start = text.find("xmrig").unwrap();
            let at = Span::new(start, start + 5);
            assert_eq!(
                has_list(text, at) && starts_nothing(text),
                expected,
                "{text}"
            );
        }
    }
}
