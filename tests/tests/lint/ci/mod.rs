//! How CI runs `skc lint`: the GitHub action, the pre-commit hooks, and the page that documents them.
//!
//! `tests/pre-commit` runs the hooks with the real pre-commit.

mod action;
mod hooks;
mod install;
mod page;
mod sample;

use std::fs;
use std::path::Path;

/// The path of the program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A `SKILL.md` with one error: a missing name.
const NAMELESS: &str = "---\ndescription: Has no name. Use when testing.\n---\n\n# Nameless\n";

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Checks that `skc` accepts the command and the options of a command line. Returns the words of the line.
///
/// `line`: begins with `skc`; words may be in single quotes.
#[track_caller]
fn check_command(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate().flat_map(|(at, piece)| {
        let is_quoted = at % 2 == 1;
        let whole = is_quoted.then(|| piece.to_owned());
        let words = (!is_quoted).then(|| piece.split_whitespace().map(str::to_owned));
        whole.into_iter().chain(words.into_iter().flatten())
    });
    let words: Vec<String> = pieces.collect();
    let parsed = skillc::command().try_get_matches_from(&words);
    assert!(parsed.is_ok(), "{line}: {parsed:?}");
    words
}
