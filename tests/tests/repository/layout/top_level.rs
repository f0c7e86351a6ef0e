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

/// Returns the files of the repository, or `None` if this is no git checkout.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn repository_files() -> Option<Vec<String>> {
    let run = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(ROOT)
        .output();
    let Some(run) = run.ok().filter(|run| run.status.success()) else {
        eprintln!("skipped: this is no git checkout");
        return None;
    };
    let paths = String::from_utf8(run.stdout).expect("UTF-8 paths");
    Some(paths.lines().map(str::to_owned).collect())
}

#[test]
fn the_visible_top_level_is_the_packages_the_docs_and_the_licences() {
    let Some(paths) = repository_files() else {
        return;
    };
    let tops = paths
        .iter()
        .map(|path| path.split('/').next().unwrap_or(path));
    let visible: BTreeSet<&str> = tops.filter(|top| !top.starts_with('.')).collect();
    assert_eq!(visible, BTreeSet::from(VISIBLE));
}

/// Returns the code spans of the guide for contributors.
fn guide() -> Vec<String> {
    let guide = fs::read_to_string(Path::new(ROOT).join(".github/CONTRIBUTING.md"));
    let guide = guide.expect("a guide");
    let outside_blocks: String = guide.split("```").step_by(2).collect();
    let spans = outside_blocks.split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

/// Returns the folder that a file is in, as far as the guide has to name it: a package or a folder of tests, elsewhere the
/// folder at the top level.
fn folder_of(path: &str) -> Option<&str> {
    let (top, below) = path.split_once('/')?;
    let second = below.split_once('/').map(|(second, _)| second);
    match second {
        Some(second) if matches!(top, "skillc" | "tests") => {
            Some(&path[..top.len() + 1 + second.len()])
        }
        _ => Some(top),
    }
}

#[test]
fn the_guide_for_contributors_names_every_folder() {
    let Some(paths) = repository_files() else {
        return;
    };
    let folders = paths.iter().filter_map(|path| folder_of(path));
    // Their own files are manifests and lists.
    let folders: BTreeSet<&str> = folders.filter(|folder| *folder != "tests").collect();
    let guide = guide();
    let is_named = |folder: &&&str| guide.iter().any(|span| span == **folder);
    let missing: Vec<&&str> = folders.iter().filter(|folder| !is_named(folder)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_guide_for_contributors_names_what_is_there() {
    let root = Path::new(ROOT);
    let guide = guide();
    let paths = guide
        .iter()
        .filter(|span| span.contains('/') && !span.contains([' ', '(']));
    let mut checked = 0;
    let mut gone = Vec::new();
    for path in paths {
        // Of a path with a placeholder, the folder above that has to be there.
        let before = path.split('<').next().unwrap_or(path);
        let known = if before == path {
            path.as_str()
        } else {
            before.rsplit_once('/').map_or("", |(folder, _)| folder)
        };
        let places = [root.join(known), root.join("tests/tests").join(known)];
        if !places.iter().any(|place| place.exists()) {
            gone.push(path);
        }
        checked += 1;
    }
    assert!(gone.is_empty(), "{gone:?}");
    assert!(checked > 50, "{checked}");
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
