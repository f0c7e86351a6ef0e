//! Finds commands that run a file beside the skill, such as `bash ../../tools/run.sh`. The scan reads only the files of
//! the skill, and a file of another skill may be a sample there, which nothing in that skill runs.
//!
//! Only files that exist are reported: most paths such as `../a.sh` belong to a project of the user.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use memchr::memmem;
use skillc_core::reveal::{Revealed, RevealedFile};
use skillc_core::source::lines::char_floor;
use skillc_core::{Skill, Span};

use super::Threat;
use super::context::clause_within;
use super::samples::INTERPRETERS;
use super::structure::{more_than_examined, shown};

/// The ends of variables and commands for a folder around the skill.
const ROOTS: [&str; 3] = ["PLUGIN_ROOT", "PROJECT_DIR", "--show-toplevel"];

/// The maximum number of folders from the skill upwards that may be one of [`ROOTS`].
const MAX_ROOTS: usize = 4;

/// The maximum number of folders from the skill upwards to which a path with `..` may lead.
const MAX_UP: usize = 16;

/// The maximum number of paths of a skill that are looked up on disk.
const MOST_PATHS: usize = 2000;

/// The maximum number of bytes that are examined before a path.
const NEAR: usize = 120;

/// The maximum length of a path, in bytes.
const LONGEST: usize = 400;

/// The maximum number of words between a word such as `run` and a path: options, and words such as `the script`.
const MOST_WORDS: usize = 4;

/// Commands that run any file, or allow it to run, in addition to [`INTERPRETERS`].
const STARTERS: [&str; 2] = [".", "chmod"];

/// Keys of settings whose values are commands, in lower case.
const KEYS: [&str; 2] = ["args", "command"];

/// Other words before a program that is run, in lower case.
const RUNNERS: [&str; 8] = [
    "exec", "eval", "sudo", "run", "runs", "execute", "call", "launch",
];

/// Extensions of files that are not programs.
const TEXTS: [&str; 6] = [".md", ".txt", ".json", ".yaml", ".yml", ".csv"];

/// A path that leads out of the skill, according to its text.
struct Mention<'a> {
    /// The position where the command before the path ends.
    start: usize,
    /// The position of the path.
    at: usize,
    /// The maximum number of folders that the path leads upwards.
    up: usize,
    /// The rest of the line, without the `..` or the variable at its start. It begins with the path.
    rest: &'a str,
}

/// Adds the threats of SEC118 in commands that run files beside the skill.
pub(super) fn check(skill: &Skill, revealed: &Revealed, out: &mut Vec<Threat>) {
    // There is nothing around a skill in memory.
    if skill.tree.is_in_memory() {
        return;
    }
    let mut seen = BTreeSet::new();
    for file in &revealed.files {
        if file.path.as_str().starts_with(".git/") {
            continue;
        }
        add(&skill.tree.root, file, None, &file.text, &mut seen, out);
        for layer in file.layers.iter().filter(|layer| !layer.is_file()) {
            let origin = Some(layer.origin);
            add(&skill.tree.root, file, origin, &layer.text, &mut seen, out);
        }
    }
}

/// Adds the threats in a text of a file. `origin`: the span of the text in the file, if the text was decoded. `seen`:
/// the paths that have been looked up.
fn add<'a>(
    root: &Path,
    file: &RevealedFile,
    origin: Option<Span>,
    text: &'a str,
    seen: &mut BTreeSet<(usize, &'a str)>,
    out: &mut Vec<Threat>,
) {
    for mention in mentions(text).filter(|mention| mention.is_run(text)) {
        if !seen.insert((mention.up, mention.rest)) {
            continue;
        }
        if seen.len() > MOST_PATHS {
            more_than_examined(file, out);
            return;
        }
        let Some(path) = mention.leads_out(root) else {
            continue;
        };
        let span = origin.unwrap_or(Span::new(mention.at, mention.at));
        out.push(Threat {
            rule: "SEC118",
            file: Some(file.path.clone()),
            span,
            line: file.lines.line(span.start),
            is_error: false,
            message: format!(
                "a command runs '{}' outside the skill, which was not scanned with it",
                shown(path)
            ),
            help: None,
        });
    }
}

/// Returns the paths in a text that may lead out of the skill.
fn mentions(text: &str) -> impl Iterator<Item = Mention<'_>> {
    let mut end = 0;
    let ups = memmem::find_iter(text.as_bytes(), "..").filter_map(move |at| {
        if at < end {
            return None;
        }
        let mut rest = &text[at..];
        let mut up = 0;
        while let Some(after) = rest.strip_prefix("..") {
            let Some(after) = after.strip_prefix(['/', '\\']) else {
                break;
            };
            rest = after.trim_start_matches(['/', '\\']);
            rest = rest.trim_start_matches("./");
            up += 1;
        }
        end = text.len() - rest.len();
        // The path may begin with a folder, as in `scripts/../../a.sh`.
        let start = part_start(text, at, |c| !is_end(c));
        (up > 0).then(|| Mention::new(start, at, up.min(MAX_UP), rest))
    });
    let roots = ROOTS.iter().flat_map(move |name| {
        memmem::find_iter(text.as_bytes(), *name).filter_map(move |at| {
            let rest = text[at + name.len()..].trim_start_matches(['}', '"', '\'', '%', ')']);
            let rest = rest.strip_prefix(['/', '\\'])?;
            let rest = rest.trim_start_matches(['/', '\\']);
            let start = part_start(text, at, |c| c.is_alphanumeric() || c == '_');
            Some(Mention::new(start, at, MAX_ROOTS, rest))
        })
    });
    ups.chain(roots)
}

/// Returns the start of the characters before a position for which `is_part` is true.
fn part_start(text: &str, at: usize, is_part: impl Fn(char) -> bool) -> usize {
    let near = &text[char_floor(text, at.saturating_sub(NEAR))..at];
    at - (near.len() - near.trim_end_matches(is_part).len())
}

/// Returns whether a character ends a path that is not in quotes.
fn is_end(c: char) -> bool {
    c.is_whitespace() || "`\"'()[]{}<>;&|$=,".contains(c)
}

impl<'a> Mention<'a> {
    fn new(start: usize, at: usize, up: usize, rest: &'a str) -> Self {
        let rest = &rest[..char_floor(rest, LONGEST.min(rest.len()))];
        Self {
            start,
            at,
            up,
            rest: rest
                .split(['\n', '\r', '"', '\'', '`'])
                .next()
                .unwrap_or(rest),
        }
    }

    /// Returns whether the text before the path runs it. The destination of a link is only read.
    fn is_run(&self, text: &str) -> bool {
        let before = clause_within(text, self.start, NEAR);
        if before.ends_with("](") {
            return false;
        }
        let words = before.rsplit(|c: char| is_end(c) || c == ':');
        let words = words.filter(|word| !word.is_empty() && !word.starts_with('-'));
        let words = words.map(|word| word.rsplit('/').next().unwrap_or(word));
        let is_in = |all: &[&str], word: &str| all.iter().any(|of| word.eq_ignore_ascii_case(of));
        let starts = |word: &str| is_in(&INTERPRETERS, word) || is_in(&STARTERS, word);
        // In prose, `source` names where a text is from.
        let is_program = |word: &str| starts(word) && !word.eq_ignore_ascii_case("source");
        if words.clone().take(2).any(is_program) {
            return true;
        }
        let path = self.rest.split(is_end).next().unwrap_or_default();
        if TEXTS.iter().any(|end| path.ends_with(end)) {
            return false;
        }
        if words.clone().any(|word| word == "import") {
            return false;
        }
        let is_runner = |word: &str| is_in(&RUNNERS, word) || is_in(&KEYS, word) || starts(word);
        // At the start of a line or a command, the path itself is the program.
        let so_far = before.trim_end_matches(['"', '\'', '$', '{', '%', ' ', '\t']);
        let is_start = so_far.is_empty() || so_far.ends_with(['&', '|']) || so_far.ends_with("$(");
        is_start || words.take(MOST_WORDS).any(is_runner)
    }

    /// Returns the path without its start if there is such a file in a folder around the skill, but not in the skill.
    fn leads_out(&self, root: &Path) -> Option<&'a str> {
        let path = self.rest.split(is_end).next().unwrap_or_default();
        let path = path.trim_end_matches(['.', ':', '!', '?']);
        // The path may contain blanks if it is in quotes.
        let mut paths = [path, self.rest].into_iter();
        paths.find(|path| {
            let path = path.replace('\\', "/");
            // An absolute path would replace the folder, and lead to any file or to another machine.
            let is_below =
                |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
            if !Path::new(&path).components().all(is_below) {
                return false;
            }
            let mut above = root.ancestors().skip(1).take(self.up);
            above.any(|above| {
                let real = above.join(&path).canonicalize();
                real.is_ok_and(|real| real.is_file() && !real.starts_with(root))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_count() {
        for (text, expected) in [
            ("Run `bash ../b/run.sh` first.", true),
            ("Run the script `../b/run.sh`.", true),
            ("bash -x \"../b/run.sh\"", true),
            ("bash \"$(dirname \"$0\")/../b/run.sh\"", true),
            ("source ${D}/../b/run.sh", true),
            ("cd a && ../b/run.sh", true),
            ("../b/run.sh --all", true),
            ("bash ../b/run.txt", true),
            ("bash \"${CLAUDE_PLUGIN_ROOT}/b/run.sh\"", true),
            ("bash \"$(git rev-parse --show-toplevel)/b/run.sh\"", true),
            ("command: \"$CLAUDE_PROJECT_DIR\"/b/run.sh", true),
            ("Run [the tool](../b/run.sh).", false),
            ("Read [the notes](../b/SKILL.md).", false),
            ("Run the steps in `../b/SKILL.md`.", false),
            ("See `../b/run.sh`.", false),
            ("See ${CLAUDE_PLUGIN_ROOT}/b/run.sh.", false),
            ("Wait... then run it", false),
        ] {
            let is_run = mentions(text).any(|mention| mention.is_run(text));
            assert_eq!(is_run, expected, "{text}");
        }
    }
}
