//! When a readable index is not used.

use std::fs::{self, File};
use std::time::SystemTime;

use skillc_tests::{World, database, snapshot};

use crate::searching::support::{
    UNUSABLE, build, files, is_unusable, is_usable, search, show, write,
};

fn set(world: &World, key: &str, value: &str) {
    let sql = format!("UPDATE index_meta SET value = '{value}' WHERE key = '{key}'");
    database::change(&world.demo_index(), &sql);
}

/// D-STALE, F-09, C-INDEX.8.
#[test]
fn every_change_to_the_files_makes_the_index_stale() {
    type Change = fn(&World);
    let changes: [(&str, Change); 4] = [
        ("edited", |world| write(world, "a.txt", "other text")),
        ("added", |world| write(world, "new.py", "pass")),
        ("removed", |world| {
            fs::remove_file(world.demo_source().join("a.txt")).expect("exists");
        }),
        ("renamed", |world| {
            let path = world.demo_source().join("a.txt");
            fs::rename(&path, path.with_extension("text")).expect("exists");
        }),
    ];
    for (case, change) in changes {
        let world = World::built_at_home(&[("a.txt", "some text")]);
        is_usable(&world, case);
        change(&world);
        is_unusable(&world, case);
        build(&world);
        is_usable(&world, case);
    }
}

/// D-STALE, F-09.
#[test]
fn an_edit_that_keeps_size_and_time_is_noticed() {
    let world = World::built_at_home(&[("a.txt", "some text")]);
    let path = world.demo_source().join("a.txt");
    let before = path
        .metadata()
        .and_then(|metadata| metadata.modified())
        .expect("a time");
    fs::write(&path, "SOME TEXT").expect("writable");
    set_time(&path, before);
    is_unusable(&world, "same size and time");
}

/// D-STALE: staleness depends on content, not on the modification time.
#[test]
fn a_touch_or_a_hidden_file_does_not_make_the_index_stale() {
    let world = World::built_at_home(&[("a.txt", "some text")]);
    set_time(&world.demo_source().join("a.txt"), SystemTime::UNIX_EPOCH);
    write(&world, ".git/HEAD", "ref");
    write(&world, ".notes.md", "# Hidden\n");
    is_usable(&world, "touched");
}

fn set_time(path: &std::path::Path, time: SystemTime) {
    File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.set_modified(time))
        .expect("the time can be set");
}

/// D-STALE, F-09, C-INDEX.8.
#[test]
fn without_its_manifest_an_index_is_stale() {
    let world = World::built_at_home(&[]);
    let manifest = world.demo_runtime().join(".skillc-meta/manifest.json");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    for (case, damaged) in [
        ("empty", String::new()),
        ("no JSON", "{".to_owned()),
        (
            "of another build",
            text.replace("\"source_hash\": \"", "\"source_hash\": \"0"),
        ),
    ] {
        fs::write(&manifest, damaged).expect("writable");
        is_unusable(&world, case);
    }
    fs::remove_file(&manifest).expect("exists");
    is_unusable(&world, "missing");
    build(&world);
    is_usable(&world, "built again");
}

/// C-INDEX.8, C-INDEX.13, C-INDEX.7.
#[test]
fn hash_schema_and_tokenizer_must_match() {
    let world = World::built_at_home(&[]);
    for (key, value) in [
        ("source_hash", "0000"),
        ("schema_version", "1"),
        ("schema_version", "0"),
        ("schema_version", "-2"),
        ("tokenizer", "unicode61"),
        ("tokenizer", "trigram"),
    ] {
        set(&world, key, value);
        is_unusable(&world, &format!("{key} = {value}"));
        build(&world);
        is_usable(&world, &format!("{key} = {value}, built again"));
        assert_ne!(
            database::meta(&world.demo_index(), key).as_deref(),
            Some(value)
        );
    }
}

/// C-INDEX.8.
#[test]
fn a_newer_schema_is_not_stale() {
    let world = World::built_at_home(&[]);
    set(&world, "schema_version", "3");
    is_usable(&world, "schema 3");
}

/// C-INDEX.7.
#[test]
fn a_collision_ranks_above_staleness_and_below_damage() {
    let world = World::built_at_home(&[]);
    set(&world, "schema_version", "1");
    set(&world, "skill_path", "/another/skill");
    search(&world).code("E003");
    show(&world).code("E003");
    set(&world, "schema_version", "x");
    is_unusable(&world, "damaged and of another directory");
}

/// C-TOKENIZER.2.
#[test]
fn switching_the_tokenizer_requires_a_build() {
    let mut world = World::built_at_home(&[("a.txt", "配置服务")]);
    for (setting, found) in [("cjk", vec!["a.txt"]), ("ascii", vec![])] {
        world.set("SKILLC_TOKENIZER", setting);
        is_unusable(&world, setting);
        build(&world);
        is_usable(&world, setting);
        assert_eq!(files(&world, "配置"), found, "{setting}");
    }
}

/// C-INDEX.14.
#[test]
fn reading_leaves_no_files_behind() {
    let world = World::built_at_home(&[]);
    let before = snapshot(&world.demo_runtime());
    is_usable(&world, "built");
    world.skc(["search", "demo", "absent"]).success();
    world
        .skc(["show", "demo", "--section", "absent"])
        .code("E020");
    assert_eq!(snapshot(&world.demo_runtime()), before);
}

/// C-INDEX.14, F-12.
#[cfg(unix)]
#[test]
fn a_read_only_index_can_be_searched() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::built_at_home(&[]);
    let meta = world.demo_runtime().join(".skillc-meta");
    let set_modes = |dir, file| {
        let mode = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
                .expect("owned by this test");
        };
        mode(&world.demo_index(), file);
        mode(&meta, dir);
    };
    set_modes(0o555, 0o444);
    is_usable(&world, "read-only");
    set_modes(0o755, 0o644);
}

/// C-INDEX.9, C-INDEX.7.
#[test]
fn an_unbuilt_skill_has_no_index() {
    let world = World::demo(&[]);
    is_unusable(&world, "not built");
    let source = world.demo_source();
    let path = source.to_str().expect("UTF-8");
    let line = format!("error[E002]: search index unusable; run 'skc build {path}' to rebuild");
    world.skc(["search", path, "hello"]).error(&line);
    assert_ne!(line, UNUSABLE);
}
