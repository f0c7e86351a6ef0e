//! Tests the limits on the depth and width of a scan, with hostile directory trees.

use std::fs;

use skillc_catalog::Audience;

use crate::support::{World, configure, names, skill, write};

/// CAT-DISC.21: directories on the seventh level are not entered.
#[test]
fn a_scan_goes_six_levels_deep() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("1/2/3/4/5/six"));
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["six"]);
    assert!(!catalog.found().truncated);

    skill(root.join("1/2/3/4/5/six/seven"));
    let (catalog, notices) = world.read();
    assert_eq!(names(&catalog), ["six"]);
    assert!(catalog.found().truncated);
    assert!(catalog.passed_on(Audience::Model).truncated);
    let expected = format!(
        "warning[W064]: catalog truncated at '{}': max_depth = 6",
        root.join("1/2/3/4/5/six/seven").display()
    );
    assert_eq!(notices, [expected]);
}

/// CAT-DISC.21: directories are entered level by level, sorted by name, up to the limit.
#[test]
fn a_scan_enters_a_bounded_number_of_directories_per_root() {
    let world = World::new();
    configure(&world.home, "[catalog]\nmax_dirs = 3\n");
    let root = world.repo.join(".agents/skills");
    for name in ["d", "b", "a/x"] {
        skill(root.join(name));
    }
    skill(world.home.join(".agents/skills/other"));
    let (catalog, notices) = world.read();
    assert_eq!(names(&catalog), ["b", "d", "other"]);
    assert!(catalog.found().truncated);
    let expected = format!(
        "warning[W064]: catalog truncated at '{}': max_dirs = 3",
        root.join("a/x").display()
    );
    assert_eq!(notices, [expected]);

    configure(&world.home, "[catalog]\nmax_dirs = 4\n");
    assert_eq!(world.names(), ["b", "d", "x", "other"]);
}

/// CAT-DISC.21: if there are too many directories, those whose names sort first are entered.
#[test]
fn a_directory_may_have_any_number_of_directories() {
    let world = World::new();
    configure(&world.home, "[catalog]\nmax_dirs = 2\n");
    let root = world.repo.join(".agents/skills");
    for number in (0..30).rev() {
        skill(root.join(format!("s{number:02}")));
    }
    let (catalog, notices) = world.read();
    assert_eq!(names(&catalog), ["s00", "s01"]);
    assert!(catalog.found().truncated);
    assert_eq!(notices.len(), 1);
    assert!(notices[0].ends_with(": max_dirs = 2"), "{notices:?}");
}

/// Hidden directories and `node_modules` are skipped, and do not mark the scan as truncated.
#[test]
fn hidden_directories_and_node_modules_are_not_entered() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    for name in [
        ".hidden/x",
        "node_modules/y",
        "a/.git/z",
        "a/node_modules/z",
    ] {
        skill(root.join(name));
    }
    assert_eq!(world.names(), [""; 0]);
}

/// All errors are counted, but only a limited number of them are listed.
#[test]
fn many_invalid_skills_are_listed_up_to_a_bound() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    for number in 0..1_100 {
        let dir = root.join(format!("s{number}"));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("SKILL.md"), "# no\n").unwrap();
    }
    skill(root.join("good"));
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["good"]);
    assert_eq!(catalog.found().errors.len(), 1_100);
    let json = serde_json::to_value(catalog.passed_on(Audience::Model)).unwrap();
    assert_eq!(json["errors"].as_array().unwrap().len(), 1_000);
    assert_eq!(json["error_count"], 1_100);
    let first = root.join("s0/SKILL.md");
    assert_eq!(json["errors"][0]["path"], first.to_str().unwrap());
}

/// CAT-DISC.17: with few errors, there is no separate count of errors.
#[test]
fn a_catalog_serializes_as_skills_errors_and_truncated() {
    let world = World::new();
    let file = write(&world.repo.join(".agents/skills/b/SKILL.md"), "");
    let json = serde_json::to_value(world.catalog().passed_on(Audience::Model)).unwrap();
    let expected = serde_json::json!({
        "skills": [], "errors": [{"path": file, "message": "no frontmatter"}], "truncated": false,
    });
    assert_eq!(json, expected);
}
