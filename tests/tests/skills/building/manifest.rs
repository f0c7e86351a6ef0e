//! The manifest and the source hash.

use std::fs::{self, File};
use std::time::{Duration, UNIX_EPOCH};

use skillc_core::hash::Sha;
use skillc_tests::World;

use crate::building::support::{manifest, named, source_hash, write};

/// C-MANIFEST.1, D-STUB-NAME.
#[test]
fn the_manifest_records_source_content_and_time_of_the_build() {
    let world = World::demo(&[("SKILL.md", &named("Other Name"))]);
    world.skc(["build", "demo"]).success();
    let manifest = manifest(&world.demo_runtime());
    assert_eq!(manifest["skill"], "Other Name");
    assert_eq!(manifest["version"], 1);
    assert_eq!(manifest["built_at"], "2026-01-31T08:15:00Z");
    let hash = manifest["source_hash"].as_str().expect("a text");
    assert_eq!(hash.len(), 64);
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    assert!(hash.chars().all(is_digit), "{hash}");
}

/// D-MANIFEST-PATH, C-OUTPUT.1.
#[test]
fn the_manifest_is_written_twice_and_only_the_first_is_read() {
    let world = World::built(&[]);
    let first = world.demo_runtime().join(".skillc-meta/manifest.json");
    let second = world.demo_runtime().join(".skillc/manifest.json");
    assert_eq!(fs::read(&first).ok(), fs::read(&second).ok());
    assert!(first.is_file());

    fs::write(&second, "not JSON").expect("a file");
    world.skc(["search", "demo", "hello"]).success();
    world.skc(["build", "demo"]).success();
    assert_eq!(
        fs::read(&first).ok(),
        fs::read(&second).ok(),
        "recreated by the next build"
    );
}

/// D-MANIFEST-PATH.
#[test]
fn a_runtime_directory_is_not_a_project() {
    let world = World::built(&[]);
    let outside = world.directory("elsewhere/extra", &[("SKILL.md", &named("extra"))]);
    let outside = outside.to_str().expect("a plain path");
    let runtime = world.demo_runtime();
    world.skc_at(&runtime, &["build", outside]).success();
    assert!(world.cwd.join(".skillc/skills/extra/SKILL.md").is_file());
    assert!(!runtime.join(".skillc/skills").exists());
}

/// C-MANIFEST.2, D-HASH-ENCODING, D-WALK.
#[test]
fn the_source_hash_is_over_the_sorted_visible_files() {
    let main = named("demo");
    // In bytewise order, `a-b` comes before `a/b`, which comes before `a0`. Neither the order of the walk nor sorting
    // by path components gives this order.
    let world = World::built(&[
        ("a/b.md", "1"),
        ("a-b.md", "2"),
        ("a0.bin", "3"),
        ("\u{e9}.txt", "4"),
        ("SKILL.md", &main),
        (".hidden", "no"),
        (".git/config", "no"),
        ("a/.cache/x.md", "no"),
    ]);
    let mut listed = String::new();
    for (path, text) in [
        ("SKILL.md", main.as_str()),
        ("a-b.md", "2"),
        ("a/b.md", "1"),
        ("a0.bin", "3"),
        ("\u{e9}.txt", "4"),
    ] {
        listed += &format!("{path}\0{}\n", Sha::digest(text.as_bytes()));
    }
    assert_eq!(
        source_hash(&world),
        Sha::digest(listed.as_bytes()).to_string()
    );
}

/// C-MANIFEST.3.
#[test]
fn every_change_to_a_covered_file_changes_the_hash() {
    let world = World::demo(&[("a.md", "# A\n"), ("data.bin", "x")]);
    let at = |path: &str| world.demo_source().join(path);
    let mut seen = Vec::new();
    let mut build = |what: &str| {
        world.skc(["build", "demo"]).success();
        let hash = source_hash(&world);
        assert!(!seen.contains(&hash), "{what}");
        seen.push(hash);
    };
    build("first");
    write(&world, "data.bin", "y");
    build("content");
    write(&world, "sub/new.txt", "");
    build("addition");
    fs::rename(at("sub/new.txt"), at("sub/other.txt")).expect("renamed");
    build("renaming");
    fs::rename(at("sub"), at("sub2")).expect("renamed");
    build("renaming of a directory");
    fs::remove_file(at("a.md")).expect("removed");
    build("removal");
}

/// C-MANIFEST.3, G-PUBLISH.3, CL.2.
#[test]
fn the_hash_ignores_times_modes_and_hidden_files() {
    let world = World::built(&[("a.md", "# A\n")]);
    let hash = source_hash(&world);
    let same = |what: &str| {
        world.skc(["build", "demo"]).success();
        assert_eq!(source_hash(&world), hash, "{what}");
    };
    let file = File::options()
        .append(true)
        .open(world.demo_source().join("a.md"))
        .expect("a file");
    file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000))
        .expect("a time");
    same("time");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = PermissionsExt::from_mode(0o755);
        fs::set_permissions(world.demo_source().join("a.md"), mode).expect("a mode");
        same("mode");
    }
    for path in [
        ".git/HEAD",
        ".git/x/SKILL.md",
        ".jj/repo/a.md",
        ".env",
        "sub/.DS_Store",
    ] {
        write(&world, path, "# Hidden\n");
        same(path);
    }
    // The project's `.skillc` may be a repository as well.
    fs::create_dir_all(world.cwd.join(".skillc/.git/objects")).expect("a directory");
    same(".skillc/.git");
    let list = world.skc(["list", "-o", "json"]).success().json();
    assert_eq!(list["total"], 1);
    let found = world
        .skc(["search", "demo", "hidden", "-o", "json"])
        .success();
    assert_eq!(found.json()["results"], serde_json::json!([]));
}

/// C-MANIFEST.3.
#[test]
fn the_same_tree_elsewhere_has_the_same_hash() {
    let files = [("a.md", "# A\n"), ("b/c.txt", "c")];
    let (one, other) = (World::built(&files), World::built(&files));
    assert_ne!(one.cwd, other.cwd);
    assert_eq!(source_hash(&one), source_hash(&other));
}

/// C-MANIFEST.4.
#[test]
fn readers_ignore_unknown_fields() {
    let world = World::built(&[]);
    let path = world.demo_runtime().join(".skillc-meta/manifest.json");
    let mut changed = manifest(&world.demo_runtime());
    changed["signature"] = serde_json::json!({"by": ["someone"]});
    fs::write(&path, changed.to_string()).expect("a file");
    world.skc(["search", "demo", "hello"]).success();
    let list = world.skc(["list", "-o", "json"]).success().json();
    assert_eq!(list["skills"][0]["status"], "normal");
}
