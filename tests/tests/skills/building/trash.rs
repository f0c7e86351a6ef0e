//! Entries replaced by `--force` are moved to the trash, and the command prints the path.

use std::fs;

use skillc_tests::{Output, World, snapshot};

use crate::building::support::named;

/// Returns the trashed paths named in the warnings of a run.
fn trash_paths(run: &Output) -> Vec<String> {
    let lines = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("warning[W070]"));
    let path = |line: &str| line.split('\'').nth(3).expect("a path").to_owned();
    lines.map(path).collect()
}

#[test]
fn directories_files_and_edited_copies_replaced_by_a_build_are_kept() {
    let world = World::demo(&[]);
    let place = world.home.join(".claude/skills/demo");
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    world.directory("hand", &[("notes/a.md", "mine\n"), ("link", "x")]);
    let hand = snapshot(&world.cwd.join("hand"));
    fs::rename(world.cwd.join("hand"), &place).expect("moved");
    let run = world.skc(["build", "demo", "--force"]).success();
    let first = trash_paths(&run);
    assert_eq!(first.len(), 1, "{run:?}");
    assert_eq!(snapshot(first[0].as_ref()), hand);
    assert!(place.join("SKILL.md").is_file());

    fs::remove_file(&place).expect("it was a symlink");
    fs::write(&place, "a file").expect("written");
    let run = world.skc(["build", "demo", "--force"]).success();
    let second = trash_paths(&run);
    assert_eq!(
        fs::read_to_string(&second[0]).expect("it is in the trash"),
        "a file"
    );
    // If two entries with the same name are moved to the trash in the same second, both are kept.
    assert_ne!(first, second);

    // skc's own output is not moved to the trash, because a build can recreate it.
    assert!(trash_paths(&world.skc(["build", "demo", "--force"]).success()).is_empty());
    let trash = world.home.join(".skillc/trash");
    assert_eq!(fs::read_dir(trash).expect("exists").count(), 2);
}

/// In user scope, a build replaces a copy of the skill's own stub. If the copy was edited, it is moved to the trash.
#[test]
fn an_edited_copy_replaced_without_force_is_kept() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "--copy"]).success();
    let stub = world.home.join(".claude/skills/demo/SKILL.md");
    let run = world.skc(["build", "demo", "--copy"]).success();
    assert!(trash_paths(&run).is_empty(), "{run:?}");
    let edited = fs::read_to_string(&stub).expect("a stub") + "\nMy own note.\n";
    fs::write(&stub, &edited).expect("written");
    let run = world.skc(["build", "demo", "--copy"]).success();
    let kept = trash_paths(&run);
    assert_eq!(kept.len(), 1, "{run:?}");
    let kept = fs::read_to_string(format!("{}/SKILL.md", kept[0])).expect("kept");
    assert_eq!(kept, edited);
    assert!(
        !fs::read_to_string(&stub)
            .expect("a stub")
            .contains("My own note")
    );
}

#[test]
fn a_stored_skill_replaced_by_an_import_is_kept() {
    let world = World::project();
    world.directory("v1", &[("SKILL.md", &named("tool")), ("old.md", "# Old\n")]);
    world.directory("v2", &[("SKILL.md", &named("tool"))]);
    assert!(trash_paths(&world.skc(["build", "./v1"]).success()).is_empty());
    let run = world.skc(["build", "./v2", "--force"]).success();
    let trash_paths = trash_paths(&run);
    assert_eq!(
        snapshot(trash_paths[0].as_ref()),
        snapshot(&world.cwd.join("v1")),
        "{run:?}"
    );
    assert_eq!(
        snapshot(&world.cwd.join(".skillc/skills/tool")),
        snapshot(&world.cwd.join("v2"))
    );
}

/// The user may have symlinked another skill into an agent's folder.
#[cfg(unix)]
#[test]
fn a_foreign_symlink_is_kept() {
    use std::os::unix::fs::symlink;

    let world = World::demo(&[]);
    world.directory("mine", &[("SKILL.md", "mine\n")]);
    let place = world.home.join(".claude/skills/demo");
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    symlink(world.cwd.join("mine"), &place).expect("a link");
    let run = world.skc(["build", "demo"]).success();
    let trash_paths = trash_paths(&run);
    assert_eq!(trash_paths.len(), 1, "{run:?}");
    assert_eq!(
        fs::read_link(&trash_paths[0]).expect("a link"),
        world.cwd.join("mine")
    );
    // A symlink to a build is skc's own output.
    let again = world.skc(["build", "demo"]).success();
    assert!(!again.stderr.contains("W070"), "{again:?}");
}
