//! One word per concept in all user-facing and developer-facing text: help, messages, tool schemas, rule pages, comments.
//!
//! Two word lists: banned synonyms, and phrases that obscure the technical term. Wording fixed by a specification is allowed.

use clap::Command;
use skillc_core::{Error, Warning};

use crate::layout::rust_text::RustText;
use crate::layout::sources::{ROOT, files};

/// A banned word or phrase, in lower case, and what to write instead.
type Banned = (&'static str, &'static str);

/// Banned synonyms of a concept's one word.
const SYNONYMS: &[Banned] = &[
    ("switched off", "disabled"),
    ("switched on", "enabled"),
    ("switches off", "disables"),
    ("switch it off", "disable it"),
    ("switch a skill", "enable or disable a skill"),
    ("search format", "indexer"),
    ("search formats", "indexers"),
    ("format of search", "indexer"),
    ("wants somebody asked", "requires confirmation"),
];

/// Phrases that hide the technical term.
const DIALECT: &[Banned] = &[
    ("whoever", "the caller, the user, the process"),
    ("whomever", "the caller, the user, the process"),
    ("somebody", "the user, another program, a reviewer"),
    ("nobody", "no user, no caller; say who"),
    ("anew", "again, from scratch"),
    ("for naught", "without effect"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("is told of", "sees, is notified of"),
    ("are told of", "see, are notified of"),
    ("goes before", "takes precedence over"),
    ("go before", "take precedence over"),
    ("stands beside", "is next to"),
    ("what of it", "which part of it"),
    ("what becomes of", "the outcome of"),
    ("what became of", "the outcome of"),
    ("what came of", "the result of"),
    ("as good as nothing", "no effect"),
    ("as good as none", "no effect"),
    ("unless given", "default X"),
    ("leads nowhere", "dangling"),
    ("link to nothing", "dangling symlink"),
    ("in the place of", "instead of, replaces"),
    ("is none of ours", "is not ours"),
    ("takes it for", "treats it as"),
    ("is no text", "is not a string"),
    ("is no glob", "is not a valid glob"),
    ("let be", "leave unchanged"),
];

/// Exceptions: product identifiers, and wording fixed by a specification.
const ALLOWED: &[&str] = &[
    // The key of a remedy in the JSON of `skc doctor`.
    "mend:", "mend,", "\"mend\"",
];

/// Returns the banned words in a text, with their replacements.
fn banned<'a>(text: &str, words: &'a [Banned]) -> Vec<&'a Banned> {
    let text = text.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let stands_alone = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let after = &text[at + word.len()..];
            !text[..at].ends_with(is_word) && !after.starts_with(is_word)
        })
    };
    let found = words.iter().filter(|(word, _)| stands_alone(word));
    found.collect()
}

/// Adds the banned words in a text to `faults`.
fn check(place: &str, text: &str, faults: &mut Vec<String>) {
    if ALLOWED.iter().any(|allowed| text.contains(allowed)) {
        return;
    }
    for (word, instead) in banned(text, SYNONYMS)
        .into_iter()
        .chain(banned(text, DIALECT))
    {
        faults.push(format!("{place}: '{word}'; write: {instead}: {text}"));
    }
}

/// Returns the comments of a source file, each with its line number.
fn comments(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = source.lines().map(str::trim_start).enumerate();
    lines.filter_map(|(at, line)| Some((at + 1, line.strip_prefix("//")?)))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{ROOT}/{path}")).expect("a readable file")
}

/// Checks the help texts of a command and all its subcommands.
fn check_help(name: &str, command: &mut Command, faults: &mut Vec<String>) {
    for line in command.render_long_help().to_string().lines() {
        check(&format!("{name} --help"), line, faults);
    }
    for inner in command.get_subcommands_mut() {
        check_help(&format!("{name} {}", inner.get_name()), inner, faults);
    }
}

#[test]
fn help_and_codes_use_one_word_per_concept() {
    let mut faults = Vec::new();
    let mut root = skillc::command();
    root.build();
    check_help("skc", &mut root, &mut faults);
    for row in Error::ALL.iter().chain(Warning::ALL) {
        check(row.code, row.template, &mut faults);
        check(row.code, row.doc, &mut faults);
    }
    assert_eq!(faults, [""; 0]);
}

#[test]
fn option_help_is_one_short_line() {
    const MAX: usize = 70;
    fn check(name: &str, command: &Command, faults: &mut Vec<String>) {
        for arg in command.get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            if help.chars().count() >= MAX || help.contains('\n') {
                faults.push(format!("{name} {arg}: {help}"));
            }
        }
        for inner in command.get_subcommands() {
            check(&format!("{name} {}", inner.get_name()), inner, faults);
        }
    }
    let mut faults = Vec::new();
    check("skc", &skillc::command(), &mut faults);
    assert_eq!(faults, [""; 0]);
}

/// Messages and hints are string literals; tool schemas and rule pages are doc comments.
#[test]
fn messages_schemas_and_comments_use_one_word_per_concept() {
    let mut faults = Vec::new();
    let folders = ["skillc", "rules", "formats", "plugins", "tests"];
    let mut seen = 0;
    for path in folders.iter().flat_map(|folder| files(folder, "rs")) {
        if path.ends_with("layout/words.rs") || path.contains("/corpus/") {
            continue;
        }
        let source = read(&path);
        for (line, comment) in comments(&source) {
            seen += 1;
            check(&format!("{path}:{line}"), comment, &mut faults);
        }
        let is_product = !path.starts_with("tests/") && !path.contains("/tests");
        let texts = RustText::product(&source).strings;
        for text in texts.iter().filter(|text| is_product && text.contains(' ')) {
            check(&path, text, &mut faults);
        }
    }
    for path in files("plugins", "rhai") {
        for (line, comment) in comments(&read(&path)) {
            check(&format!("{path}:{line}"), comment, &mut faults);
        }
    }
    assert!(seen > 1000, "the search itself is broken");
    assert_eq!(faults, [""; 0]);
}

#[test]
fn banned_words_match_whole_words_only() {
    let found = |text| banned(text, DIALECT).len();
    assert_eq!(found("Whoever reads it"), 1);
    assert_eq!(found("recommended"), 0);
    assert_eq!(found("a renewed effort, amended"), 0);
}
