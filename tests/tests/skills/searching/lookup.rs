//! Where the index of a skill is looked up.

use std::fs;

use skillc_tests::{World, index_in, snapshot};

use crate::searching::support::{UNUSABLE, build, is_usable, search, write};

/// D-GLOBAL-LOOKUP, F-13.
#[test]
fn a_project_skill_built_to_the_global_runtime_is_found_there() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "--global"]).success();
    assert!(snapshot(&world.demo_runtime()).is_empty());
    is_usable(&world, "built to the global runtime");
}

/// D-GLOBAL-LOOKUP.
#[test]
fn the_project_runtime_takes_precedence_over_the_global_one() {
    let world = World::built(&[]);
    write(&world, "new.txt", "fresh");
    world.skc(["build", "demo", "--global"]).success();
    search(&world).error(UNUSABLE);
    fs::remove_file(world.demo_index()).expect("the index of the project");
    is_usable(&world, "only the global index is left");
}

/// C-INDEX.12.
#[test]
fn after_a_build_search_works_with_the_same_name_and_directory() {
    let world = World::demo(&[]);
    world.global_skill("wide", &[]);
    let deep = world.cwd.join("a/b");
    fs::create_dir_all(&deep).expect("it is creatable");
    let by_path = world.demo_source();
    for skill in [
        "demo",
        "wide",
        "../../.skillc/skills/demo",
        by_path.to_str().expect("UTF-8"),
    ] {
        for dir in [&deep, &world.cwd] {
            if skill.starts_with("..") && *dir == world.cwd {
                continue;
            }
            let built = world.skc_at(dir, &["build", skill]).success();
            let found = world.skc_at(dir, &["search", skill, "hello"]).success();
            assert!(
                found.text().starts_with("SKILL.md#Demo "),
                "{skill}: {built:?}"
            );
        }
    }
}

/// C-INDEX.12.
#[cfg(unix)]
#[test]
fn a_symlink_in_the_store_is_searched_by_its_own_name() {
    let world = World::project();
    let target = world.directory("elsewhere", &[]);
    std::os::unix::fs::symlink(&target, world.demo_source()).expect("a link");
    build(&world);
    assert!(index_in(&world.demo_runtime(), &target).is_file());
    is_usable(&world, "a linked skill");
}

/// C-INDEX.11, C-INDEX.12.
#[test]
fn skills_with_one_name_share_a_runtime_directory_without_conflict() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "--global"]).success();
    let first = index_in(
        &world.home.join(".skillc/runtime/demo"),
        &world.demo_source(),
    );
    let before = fs::read(&first).expect("the index");
    let other = world.global_skill("demo", &[("other.txt", "zebra")]);
    world.skc_at(&world.home, &["build", "demo"]).success();
    assert!(index_in(&world.home.join(".skillc/runtime/demo"), &other).is_file());
    assert_eq!(fs::read(&first).expect("still exists"), before);
}
