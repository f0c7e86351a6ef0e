//! Chooses the names under which files are revealed, and the order of the files.

use std::collections::{HashMap, HashSet};

use crate::path::RelPath;
use crate::reveal::{RevealedFile, written_values};
use crate::skill::Skill;
use crate::source::lines::char_floor;
use crate::source::{Stamp, WalkedFile};
use crate::words::lower;

/// Extensions of programs, in lower case.
const PROGRAMS: [&str; 28] = [
    "sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "tsx", "ps1", "psm1", "bat", "cmd", "rb",
    "pl", "php", "go", "rs", "command", "lua", "vbs", "swift", "ksh", "dash", "fish", "pyw", "awk",
    "tcl",
];

/// Programs and shell builtins that run a file, regardless of its name and its first bytes, or that prepare this.
const RUNNERS: [&str; 15] = [
    "eval", "chmod", "sh", "bash", "zsh", "dash", "ksh", "source", ".", "python", "python3",
    "node", "perl", "ruby", "php",
];

/// Those of [`RUNNERS`] that run the first word after their options as a program in their own language.
const INTERPRETERS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "python", "python3"];

/// The shell and the Python interpreter that run a file; empty if none does.
pub(super) type Interpreters = [&'static str; 2];

/// [`add_run`] collects at most this many names.
pub(super) const MAX_RUN: usize = 10_000;

/// The number of words after a runner, and before a pipe into one, that may name the file: `bash -o pipefail FILE`.
const MAX_WORDS: usize = 3;

/// The maximum number of words that quotation marks or escaped blanks join to the name of a file.
const MAX_JOINED: usize = 200;

/// The number of bytes after `./`, before a pipe, and around the key `command`, that are searched for the name of a
/// file.
const NEAR: usize = 400;

/// The number of bytes before a runner that are searched for a program that searches for its name.
const NEAR_RUNNER: usize = 60;

fn is_mark(c: char) -> bool {
    !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'))
}

/// Adds the names, without folders and in lower case, of the files that `text` runs, as `bash assets/logo.png` and
/// `./logo.png` do. The glob `logo.*` adds `logo`.
pub(super) fn add_run(text: &str, names: &mut HashMap<String, Interpreters>) {
    add_arguments(text, names);
    add_relative(text, names);
    // The last bytes of the names in `RUNNERS`, before a blank, rule out most words at once.
    let may_end = |pair: &[u8]| {
        matches!(
            pair[0],
            b'h' | b'e' | b'.' | b'n' | b'3' | b'l' | b'y' | b'p' | b'd'
        ) && (pair[1].is_ascii_whitespace() || !pair[1].is_ascii())
    };
    // The end of the options after the last runner. A runner among these options, as in `--shell=/bin/sh`, is followed
    // by the same file; searching again for each of them would take quadratic time.
    let mut end = 0;
    let mut add = |word: &str, by: &'static str| add_name(word, by, names);
    for at in memchr::memchr_iter(b'|', text.as_bytes()) {
        let after = text[at + 1..].trim_start();
        let program = after.split(is_mark).next().unwrap_or_default();
        if RUNNERS.contains(&name_of(program)) {
            let near = &text[char_floor(text, at.saturating_sub(NEAR))..at];
            let words = || near.split_whitespace().rev().take(MAX_WORDS);
            let command = near.rsplit(['|', '\n', ';', '&']).next().unwrap_or(near);
            let mut programs = command.split_whitespace().rev().skip(1).take(MAX_JOINED);
            let mut by = if programs.any(|word| word.ends_with("cat")) {
                interpreter_of_input(name_of(program), &after[program.len()..])
            } else {
                ""
            };
            for word in words() {
                if !add(word, by) {
                    return;
                }
                by = "";
            }
        }
    }
    let pairs = text.as_bytes().windows(2).enumerate();
    for (at, _) in pairs.filter(|(_, pair)| may_end(pair)) {
        if at < end {
            continue;
        }
        let (before, after) = text.split_at(at + 1);
        if !after.starts_with(char::is_whitespace) {
            continue;
        }
        let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
        let runner = name_of(word.trim_start_matches(is_mark));
        if !RUNNERS.contains(&runner) {
            continue;
        }
        let mut by = interpreter(runner, word, before, after);
        end = at + 1;
        let mut rest = after;
        let mut count = 0;
        let mut open = None;
        // The words of code are not joined.
        let mut is_code = runner == "eval" && !after.trim_start().starts_with("\"$(cat");
        for part in after.split_inclusive(char::is_whitespace) {
            let word = part.trim_end();
            rest = &rest[part.len()..];
            let option = word.trim_start_matches(is_mark);
            if count == 0 && (word.is_empty() || option.starts_with('-')) {
                end += part.len();
                is_code |= !option.starts_with("--") && option.ends_with('c');
                // Python reads the program from its input; a file after the `-` is an argument.
                if word == "-" && by.starts_with("python") {
                    by = "";
                }
            } else if !word.is_empty() {
                count += 1;
                let is_file = !precedes_file(word);
                if !add(word, if is_file { by } else { "" }) {
                    return;
                }
                open = open_after(word, rest, open).filter(|_| !is_code && !part.ends_with('\n'));
                if count >= MAX_WORDS && open.is_none() || count == MAX_JOINED {
                    break;
                }
                if is_file && open.is_none() {
                    by = "";
                }
            }
            if part.ends_with('\n') && word != "\\" {
                by = "";
            }
        }
    }
}

/// Returns the form in which names of files are compared: in lower case and folded, without quotation marks and
/// escapes, and without marks at the start and the end. Commands are split at blanks, so only the last part with letters
/// or digits counts.
pub(super) fn key(name: &str) -> String {
    let name = super::folded(name);
    let bare = |part: &str| {
        let part = part.trim_start_matches(is_mark);
        let part = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        lower(&part.replace(['\\', '"', '\'', '^', '`'], ""))
    };
    let mut parts = name_of(&name).rsplit(char::is_whitespace).map(bare);
    parts.find(|part| !part.is_empty()).unwrap_or_default()
}

/// Returns the quotation mark that is open after a word of a command, or a backslash if the blank after the word is
/// escaped. The next word then belongs to the same name. `open`: the same for the previous word; `rest`: the text after
/// the word.
fn open_after(word: &str, rest: &str, open: Option<char>) -> Option<char> {
    let line = &rest[..char_floor(rest, NEAR.min(rest.len()))];
    let line = line.lines().next().unwrap_or_default();
    let mut open = open.filter(|mark| *mark != '\\');
    let mut is_escaped = false;
    for (at, c) in word.char_indices() {
        let is_quote = matches!(c, '"' | '\'');
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' && open != Some('\'') {
            is_escaped = true;
        } else if is_quote && open == Some(c) {
            open = None;
        } else if is_quote && open.is_none() {
            let after = &word[at + 1..];
            let is_end = after.starts_with([',', '.', ':', ';', '!', '?', ')', ']', '}', '`', '|'])
                && !after.starts_with("./")
                && !after.starts_with("../");
            let is_open = if after.is_empty() {
                rest.starts_with(c)
            } else {
                !is_end && (after.contains(c) || line.contains(c))
            };
            open = is_open.then_some(c);
        }
    }
    if is_escaped { Some('\\') } else { open }
}

/// Adds the name of a file. Returns whether further names can be added.
fn add_name(word: &str, by: &'static str, names: &mut HashMap<String, Interpreters>) -> bool {
    let name = key(word);
    if !name.is_empty() && names.len() < MAX_RUN {
        let known = names.entry(name).or_default();
        let known = &mut known[usize::from(by.starts_with("python"))];
        if known.is_empty() {
            *known = by;
        }
    }
    names.len() < MAX_RUN
}

/// Adds the files that commands such as `./logo.png` run.
fn add_relative(text: &str, names: &mut HashMap<String, Interpreters>) {
    let starts = memchr::memmem::find_iter(text.as_bytes(), b"./");
    let is_command = |at: &usize| {
        let before = at.checked_sub(1).map(|before| text.as_bytes()[before]);
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"`;&|".contains(&byte))
    };
    for at in starts.filter(is_command) {
        let near = &text[at..char_floor(text, (at + NEAR).min(text.len()))];
        for word in near.split(char::is_whitespace).take(MAX_JOINED) {
            if !add_name(word, "", names) {
                return;
            }
            if !word.ends_with('\\') {
                break;
            }
        }
    }
}

/// Adds the first file in the arguments of each interpreter in settings: `"command": "bash", "args": ["a.txt"]`.
fn add_arguments(text: &str, names: &mut HashMap<String, Interpreters>) {
    for at in memchr::memmem::find_iter(text.as_bytes(), b"command") {
        let near = &text[at..char_floor(text, (at + NEAR).min(text.len()))];
        let mut words = near.split(is_mark).skip(1);
        let program = words.find(|word| !word.is_empty()).unwrap_or_default();
        let by = known_interpreter(name_of(program));
        if by.is_empty() {
            continue;
        }
        // The keys may be in any order.
        let before = &text[char_floor(text, at.saturating_sub(NEAR))..at];
        let lists = [near.split_once("args"), before.rsplit_once("args")];
        for (_, list) in lists.into_iter().flatten() {
            let items = list.split(['"', '\'', '[', ']', ',', '\n']).map(str::trim);
            let items = items.map(|item| item.trim_start_matches([':', '=', ' ']));
            let mut items = items.map(|item| item.strip_prefix("- ").unwrap_or(item));
            let file = items.find(|item| !item.is_empty() && !item.starts_with('-'));
            add_name(file.unwrap_or_default(), by, names);
        }
    }
}

/// Returns the interpreter that runs the first file after a runner; empty if the runner may only be a word of a
/// sentence, or the argument of a search.
///
/// `word`: the runner with the signs before it. `before` ends, and `after` begins, after the runner.
fn interpreter(runner: &str, word: &str, before: &str, after: &str) -> &'static str {
    const SEARCHES: [&str; 4] = ["grep ", "egrep ", "rg ", "git grep "];
    const SIGNS: [char; 9] = [';', '&', '|', '{', '(', '$', '`', ',', '.'];
    let from = before.len().saturating_sub(word.len() + NEAR_RUNNER);
    let near = &before[char_floor(before, from)..before.len() - word.len()];
    let line = near.rsplit('\n').next().unwrap_or_default();
    let command = line.rsplit(SIGNS).next().unwrap_or_default().trim_start();
    let is_searched = || SEARCHES.iter().any(|search| command.starts_with(search));
    match runner {
        "." | "source" if word != runner || command.is_empty() => "sh",
        "eval" if after.trim_start().trim_start_matches('"').starts_with("$(") => "sh",
        _ if word == runner && is_searched() => "",
        _ => known_interpreter(runner),
    }
}

/// Returns the interpreter that runs its input as a program: `cat logo.png | bash`. `rest`: the text after its name.
fn interpreter_of_input(name: &str, rest: &str) -> &'static str {
    let rest = rest.trim_start_matches([' ', '\t']);
    let is_input = rest.is_empty()
        || rest.starts_with(['`', '"', '\'', ')', '\n', '\r', ';', '&', '|', '-'])
            && !["-c", "-m"].iter().any(|option| rest.starts_with(option));
    if is_input {
        known_interpreter(name)
    } else {
        ""
    }
}

fn known_interpreter(name: &str) -> &'static str {
    let mut interpreters = INTERPRETERS.into_iter();
    interpreters.find(|by| *by == name).unwrap_or_default()
}

/// Returns whether a word after a runner is not the file that it runs, but precedes the name of this file: `bash <
/// FILE`, `bash <(cat FILE)`, `bash -o pipefail FILE`.
fn precedes_file(word: &str) -> bool {
    matches!(word, "<" | "\\" | "pipefail") || word.ends_with("(cat")
}

/// Returns the last component of a path.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns whether files with an extension, in lower case, are programs that an interpreter runs regardless of their
/// first bytes.
pub(super) fn is_program(extension: &str) -> bool {
    PROGRAMS.contains(&extension)
}

/// Returns whether only the interpreter `by` that runs a file shows that the file is a program in its language.
pub(super) fn is_runnable(path: &RelPath, by: &str) -> bool {
    // Prose mentions such a file after the word "python", but nothing runs it.
    let is_list = path.file_name().starts_with("requirements");
    let is_known = match &*path.extension().unwrap_or_default() {
        "py" | "pyw" => by.starts_with("python"),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "command" => !by.starts_with("python"),
        extension => is_program(extension),
    };
    !by.is_empty() && !is_list && !is_known
}

/// Returns whether a file is a document, data in a known format, or a program according to its name.
pub(super) fn has_format(file: &RevealedFile) -> bool {
    file.path.has_extension("md")
        || is_program(&file.path.extension().unwrap_or_default())
        || written_values(&file.path, &file.text).is_some()
}

/// The kind of a file, judged by its name. The variants are in the order in which files are revealed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Main,
    Markdown,
    Program,
    Other,
}

/// How the name of a file that is neither Markdown nor a program decides how its content is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reading {
    Yaml,
    Toml,
    Json,
    /// A name without an extension, as scripts have.
    Bare,
    Plain,
}

impl Reading {
    pub(super) fn of(path: &RelPath) -> Self {
        match path.extension().as_deref() {
            Some("yml" | "yaml") => Self::Yaml,
            Some("toml") => Self::Toml,
            Some("json") => Self::Json,
            None => Self::Bare,
            Some(_) => Self::Plain,
        }
    }
}

/// Returns the files of a skill in the order in which they are revealed: `SKILL.md`, other Markdown, programs, and all
/// other files. Large data files are last, so that they do not use up the limit on bytes.
///
/// A file with several names (symlinks) is returned at most once under a program's name, once under another name,
/// preferably that of a Markdown file, and once for each further way of [reading](Reading) it.
pub(super) fn names(skill: &Skill) -> Vec<&WalkedFile> {
    let entries = skill.tree.entries.iter();
    let main = skill.main().map(|main| &main.path);
    let mut files: Vec<(Kind, &WalkedFile)> = entries
        .map(|entry| {
            let extension = entry.path.extension().unwrap_or_default();
            let kind = if main == Some(&entry.path) {
                Kind::Main
            } else if entry.path.has_extension("md") {
                Kind::Markdown
            } else if is_program(&extension) {
                Kind::Program
            } else {
                Kind::Other
            };
            (kind, entry)
        })
        .collect();
    files.sort_by(|(kind, entry), (of, other)| (kind, &entry.path).cmp(&(of, &other.path)));
    if skill.tree.dirs.is_none() {
        keep_one_name(&mut files);
    }
    files.into_iter().map(|(_, entry)| entry).collect()
}

fn keep_one_name(files: &mut Vec<(Kind, &WalkedFile)>) {
    // Without inode numbers, two different files may have the same stamp.
    let is_known = |stamp: &Stamp| stamp.inode != 0;
    let mut best: HashMap<Stamp, Kind> = HashMap::new();
    for (kind, entry) in files.iter() {
        let known = best.entry(entry.stamp).or_insert(*kind);
        *known = (*known).min(*kind);
    }
    let mut seen: HashSet<(Stamp, bool, Reading)> = HashSet::new();
    files.retain(|(kind, entry)| {
        let is_program = *kind == Kind::Program;
        let reading = match kind {
            Kind::Other => Reading::of(&entry.path),
            _ => Reading::Plain,
        };
        let is_lesser = *kind == Kind::Other
            && matches!(reading, Reading::Plain | Reading::Bare)
            && best.get(&entry.stamp) != Some(&Kind::Other);
        !is_known(&entry.stamp) || !is_lesser && seen.insert((entry.stamp, is_program, reading))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_an_interpreter_runs_are_named() {
        for (text, expected) in [
            ("Run `bash assets/logo.png`.", Some("logo.png")),
            ("`bash -x -e \"assets/logo.png\"`", Some("logo.png")),
            (". ./logo.png\n", Some("logo.png")),
            ("{\"command\": \"/bin/sh a/logo.png\"}", Some("logo.png")),
            ("env -S\"/bin/sh -e logo.png\"", Some("logo.png")),
            ("-/sh -/sh - -/sh a/logo.png", Some("logo.png")),
            ("-/sh -/sh - -/sh", None),
            ("bash < assets/logo.png", Some("logo.png")),
            ("bash <(cat assets/logo.png)", Some("logo.png")),
            ("bash -o pipefail assets/logo.png", Some("logo.png")),
            ("eval \"$(cat assets/logo.png)\"", Some("logo.png")),
            ("Run `cat assets/logo.png | bash`.", Some("logo.png")),
            ("chmod +x assets/logo.png", Some("logo.png")),
            ("Run `./assets/logo.png`.", Some("logo.png")),
            ("bash assets/logo.*", Some("logo")),
            ("bash assets/LOGO.PNG", Some("logo.png")),
            ("bash \"assets/lo logo.png\"", Some("logo.png")),
            ("bash assets/a\\ b\\ c\\ logo.png", Some("logo.png")),
            ("./assets/a\\ logo.png", Some("logo.png")),
            ("bash assets/lo\\'go.png", Some("logo.png")),
            ("bash assets/lógo.png", Some("logo.png")),
            ("![A logo](./logo.png)", None),
            ("Show `assets/logo.png`.", None),
            ("![A shell](logo.png)", None),
        ] {
            let mut names = HashMap::new();
            add_run(text, &mut names);
            let is_found = names.contains_key(expected.unwrap_or("logo.png"));
            assert_eq!(is_found, expected.is_some(), "{text}");
        }
        for (text, expected) in [
            ("Run `bash assets/a.txt`.", ["bash", ""]),
            ("bash -o pipefail a.txt", ["bash", ""]),
            ("bash < a.txt", ["bash", ""]),
            ("python3 <(cat assets/a.txt)", ["", "python3"]),
            ("bash \\\n  a.txt", ["bash", ""]),
            ("Run `cat a.txt | bash`.", ["bash", ""]),
            ("cat a.txt | python3 -m json.tool", ["", ""]),
            ("cd b; . ./a.txt", ["sh", ""]),
            ("`source a.txt`", ["sh", ""]),
            ("eval \"$(cat a.txt)\"", ["sh", ""]),
            ("python a.txt\nsh a.txt", ["sh", "python"]),
            (
                r#"{"command": "/bin/sh", "args": ["-e", "${A}/b/a.txt"]}"#,
                ["sh", ""],
            ),
            (
                r#"{"args": ["a.txt"], "command": "python3"}"#,
                ["", "python3"],
            ),
            ("command: bash\nargs:\n  - a.txt\n", ["bash", ""]),
            ("bash \"b c/d a.txt\"", ["bash", ""]),
            ("bash 'set a.txt' b", ["bash", ""]),
            ("bash set\\ a.txt", ["bash", ""]),
            ("bash set\" \"a.txt", ["bash", ""]),
            ("cat \"set a.txt\" | bash", ["bash", ""]),
            ("bash -c \"python3 b.py a.txt\"", ["", ""]),
            ("{\"command\": \"bash b.sh\", \"a.txt\"", ["", ""]),
            ("./a.txt", ["", ""]),
            ("python3 - a.txt <<EOF", ["", ""]),
            ("Copy the source a.txt.", ["", ""]),
            ("grep -n bash a.txt", ["", ""]),
            ("```bash\na.txt", ["", ""]),
            ("bash b.sh a.txt", ["", ""]),
        ] {
            let mut names = HashMap::new();
            add_run(text, &mut names);
            assert_eq!(names.get("a.txt"), Some(&expected), "{text}");
        }
        for (name, expected) in [
            ("Set Up.txt", "up.txt"),
            ("lo'go.png", "logo.png"),
            ("@logo (1).png", "1).png"),
            ("e\u{301}.txt", "e.txt"),
            ("a !", "a"),
        ] {
            assert_eq!(key(name), expected);
        }
        // In quadratic time, this would take minutes.
        let mut names = HashMap::new();
        add_run(&"-/sh ".repeat(200_000), &mut names);
        assert!(names.is_empty());
        add_run(&"|./|sh".repeat(20_000), &mut names);
    }
}
