//! Roots that are missing, unreadable, or given as options.

use std::fs;

use skillc_tests::World;

use crate::registry::support::{
    counts, db, get, listed, project, registry, sync, warnings, with, write,
};

/// Case: load, missing root. REG-LOAD.8.
#[test]
fn without_any_root_counts_are_zero_and_rows_are_kept() {
    let world = with(&["a"]);
    sync(&world);
    fs::rename(world.cwd.join(".agents"), world.cwd.join("away")).expect("moved");
    let synced = sync(&world);
    assert_eq!(counts(&synced), [0, 0, 0, 0]);
    let first = world.cwd.join(".skillc/skills");
    let expected = format!("skills root missing: '{}'", first.display());
    assert_eq!(warnings(&synced, "W062"), [expected]);
    assert_eq!(synced.stderr.lines().count(), 1);
    assert_eq!(listed(&world, &[]), "a");
}

/// REG-LOAD.8.
#[test]
fn a_new_user_without_skills_gets_an_empty_list_and_no_database() {
    let world = project();
    let list = world.skc(["registry", "list"]).success();
    let hint = "No skills in the skill registry. Update it: skc registry sync\n";
    assert_eq!(list.text(), hint);
    assert_eq!(warnings(&list, "W062").len(), 1);
    assert!(!db(&world).exists());
    let missed = registry(&world, &["get", "a"]);
    assert!(!missed.ok && missed.stderr.contains("error[E001]: skill 'a' not found"));
}

/// REG-LOAD.11: an empty root deletes the rows, but a missing root keeps them.
#[test]
fn an_empty_root_empties_the_table() {
    let world = with(&["a"]);
    sync(&world);
    fs::remove_dir_all(world.cwd.join(".agents/skills/a")).expect("removed");
    let synced = sync(&world);
    assert_eq!((counts(&synced), &*synced.stderr), ([0, 0, 1, 0], ""));
    assert_eq!(listed(&world, &[]), "");
}

/// REG-LOAD.9.
#[test]
fn a_root_that_is_not_a_directory_is_an_error_and_changes_nothing() {
    let world = with(&["a"]);
    sync(&world);
    let before = fs::read(db(&world)).expect("a file");
    let skills = world.cwd.join(".agents/skills");
    fs::remove_dir_all(&skills).expect("removed");
    fs::write(&skills, "").expect("a file");
    let refused = registry(&world, &["sync"]);
    refused.error(&format!(
        "error[E999]: listing '{}': not a directory",
        skills.display()
    ));
    assert!(
        refused
            .stderr
            .contains("The skill registry was not changed.")
    );
    assert!(fs::read(db(&world)).expect("a file") == before);
}

/// REG-LOAD.9, REG-LOAD.5.
#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_root_is_not_treated_as_missing() {
    use crate::registry::support::PROGRAM;
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    let world = with(&["a", "b"]);
    sync(&world);
    let sync = ["registry", "sync", "-o", "json"];
    let closed = Unreadable::new(world.cwd.join(".agents/skills"));
    if let Some(refused) = run_without_privilege(&world, PROGRAM, &sync) {
        refused.code("E999");
        assert!(refused.stderr.contains("permission denied"), "{refused:?}");
    }
    drop(closed);
    assert_eq!(listed(&world, &[]), "a,b");
    let _closed = Unreadable::new(world.cwd.join(".agents/skills/a/SKILL.md"));
    if let Some(synced) = run_without_privilege(&world, PROGRAM, &sync) {
        assert_eq!(counts(&synced.success()), [1, 1, 1, 2]);
        assert_eq!(listed(&world, &[]), "b");
    }
}

/// REG-LOAD.16.
#[test]
fn roots_can_be_given_relative_to_the_working_directory() {
    let world = with(&["elsewhere"]);
    let text = |says: &str| format!("---\nname: x\ndescription: {says}\n---\n");
    write(&world.cwd.join("one/x/SKILL.md"), text("one"));
    write(&world.cwd.join("two/x/SKILL.md"), text("two"));
    let db = world.cwd.join("my.db");
    let args = ["sync", "--root", "two", "--root", "./one", "--db", "my.db"];
    let synced = registry(&world, &args).success();
    assert_eq!(counts(&synced), [2, 0, 0, 2]);
    assert_eq!(synced.json()["db"], db.to_str().expect("a text"));
    assert_eq!(listed(&world, &["--db", "my.db"]), "x");
    let row = registry(&world, &["get", "x", "--db", "my.db"])
        .success()
        .json();
    assert_eq!(row["description"], "two");
    assert_eq!(row["source_path"], "two/x/SKILL.md");
}

/// REG-LOAD.16, REG-LOAD.8.
#[test]
fn each_missing_root_option_is_reported() {
    let world = with(&["a"]);
    let synced = registry(
        &world,
        &["sync", "--root", ".agents/skills", "--root", "none"],
    )
    .success();
    assert_eq!(counts(&synced), [1, 0, 0, 1]);
    let expected = format!(
        "skills root missing: '{}'",
        world.cwd.join("none").display()
    );
    assert_eq!(warnings(&synced, "W062"), [expected]);
    let synced = registry(&world, &["sync", "--root", "none"]).success();
    assert_eq!(counts(&synced), [0, 0, 0, 0]);
}

/// REG-DB.5: the skill is neither below the root nor below the home directory.
#[test]
fn a_skill_from_elsewhere_has_its_absolute_path() {
    let world = project();
    let other = World::new();
    let path = write(
        &other.cwd.join("x/SKILL.md"),
        "---\nname: x\ndescription: d\n---\n",
    );
    let root = other.cwd.to_str().expect("a text");
    registry(&world, &["sync", "--root", root, "--db", "x.db"]).success();
    let row = registry(&world, &["get", "x", "--db", "x.db"])
        .success()
        .json();
    assert_eq!(row["source_path"], path.to_str().expect("a text"));
    assert_eq!(get_missing(&world), "error[E001]: skill 'x' not found");
}

fn get_missing(world: &World) -> String {
    let missed = registry(world, &["get", "x"]);
    let mut lines = missed
        .stderr
        .lines()
        .filter(|line| line.starts_with("error"));
    lines.next().expect("an error").to_owned()
}

#[test]
fn each_directory_has_its_own_rows() {
    let mut world = with(&["a"]);
    sync(&world);
    let root = world.cwd.clone();
    write(
        &root.join("in/.agents/skills/b/SKILL.md"),
        "---\nname: b\ndescription: d\n---\n",
    );
    world.cwd = root.join("in");
    sync(&world);
    assert_eq!(listed(&world, &[]), "a,b");
    world.cwd = root;
    assert_eq!(listed(&world, &[]), "a");
    assert_eq!(get(&world, "a")["name"], "a");
}
