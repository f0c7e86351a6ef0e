//! The top level of the repository, and the contributing guide.

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

/// Returns the files of the repository; `None` outside a git checkout.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn repository_files() -> Option<Vec<String>> {
    let run = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(ROOT)
        .output();
    let Some(run) = run.ok().filter(|run| run.status.success()) else {
        eprintln!("skipped: not a git checkout");
        return None;
    };
    let paths = String::from_utf8(run.stdout).expect("UTF-8 paths");
    Some(paths.lines().map(str::to_owned).collect())
}

#[test]
fn the_top_level_has_packages_docs_and_licences_only() {
    let Some(paths) = repository_files() else {
        return;
    };
    let tops = paths
        .iter()
        .map(|path| path.split('/').next().unwrap_or(path));
    let visible: BTreeSet<&str> = tops.filter(|top| !top.starts_with('.')).collect();
    assert_eq!(visible, BTreeSet::from(VISIBLE));
}

/// Returns the code spans of the contributing guide.
fn guide() -> Vec<String> {
    let guide = fs::read_to_string(Path::new(ROOT).join(".github/CONTRIBUTING.md"));
    let guide = guide.expect("a guide");
    let outside_blocks: String = guide.split("```").step_by(2).collect();
    let spans = outside_blocks.split('`').skip(1).step_by(2);
    spans.map(str::to_owned).collect()
}

/// Returns the folder that the guide must mention for a file: its package or its folder of tests, otherwise its
/// top-level folder.
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
fn the_contributing_guide_mentions_every_folder() {
    let Some(paths) = repository_files() else {
        return;
    };
    let folders = paths.iter().filter_map(|path| folder_of(path));
    // The only files directly in `tests` are manifests.
    let folders: BTreeSet<&str> = folders.filter(|folder| *folder != "tests").collect();
    let guide = guide();
    let is_named = |folder: &&&str| guide.iter().any(|span| span == **folder);
    let missing: Vec<&&str> = folders.iter().filter(|folder| !is_named(folder)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn paths_in_the_contributing_guide_exist() {
    let root = Path::new(ROOT);
    let guide = guide();
    let paths = guide
        .iter()
        .filter(|span| span.contains('/') && !span.contains([' ', '(']) && !span.contains("://"));
    let mut checked = 0;
    let mut gone = Vec::new();
    for path in paths {
        // For a path with a placeholder, check the folder above it.
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

/// Each test binary links the whole product, so a new subject is a folder in an existing binary.
#[test]
fn there_are_five_end_to_end_test_binaries() {
    let dir = fs::read_dir(Path::new(ROOT).join("tests/tests")).expect("a folder");
    let names = dir.map(|entry| entry.expect("an entry").file_name());
    let names: BTreeSet<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let expected = ["agents", "interface", "lint", "repository", "skills"];
    assert_eq!(names, BTreeSet::from(expected.map(str::to_owned)));
}

/// The security page backs its claims with tests, which must exist.
#[test]
fn tests_named_on_the_security_page_exist() {
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
