//! How a build updates the index.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use skillc_tests::{Output, World, database, plugins};

use crate::searching::support::{
    build, build_a_day_later, column, files, is_unusable, is_usable, search, show, write,
};

fn indexed_at(world: &World) -> String {
    database::meta(&world.demo_index(), "indexed_at").expect("a date")
}

const FIRST: &str = "2026-01-31T08:15:00Z";
const LATER: &str = "2026-02-01T08:15:00Z";

/// C-INDEX.10.
#[test]
fn an_up_to_date_index_is_left_unchanged() {
    let world = World::built_at_home(&[("a.txt", "zebra")]);
    let before = fs::read(world.demo_index()).expect("an index");
    for _ in 0..3 {
        build_a_day_later(&world).success();
    }
    assert_eq!(fs::read(world.demo_index()).expect("an index"), before);
    assert_eq!(indexed_at(&world), FIRST);
}

/// C-INDEX.10: an index modified by another program may not match the files' text.
#[test]
fn an_index_modified_by_another_program_is_recreated() {
    let world = World::built_at_home(&[]);
    database::change(
        &world.demo_index(),
        "INSERT INTO index_meta VALUES('note', 'kept');",
    );
    build_a_day_later(&world).success();
    let note = database::meta(&world.demo_index(), "note");
    assert_eq!(note, None);
    assert_eq!(indexed_at(&world), LATER);
}

/// C-INDEX.10.
#[test]
fn a_missing_or_stale_index_is_created() {
    let world = World::built_at_home(&[]);
    fs::remove_file(world.demo_index()).expect("exists");
    build_a_day_later(&world).success();
    assert_eq!(indexed_at(&world), LATER);
    write(&world, "a.txt", "zebra");
    build(&world);
    assert_eq!(indexed_at(&world), FIRST);
    assert_eq!(files(&world, "zebra"), ["a.txt"]);
}

/// C-INDEX.10.
#[test]
fn a_damaged_index_is_recreated_regardless_of_its_recorded_path() {
    let world = World::built_at_home(&[]);
    database::change(
        &world.demo_index(),
        "UPDATE index_meta SET value = '/another' WHERE key = 'skill_path';
         DELETE FROM index_meta WHERE key = 'tokenizer';",
    );
    build_a_day_later(&world).success();
    assert_eq!(indexed_at(&world), LATER);
    is_usable(&world, "made anew");
}

/// C-INDEX.10, C-INDEX.11: a build fails if the index belongs to another skill directory (a collision), but not because
/// of any other fault of the index.
#[test]
fn a_collision_stops_the_build_and_leaves_the_file() {
    let world = World::built_at_home(&[]);
    database::change(
        &world.demo_index(),
        "UPDATE index_meta SET value = '/another' WHERE key = 'skill_path'",
    );
    let before = fs::read(world.demo_index()).expect("an index");
    world.skc(["build", "demo"]).code("E003");
    assert_eq!(fs::read(world.demo_index()).expect("an index"), before);
}

/// C-INDEX.11.
#[test]
fn indexes_of_other_directories_are_kept() {
    let world = World::built_at_home(&[]);
    let meta = world.demo_runtime().join(".skillc-meta");
    let others = ["search-0123456789abcdef.db", "search-fedcba9876543210.db"];
    for other in others {
        fs::write(meta.join(other), "whatever").expect("writable");
    }
    write(&world, "a.txt", "new");
    build(&world);
    fs::remove_file(world.demo_index()).expect("exists");
    build(&world);
    for other in others {
        assert_eq!(fs::read(meta.join(other)).expect(other), b"whatever");
    }
}

/// C-INDEX.13.
#[test]
fn an_index_of_the_first_schema_is_replaced_not_migrated() {
    let world = World::built_at_home(&[]);
    let hash = database::meta(&world.demo_index(), "source_hash").expect("a hash");
    let index = world.demo_index();
    fs::remove_file(&index).expect("exists");
    let path = world.demo_source();
    let old = format!(
        "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, tokenize='porter unicode61');
         INSERT INTO sections VALUES('SKILL.md', 'Old', 'hello');
         CREATE TABLE index_meta (key TEXT PRIMARY KEY, value TEXT);
         INSERT INTO index_meta VALUES('source_hash', '{hash}'), ('skill_path', '{}'), ('schema_version', '1'),
             ('indexed_at', '2025-01-01T00:00:00Z'), ('tokenizer', 'porter');",
        path.display()
    );
    Connection::open(&index)
        .and_then(|new| new.execute_batch(&old))
        .expect("an old index");
    is_unusable(&world, "schema 1");
    build(&world);
    is_usable(&world, "built again");
    let version = database::meta(&index, "schema_version");
    assert_eq!(version.as_deref(), Some("2"));
}

#[test]
fn changed_indexers_require_a_build_but_do_not_block_search() {
    let world = World::built_at_home(&[]);
    let own = plugins().indexer_set();
    for other in ["", &own.replace("plain-text@1", "plain-text@2")] {
        let sql = format!("UPDATE index_meta SET value = '{other}' WHERE key = 'indexers'");
        database::change(&world.demo_index(), &sql);
        is_usable(&world, other);
        build_a_day_later(&world).success();
        assert_eq!(indexed_at(&world), LATER, "{other:?}");
        let indexers = database::meta(&world.demo_index(), "indexers");
        assert_eq!(indexers.as_ref(), Some(&own));
        fs::remove_file(world.demo_index()).expect("exists");
        build(&world);
    }
}

/// F-06.
#[test]
fn a_file_of_100_000_headings_is_built_and_searched_in_seconds() {
    let mut text = String::from("# Top\n\n");
    for number in 0..100_000 {
        text += &format!("## Part {number}\n\nword{number}\n\n");
    }
    let world = World::demo(&[("big.md", &text)]);
    let begun = Instant::now();
    build(&world);
    assert_eq!(files(&world, "word77777").len(), 1);
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    let count: Vec<i64> = column(
        &world.demo_index(),
        "SELECT count(*) FROM headings WHERE file = 'big.md'",
    );
    assert_eq!(count, [100_001]);
}

/// F-07.
#[test]
fn concurrent_builds_of_one_skill_all_succeed() {
    let texts: Vec<(String, String)> = (0..60)
        .map(|n| {
            (
                format!("references/{n}.md"),
                format!("# Part {n}\n\nzebra {n}\n"),
            )
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let world = World::demo(&texts);
    let program = env!("CARGO_BIN_EXE_skc-under-test");
    let start = |_| {
        world
            .process(program, &["build", "demo"])
            .spawn()
            .expect("the program starts")
    };
    let running: Vec<Child> = (0..6).map(start).collect();
    for child in running {
        Output::new(child.wait_with_output().expect("the process exits")).success();
    }
    assert_eq!(files(&world, "zebra").len(), 60);
    let meta = world
        .demo_runtime()
        .join(".skillc-meta")
        .read_dir()
        .expect("a directory");
    let mut names: Vec<String> = meta
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| !name.starts_with("search-") && !name.starts_with("stamps-"));
    names.sort();
    assert_eq!(
        names,
        ["build.lock", "logs.db", "manifest.json"],
        "no temporary file is left"
    );
}

/// C-INDEX.14.
#[test]
fn a_reader_keeps_the_old_index_while_it_is_replaced() {
    let world = World::built_at_home(&[("a.txt", "zebra")]);
    let reader = database::read(&world.demo_index());
    let mut rows = reader
        .prepare("SELECT value FROM index_meta WHERE key = 'indexed_at'")
        .expect("a statement");
    write(&world, "a.txt", "lion");
    build_a_day_later(&world).success();
    let old: String = rows.query_row([], |row| row.get(0)).expect("a row");
    assert_eq!((old.as_str(), indexed_at(&world).as_str()), (FIRST, LATER));
}

/// C-INDEX.14: while builds replace the index, a search returns the complete results of one state, or E002.
#[test]
fn searches_during_builds_see_a_complete_index_or_none() {
    let world = World::built_at_home(&[("a.txt", "zebra 0"), ("b.txt", "zebra 0")]);
    std::thread::scope(|scope| {
        let builds = scope.spawn(|| {
            for round in 1..15 {
                write(&world, "a.txt", format!("zebra {round}"));
                write(&world, "b.txt", format!("zebra {round}"));
                build(&world);
            }
        });
        while !builds.is_finished() {
            for output in [search(&world), show(&world)] {
                assert!(
                    output.ok || output.stderr.starts_with("error[E002]: "),
                    "{output:?}"
                );
            }
        }
    });
    assert_eq!(files(&world, "zebra 14"), ["a.txt", "b.txt"]);
}
