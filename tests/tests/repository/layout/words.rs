//! One word per concept in all user-facing and developer-facing text: help, messages, tool schemas, rule pages,
//! comments.
//!
//! Wording fixed by a specification is allowed.

use clap::Command;
use skillc_core::{Error, Warning};
use skillc_tests::wording::{EVERYWHERE, banned};

use crate::layout::rust_text::RustText;
use crate::layout::sources::{ROOT, files};

/// Exceptions: product identifiers, and wording fixed by a specification.
const ALLOWED: &[&str] = &[
    // The key of a remedy in the JSON of `skc doctor`.
    "mend:", "mend,", "\"mend\"",
];

/// Adds the banned words in text to `faults`.
fn check(place: &str, text: &str, faults: &mut Vec<String>) {
    if ALLOWED.iter().any(|allowed| text.contains(allowed)) {
        return;
    }
    for (word, instead) in banned(text, EVERYWHERE) {
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
                faults.push(format!("{name} {}: {help}", arg.get_id()));
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
        if path == "tests/src/wording.rs" || path.contains("/corpus/") {
            continue;
        }
        let source = read(&path);
        for (line, comment) in comments(&source) {
            seen += 1;
            check(&format!("{path}:{line}"), comment, &mut faults);
        }
        // These files contain the words of attackers, in several languages.
        let has_patterns = path.starts_with("plugins/src/security/");
        let is_product = !path.starts_with("tests/") && !path.contains("/tests") && !has_patterns;
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
