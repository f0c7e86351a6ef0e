//! Copies instead of symlinks.

use std::fs;

use skillc_tests::{World, snapshot};

use crate::building::support::{files_below, named, stub, write};

/// C-DEPLOYMENT.6, D-COPY-CONTENT.
#[test]
fn a_copy_is_a_directory_of_stub_and_manifests_without_index_and_logs() {
    let world = World::demo(&[("a.md", "# A\n")]);
    fs::create_dir_all(world.demo_runtime().join(".skillc-meta")).expect("directories");
    fs::write(world.demo_runtime().join(".skillc-meta/logs.db"), "private").expect("a file");
    world.skc(["build", "demo", "--copy"]).success();
    let place = world.home.join(".claude/skills/demo");
    assert!(!place.is_symlink() && place.is_dir());
    let expected = [
        ".skillc-meta/manifest.json",
        ".skillc/manifest.json",
        "SKILL.md",
    ];
    let mut found = files_below(&place);
    found.sort();
    assert_eq!(found, expected);
    for file in expected {
        let there = fs::read(place.join(file)).expect("a file");
        assert_eq!(
            there,
            fs::read(world.demo_runtime().join(file)).expect("a file")
        );
    }
}

/// D-DEPLOY-CONFLICT, C-DEPLOYMENT.6.
#[test]
fn our_own_copy_is_replaced_without_force_by_a_copy_or_a_symlink() {
    let world = World::demo(&[]);
    let place = world.home.join(".claude/skills/demo");
    world.skc(["build", "demo", "--copy"]).success();
    write(
        &world,
        "SKILL.md",
        &named("demo").replace("A skill.", "Newer."),
    );
    world.skc(["build", "demo", "--copy"]).success();
    assert!(fs::read_to_string(place.join("SKILL.md")).is_ok_and(|text| text.contains("Newer.")));
    assert_eq!(
        fs::read_to_string(place.join("SKILL.md")).ok(),
        Some(stub(&world))
    );
    world.skc(["build", "demo"]).success();
    assert!(place.is_symlink());
    world.skc(["build", "demo", "--copy"]).success();
    assert!(!place.is_symlink() && place.join("SKILL.md").is_file());
    let names: Vec<_> = fs::read_dir(world.home.join(".claude/skills"))
        .expect("a directory")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(names, ["demo"]);
}

/// D-DEPLOY-CONFLICT.
#[test]
fn copies_of_other_skills_and_builds_of_other_stores_are_not_ours() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "--copy"]).success();
    write(&world, "SKILL.md", &named("renamed"));
    world.skc(["build", "demo", "--copy"]).code("E999");

    let world = World::demo(&[]);
    world.global_skill("demo", &[]);
    let global = world.home.join(".skillc/skills/demo");
    world
        .skc(["build", global.to_str().expect("a plain path")])
        .success();
    let before = snapshot(&world.home);
    world
        .skc(["build", "demo", "--target", "~/.skillc/runtime"])
        .code("E999");
    assert_eq!(snapshot(&world.home), before);
}
