//! What a visitor of the repository sees first.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::layout::sources::ROOT;

const VISIBLE: [&str; 11] = [
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "docs",
    "formats",
    "plugins",
    "rules",
    "skillc",
    "tests",
];

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_visible_top_level_is_the_packages_the_docs_and_the_licences() {
    let run = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(ROOT)
        .output();
    let Some(run) = run.ok().filter(|run| run.status.success()) else {
        eprintln!("skipped: this is no git checkout");
        return;
    };
    let paths = String::from_utf8(run.stdout).expect("UTF-8 paths");
    let tops = paths
        .lines()
        .map(|path| path.split('/').next().unwrap_or(path));
    let visible: BTreeSet<&str> = tops.filter(|top| !top.starts_with('.')).collect();
    assert_eq!(visible, BTreeSet::from(VISIBLE));
}

/// Each program of tests links the whole product, so that a new subject is a folder in one of them.
#[test]
fn the_end_to_end_tests_are_five_programs() {
    let dir = fs::read_dir(Path::new(ROOT).join("tests/tests")).expect("a folder");
    let names = dir.map(|entry| entry.expect("an entry").file_name());
    let names: BTreeSet<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let expected = ["agents", "interface", "lint", "repository", "skills"];
    assert_eq!(names, BTreeSet::from(expected.map(str::to_owned)));
}

/// What the page on security promises is shown by tests that are there.
#[test]
fn the_tests_that_the_page_on_security_names_are_there() {
    let root = Path::new(ROOT);
    let page = fs::read_to_string(root.join("docs/src/security.md")).expect("a page");
    let quoted = page.split('`').skip(1).step_by(2);
    let named: Vec<&str> = quoted
        .filter(|word| word.contains('/') && word.rsplit('.').next() == Some("rs"))
        .collect();
    assert!(named.len() > 20, "{named:?}");
    let is_there = |path: &&str| {
        let places = [
            root.join("tests/tests").join(path),
            root.join(path),
            root.join("tests").join(path),
        ];
        places.iter().any(|place| place.exists())
    };
    let gone: Vec<&str> = named.into_iter().filter(|path| !is_there(path)).collect();
    assert_eq!(gone, [""; 0]);
}
