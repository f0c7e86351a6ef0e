//! Files that are too large to hash or copy. They are sparse, so creating them is cheap.

use std::fs::{self, File};
use std::path::Path;

use skillc_tests::World;

use crate::building::support::named;

const GIB: u64 = 1 << 30;

fn sparse(path: &Path, bytes: u64) {
    let file = File::create(path).expect("made");
    file.set_len(bytes).expect("a sparse file");
}

#[test]
fn a_file_too_large_to_hash_is_refused_at_once_and_named() {
    let world = World::built(&[("SKILL.md", &named("demo")), ("a.md", "# A\n\nneedle\n")]);
    let large = world.demo_source().join("data.bin");
    sparse(&large, 1 << 40);
    let refused = world.skc(["build", "demo"]);
    refused.code("E999");
    let message = format!("reading '{}': larger than 1 GiB", large.display());
    assert!(refused.stderr.contains(&message), "{refused:?}");
    assert!(
        refused.stderr.contains("out of the skill's folder"),
        "{refused:?}"
    );
    // Checking whether the build is up to date does not hash such a file either.
    world.skc(["search", "demo", "needle"]).code("E002");
    let listed = world.skc(["list", "--check-obsolete"]).success();
    assert!(listed.text().contains("obsolete"), "{listed:?}");
    for reads in [
        &["lint", "demo"][..],
        &["outline", "demo"],
        &["sources", "demo"],
    ] {
        let read = world.skc_at(&world.cwd, reads);
        assert!(!read.text().is_empty(), "{read:?}");
    }
    fs::remove_file(large).expect("removed");
    world.skc(["build", "demo"]).success();
    world.skc(["search", "demo", "needle"]).success();
}

#[test]
fn files_too_large_in_total_are_refused_and_the_last_is_named() {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    for name in ["1.bin", "2.bin", "3.bin", "4.bin"] {
        sparse(&world.demo_source().join(name), GIB);
    }
    let refused = world.skc(["build", "demo"]);
    refused.code("E999");
    let message = "the skill's files exceed 4 GiB in total";
    assert!(refused.stderr.contains("SKILL.md"), "{refused:?}");
    assert!(refused.stderr.contains(message), "{refused:?}");
}

/// Hidden files are copied as well, so their size counts. Repository history is not copied.
#[test]
fn an_import_too_large_is_refused_before_anything_is_copied() {
    for (file, bytes) in [("data.bin", 3 * GIB), (".cache/data.bin", 1 << 40)] {
        let world = World::project();
        let from = world.directory("it", &[("SKILL.md", &named("it"))]);
        let large = from.join(file);
        fs::create_dir_all(large.parent().expect("a folder")).expect("made");
        sparse(&large, bytes);
        let refused = world.skc(["build", "./it"]);
        refused.code("E999");
        let message = format!("reading '{}': larger than 1 GiB", large.display());
        assert!(refused.stderr.contains(&message), "{refused:?}");
        let stored = world.cwd.join(".skillc/skills").read_dir();
        assert_eq!(stored.map_or(0, Iterator::count), 0);
    }
    let world = World::project();
    let from = world.directory("it", &[("SKILL.md", &named("it")), (".git/HEAD", "x")]);
    sparse(&from.join(".git/pack"), 3 * GIB);
    world.skc(["build", "./it"]).success();
}

/// Every row of the index contains the path of its file, so the index would become too large.
#[test]
fn a_file_with_a_long_path_and_many_sections_is_indexed_as_plain_text() {
    let folders = format!("{}/", "d".repeat(250)).repeat(12);
    let rows = |count: usize| format!("name\n{}", "needle\n".repeat(count));
    let path = format!("{folders}rows.csv");
    let world = World::built(&[("SKILL.md", &named("demo")), (&path, &rows(5_000))]);
    let built = || world.skc(["build", "demo"]).success();
    assert!(!built().stderr.contains("W025"));
    fs::write(world.demo_source().join(&path), rows(9_000)).expect("written");
    let reason = "it has 9000 sections; with a path this long, at most";
    for _ in 0..2 {
        // The second build tries again, because only a new attempt shows whether the reason still applies.
        let built = built();
        assert!(built.stderr.contains("W025"), "{built:?}");
        assert!(built.stderr.contains(reason), "{built:?}");
    }
    let found = world.skc(["search", "demo", "needle", "--format", "json"]);
    let found = found.success().json();
    assert_eq!(found["results"].as_array().map(Vec::len), Some(1));
}
