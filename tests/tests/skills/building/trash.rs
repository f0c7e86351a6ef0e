//! What `--force` replaces is kept, and the command says where.

use std::fs;

use skillc_tests::{Output, World, snapshot};

use crate::building::support::named;

/// Returns what is in the trash, by the warnings of a run.
fn kept(run: &Output) -> Vec<String> {
    let lines = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("warning[W070]"));
    let path = |line: &str| line.split('\'').nth(3).expect("a path").to_owned();
    lines.map(path).collect()
}

#[test]
fn a_directory_a_file_and_an_edited_copy_are_kept_when_a_build_takes_their_place() {
    let world = World::demo(&[]);
    let place = world.home.join(".claude/skills/demo");
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    world.directory("hand", &[("notes/a.md", "mine\n"), ("link", "x")]);
    let hand = snapshot(&world.cwd.join("hand"));
    fs::rename(world.cwd.join("hand"), &place).expect("moved");
    let run = world.skc(["build", "demo", "--force"]).success();
    let first = kept(&run);
    assert_eq!(first.len(), 1, "{run:?}");
    assert_eq!(snapshot(first[0].as_ref()), hand);
    assert!(place.join("SKILL.md").is_file());

    fs::remove_file(&place).expect("it was a link");
    fs::write(&place, "a file").expect("written");
    let run = world.skc(["build", "demo", "--force"]).success();
    let second = kept(&run);
    assert_eq!(
        fs::read_to_string(&second[0]).expect("it is kept"),
        "a file"
    );
    // Two of one name in the same second are both there.
    assert_ne!(first, second);

    // What skc made itself is not kept: it can be made again.
    assert!(kept(&world.skc(["build", "demo", "--force"]).success()).is_empty());
    let trash = world.home.join(".skillc/trash");
    assert_eq!(fs::read_dir(trash).expect("it is there").count(), 2);
}

#[test]
fn a_stored_skill_is_kept_when_an_import_takes_its_place() {
    let world = World::project();
    world.directory("v1", &[("SKILL.md", &named("tool")), ("old.md", "# Old\n")]);
    world.directory("v2", &[("SKILL.md", &named("tool"))]);
    assert!(kept(&world.skc(["build", "./v1"]).success()).is_empty());
    let run = world.skc(["build", "./v2", "--force"]).success();
    let kept = kept(&run);
    assert_eq!(
        snapshot(kept[0].as_ref()),
        snapshot(&world.cwd.join("v1")),
        "{run:?}"
    );
    assert_eq!(
        snapshot(&world.cwd.join(".skillc/skills/tool")),
        snapshot(&world.cwd.join("v2"))
    );
}

/// The user may have linked a skill of their own into the folder of an agent.
#[cfg(unix)]
#[test]
fn a_link_to_something_else_than_a_build_is_kept() {
    use std::os::unix::fs::symlink;

    let world = World::demo(&[]);
    world.directory("mine", &[("SKILL.md", "mine\n")]);
    let place = world.home.join(".claude/skills/demo");
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    symlink(world.cwd.join("mine"), &place).expect("a link");
    let run = world.skc(["build", "demo"]).success();
    let kept = kept(&run);
    assert_eq!(kept.len(), 1, "{run:?}");
    assert_eq!(
        fs::read_link(&kept[0]).expect("a link"),
        world.cwd.join("mine")
    );
    // A link to a build is ours.
    let again = world.skc(["build", "demo"]).success();
    assert!(!again.stderr.contains("W070"), "{again:?}");
}
