//! The index file: name, tables and metadata.

use std::fs;

use skillc_core::hash::Sha;
use skillc_tests::{World, database};

use crate::searching::support::{build, column, is_usable};

const TABLES: [(&str, &str); 3] = [
    (
        "headings",
        "CREATE TABLE headings (id INTEGER PRIMARY KEY, file TEXT NOT NULL, text TEXT NOT NULL, \
         level INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL)",
    ),
    (
        "idx_headings_text",
        "CREATE INDEX idx_headings_text ON headings(text COLLATE NOCASE)",
    ),
    (
        "index_meta",
        "CREATE TABLE index_meta (key TEXT PRIMARY KEY, value TEXT)",
    ),
];

fn squeezed(sql: &str) -> String {
    sql.split_whitespace().collect()
}

fn has_table(world: &World, name: &str, sql: &str) {
    let found: Vec<String> = column(
        &world.demo_index(),
        &format!("SELECT sql FROM sqlite_master WHERE name = '{name}'"),
    );
    let found: Vec<String> = found.iter().map(|sql| squeezed(sql)).collect();
    assert_eq!(found, [squeezed(sql)], "{name}");
}

/// C-INDEX.1.
#[cfg(unix)]
#[test]
fn the_file_is_named_by_the_hash_of_the_canonical_source_path() {
    let world = World::project();
    let target = world.directory("elsewhere", &[]);
    std::os::unix::fs::symlink(&target, world.demo_source()).expect("a link");
    build(&world);
    let hash = Sha::digest(target.to_str().expect("UTF-8").as_bytes()).to_string();
    let path = world
        .demo_runtime()
        .join(".skillc-meta")
        .join(format!("search-{}.db", &hash[..16]));
    let bytes = fs::read(path).expect("the index");
    assert!(bytes.starts_with(b"SQLite format 3\0"));
}

/// C-INDEX.2.
#[test]
fn the_tables_match_the_specification() {
    let world = World::built(&[]);
    let sections = "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, \
                    tokenize='porter unicode61')";
    has_table(&world, "sections", sections);
    for (name, sql) in TABLES {
        has_table(&world, name, sql);
    }
}

/// C-INDEX.2, D-CJK.
#[test]
fn only_the_tokenizer_differs_under_cjk() {
    let mut world = World::demo(&[]);
    world.set("SKILLC_TOKENIZER", "cjk");
    build(&world);
    let sections = "CREATE VIRTUAL TABLE sections USING fts5(file, section, content, \
                    tokenize='skc unicode61')";
    has_table(&world, "sections", sections);
    for (name, sql) in TABLES {
        has_table(&world, name, sql);
    }
    let index = world.demo_index();
    assert_eq!(
        database::meta(&index, "tokenize").as_deref(),
        Some("skc unicode61")
    );
}

/// C-INDEX.3.
#[test]
fn headings_have_file_text_level_and_half_open_lines() {
    let guide = "# Guide\n\n## Make ##\n\n### *Rows*\n\ntext\n\n## Break\nlast, the tenth\n";
    let world = World::built(&[("references/guide.md", guide)]);
    let rows: Vec<String> = column(
        &world.demo_index(),
        "SELECT file || ' ' || level || ' ' || text || ' ' || start_line || ' ' || end_line FROM headings
         WHERE file <> 'SKILL.md' ORDER BY id",
    );
    assert_eq!(
        rows,
        [
            "references/guide.md 1 Guide 1 11",
            "references/guide.md 2 Make 3 9",
            "references/guide.md 3 Rows 5 9",
            "references/guide.md 2 Break 9 11",
        ]
    );
}

/// C-INDEX.4.
#[test]
fn the_index_records_source_version_and_time() {
    let world = World::built(&[]);
    let meta = |key| database::meta(&world.demo_index(), key).expect(key);
    let manifest = fs::read_to_string(world.demo_runtime().join(".skillc-meta/manifest.json"));
    let manifest: serde_json::Value =
        serde_json::from_str(&manifest.expect("a manifest")).expect("JSON");
    assert_eq!(meta("source_hash"), manifest["source_hash"]);
    assert_eq!(
        meta("skill_path"),
        world.demo_source().to_str().expect("UTF-8")
    );
    assert_eq!(meta("schema_version"), "2");
    assert_eq!(meta("indexed_at"), "2026-01-31T08:15:00Z");
    assert_eq!(meta("tokenizer"), "porter");
}

/// C-INDEX.5.
#[test]
fn build_and_search_prefer_the_same_tokenizer() {
    for (setting, name) in [("ascii", "porter"), ("cjk", "unicode61")] {
        let mut world = World::demo(&[]);
        world.set("SKILLC_TOKENIZER", setting);
        build(&world);
        let found = database::meta(&world.demo_index(), "tokenizer");
        assert_eq!(found.as_deref(), Some(name));
        is_usable(&world, setting);
    }
}

/// C-INDEX.2.
#[test]
fn every_section_has_its_lines() {
    let world = World::built(&[
        ("a.txt", "one\ntwo\n"),
        ("t.csv", "k,v\none,\"1\n1\"\n\ntwo,2\n"),
    ]);
    let rows: Vec<String> = column(
        &world.demo_index(),
        "SELECT sections.file || ' ' || start_line || ' ' || end_line
         FROM sections JOIN section_lines ON sections.rowid = section_lines.rowid ORDER BY sections.rowid",
    );
    assert_eq!(
        rows,
        ["SKILL.md 6 9", "a.txt 1 3", "t.csv 2 4", "t.csv 5 6"]
    );
}
