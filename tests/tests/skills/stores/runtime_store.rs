//! The runtime directory of a source.

use std::fs;

use skillc_tests::database::meta;
use skillc_tests::{World, index_in, snapshot};

use crate::stores::support::{column, entries, skill};

/// D-RUNTIME-STORE, C-RESOLUTION@7.4.
#[test]
fn a_project_skill_is_built_in_its_project_even_from_a_nested_one() {
    let world = World::demo(&[]);
    let inner = world.cwd.join("inner");
    fs::create_dir_all(inner.join(".skillc/skills")).unwrap();
    let run = world
        .skc_at(&inner, &["build", "demo", "-o", "json"])
        .success();
    let runtime = world.demo_runtime();
    assert_eq!(run.json()["runtime"], runtime.to_str().unwrap());
    assert!(runtime.join("SKILL.md").is_file());
    assert_eq!(entries(&inner.join(".skillc")), ["skills"]);
    world.skc_at(&inner, &["search", "demo", "hello"]).success();
}

/// D-RUNTIME-STORE.
#[test]
fn a_global_skill_is_built_globally_even_inside_a_project() {
    let world = World::project();
    world.global_skill("demo", &[]);
    world.skc(["build", "demo"]).success();
    assert!(world.home.join(".skillc/runtime/demo/SKILL.md").is_file());
    assert_eq!(
        entries(&world.cwd.join(".skillc")),
        [".gitignore", "skills"]
    );
    world.skc(["search", "demo", "hello"]).success();
    let list = world.skc(["list", "-o", "json"]);
    let runtime = world.home.join(".skillc/runtime/demo");
    assert_eq!(column(&list, "runtime_path"), [runtime.to_string_lossy()]);
    assert_eq!(column(&list, "status"), ["normal"]);
}

/// D-RUNTIME-STORE.
#[test]
fn a_skill_given_by_path_belongs_to_the_project_of_its_store() {
    let world = World::project();
    let other = world.directory("../other/.skillc/skills/demo", &[]);
    world
        .skc(["build", "../other/.skillc/skills/demo"])
        .success();
    let runtime = other.join("../../runtime/demo/SKILL.md");
    assert!(runtime.is_file());
    assert_eq!(
        entries(&world.cwd.join(".skillc")),
        [".gitignore", "skills"]
    );
    world
        .skc(["search", "../other/.skillc/skills/demo", "hello"])
        .success();
}

/// D-RUNTIME-STORE.
#[test]
fn a_path_outside_every_store_uses_the_runtime_of_the_working_directory() {
    let index = |world: &World| {
        let run = world.skc(["search", "dev/plain", "hello", "--verbose"]);
        assert!(run.stderr.contains("\nerror[E002]: "), "{run:?}");
        run.stderr
    };
    let world = World::project();
    world.directory("dev/plain", &[]);
    let here = world.cwd.join(".skillc/runtime/plain/.skillc-meta/search-");
    assert!(index(&world).contains(here.to_str().unwrap()));

    let world = World::new();
    world.directory("dev/plain", &[]);
    let there = world
        .home
        .join(".skillc/runtime/plain/.skillc-meta/search-");
    assert!(index(&world).contains(there.to_str().unwrap()));
}

/// C-RESOLUTION@7.4.
#[test]
fn sources_with_one_name_share_a_runtime_with_separate_indexes() {
    let world = World::project();
    let project = world.project_skill("demo", &[("SKILL.md", &skill("demo", "one place"))]);
    let global = world.global_skill("demo", &[("SKILL.md", &skill("demo", "two places"))]);
    world.skc(["build", "demo", "--global"]).success();
    let elsewhere = world.cwd.parent().unwrap();
    world.skc_at(elsewhere, &["build", "demo"]).success();
    let runtime = world.home.join(".skillc/runtime/demo");
    for source in [project, global] {
        let path = meta(&index_in(&runtime, &source), "skill_path");
        assert_eq!(path.as_deref(), source.to_str());
    }
    let found = world
        .skc_at(elsewhere, &["search", "demo", "two"])
        .success();
    assert!(found.text().contains("two"), "{found:?}");
    assert!(snapshot(&world.cwd.join(".skillc/runtime")).is_empty());
}
