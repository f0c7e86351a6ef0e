//! Chooses the names under which files are revealed, and the order of the files.

use std::collections::{HashMap, HashSet};

use crate::path::RelPath;
use crate::reveal::{RevealedFile, written_values};
use crate::skill::Skill;
use crate::source::lines::char_floor;
use crate::source::{Stamp, WalkedFile};

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

/// [`add_run`] collects at most this many names.
pub(super) const MAX_RUN: usize = 10_000;

/// The number of words after a runner, and before a pipe into one, that may name the file: `bash -o pipefail FILE`.
const MAX_WORDS: usize = 3;

/// The number of bytes after `./`, and before a pipe, that are searched for the name of a file.
const NEAR: usize = 400;

/// Adds the names, without folders, of the files that `text` runs, as `bash assets/logo.png` and `./logo.png` do. The
/// glob `logo.*` adds `logo`. The value of a name is the interpreter, or empty.
pub(super) fn add_run(text: &str, names: &mut HashMap<String, &'static str>) {
    let is_mark = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
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
    let mut add = |word: &str, by: &'static str| {
        let name = name_of(word.trim_start_matches(is_mark));
        let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !name.is_empty() && names.len() < MAX_RUN {
            let known = names.entry(name.to_owned()).or_insert(by);
            if known.is_empty() {
                *known = by;
            }
        }
        names.len() < MAX_RUN
    };
    let starts = memchr::memmem::find_iter(text.as_bytes(), b"./");
    let is_command = |at: &usize| {
        let before = at.checked_sub(1).map(|before| text.as_bytes()[before]);
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"`;&|".contains(&byte))
    };
    for at in starts.filter(is_command) {
        let near = &text[at..char_floor(text, (at + NEAR).min(text.len()))];
        let word = near.split(char::is_whitespace).next();
        if !add(word.unwrap_or_default(), "") {
            return;
        }
    }
    for at in memchr::memchr_iter(b'|', text.as_bytes()) {
        let program = text[at + 1..].trim_start().split(is_mark).next();
        if RUNNERS.contains(&name_of(program.unwrap_or_default())) {
            let near = &text[char_floor(text, at.saturating_sub(NEAR))..at];
            for word in near.split_whitespace().rev().take(MAX_WORDS) {
                if !add(word, "") {
                    return;
                }
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
        let mut interpreters = INTERPRETERS.into_iter();
        let by = interpreters.find(|by| *by == runner).unwrap_or_default();
        end = at + 1;
        let mut count = 0;
        for part in after.split_inclusive(char::is_whitespace) {
            let word = part.trim_end();
            let is_option = word.trim_start_matches(is_mark).starts_with('-');
            if count == 0 && (word.is_empty() || is_option) {
                end += part.len();
            } else if !word.is_empty() {
                count += 1;
                if !add(word, if count == 1 { by } else { "" }) {
                    return;
                }
                if count == MAX_WORDS {
                    break;
                }
            }
        }
    }
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

/// Returns whether only the interpreter that runs a file shows that the file is a program.
pub(super) fn is_runnable(file: &RevealedFile) -> bool {
    // Prose mentions such a file after the word "python", but nothing runs it.
    let is_list = file.path.file_name().starts_with("requirements");
    let is_known = is_program(&file.path.extension().unwrap_or_default());
    !is_list
        && !is_known
        && !file.path.has_extension("md")
        && written_values(&file.path, &file.text).is_none()
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
            ("![A logo](./logo.png)", None),
            ("Show `assets/logo.png`.", None),
            ("![A shell](logo.png)", None),
        ] {
            let mut names = HashMap::new();
            add_run(text, &mut names);
            let is_found = names.contains_key(expected.unwrap_or("logo.png"));
            assert_eq!(is_found, expected.is_some(), "{text}");
        }
        // In quadratic time, this would take minutes.
        let mut names = HashMap::new();
        add_run(&"-/sh ".repeat(200_000), &mut names);
        assert!(names.is_empty());
        add_run(&"|./|sh".repeat(20_000), &mut names);
    }
}
