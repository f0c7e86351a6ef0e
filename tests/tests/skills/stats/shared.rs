//! Skills that share a log.

use std::fs;

use serde_json::json;
use skillc_tests::World;

use crate::stats::support::{forget, log_of, show, stats};

/// D-STATS-SHARED-DB, F-52: two directories of the same name outside every store share the project's runtime directory.
#[test]
fn rows_of_another_skill_with_the_same_name_do_not_count() {
    let world = World::project();
    let one = world.directory("one/demo", &[]);
    let two = world.directory("two/demo", &[]);
    show(&world, "SKILL.md", "One").of(&one).log();
    show(&world, "SKILL.md", "Two").of(&two).log_times(2);
    for (path, section, count) in [("one/demo", "One", 1), ("two/demo", "Two", 2)] {
        let output = world
            .skc(["stats", path, "--group-by", "sections", "-o", "json"])
            .success();
        assert_eq!(
            output.json()["data"],
            json!([{"section": section, "file": "SKILL.md", "count": count}])
        );
        forget(&log_of(&world));
    }
}

/// D-STATS-SHARED-DB: a moved skill keeps its history.
#[test]
fn rows_of_a_directory_that_is_no_longer_a_skill_count() {
    let world = World::demo(&[]);
    let old = world.directory("old/demo", &[]);
    let hollow = world.cwd.join("hollow/demo");
    fs::create_dir_all(&hollow).expect("a directory");
    show(&world, "a.md", "A").of(&old).log_times(4);
    show(&world, "a.md", "A").of(&hollow).log();
    show(&world, "a.md", "A")
        .of(&world.cwd.join("gone/demo"))
        .log();
    let total = || stats(&world, &[])["data"]["total_accesses"].clone();
    assert_eq!(total(), 2);
    fs::remove_dir_all(&old).expect("owned by this test");
    assert_eq!(total(), 6);
}

/// D-STATS-SHARED-DB: another path to the same directory is the same skill.
#[cfg(unix)]
#[test]
fn rows_with_a_symlink_to_the_skill_count() {
    let world = World::demo(&[]);
    let link = world.cwd.join("link");
    std::os::unix::fs::symlink(world.demo_source(), &link).expect("a link");
    show(&world, "a.md", "A").of(&link).log();
    assert_eq!(stats(&world, &[])["data"]["total_accesses"], 1);
}
