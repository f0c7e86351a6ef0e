//! Databases that open but have unexpected tables or values.

use std::fs;

use rusqlite::Connection;
use skillc_tests::{World, database};

use crate::searching::support::{UNUSABLE, build, is_unusable, is_usable, search, show};

/// Modifies the index with SQL. Checks that the index is then rejected, and that a build replaces it.
fn is_refused_and_replaced(world: &World, pristine: &[u8], sql: &str) {
    fs::write(world.demo_index(), pristine).expect("writable");
    database::change(&world.demo_index(), sql);
    is_unusable(world, sql);
    build(world);
    is_usable(world, sql);
}

fn all_are_refused_and_replaced(changes: &[&str]) {
    let world = World::built(&[]);
    let pristine = fs::read(world.demo_index()).expect("an index");
    for sql in changes {
        is_refused_and_replaced(&world, &pristine, sql);
    }
}

/// C-INDEX.6, F-12.
#[test]
fn missing_tables_are_refused() {
    all_are_refused_and_replaced(&[
        "DROP TABLE index_meta",
        "DROP TABLE sections",
        "DROP TABLE headings",
        "DROP TABLE section_lines",
        "ALTER TABLE headings RENAME COLUMN start_line TO line",
        "ALTER TABLE index_meta RENAME TO meta",
    ]);
}

/// C-INDEX.6.
#[test]
fn missing_keys_and_non_numeric_versions_are_refused() {
    let mut changes = Vec::new();
    for key in ["skill_path", "source_hash", "schema_version", "tokenizer"] {
        changes.push(format!("DELETE FROM index_meta WHERE key = '{key}'"));
        changes.push(format!(
            "UPDATE index_meta SET value = NULL WHERE key = '{key}'"
        ));
        changes.push(format!(
            "UPDATE index_meta SET value = x'ff00fe' WHERE key = '{key}'"
        ));
    }
    for version in ["x", "", "2.0", "two", " 2", "99999999999999999999"] {
        changes.push(format!(
            "UPDATE index_meta SET value = '{version}' WHERE key = 'schema_version'"
        ));
    }
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    all_are_refused_and_replaced(&changes);
}

/// C-INDEX.6, C-INDEX.11.
#[test]
fn values_of_100_mb_are_refused() {
    let huge = "CAST(zeroblob(100000000) AS TEXT)";
    let set = |key: &str| format!("UPDATE index_meta SET value = {huge} WHERE key = '{key}'");
    all_are_refused_and_replaced(&[&set("skill_path"), &set("schema_version")]);
}

/// C-INDEX.6, C-INDEX.11.
#[test]
fn views_and_triggers_are_refused_before_they_run() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    let view = |table: &str, columns: &str| {
        format!(
            "DROP TABLE {table}; CREATE VIEW {table}({columns}) AS {endless} SELECT {columns} FROM (SELECT x AS {columns_x} FROM n) WHERE 0;",
            columns_x = columns.replace(", ", ", x AS ")
        )
    };
    all_are_refused_and_replaced(&[
        &view("index_meta", "key, value"),
        &view("headings", "id, file, text, level, start_line, end_line"),
        &view("section_lines", "rowid, start_line, end_line"),
        &view("sections", "file, section, content, rank"),
        "CREATE TRIGGER t AFTER INSERT ON headings BEGIN DELETE FROM headings; END",
        "CREATE VIEW more AS SELECT 1",
    ]);
}

/// C-INDEX.6.
#[test]
fn tables_with_other_definitions_are_refused() {
    all_are_refused_and_replaced(&[
        "ALTER TABLE index_meta RENAME TO old;
         CREATE TABLE index_meta (key TEXT PRIMARY KEY, stored TEXT, value TEXT AS (lower(stored)));
         INSERT INTO index_meta SELECT key, value FROM old;",
        "DROP TABLE section_lines; CREATE VIRTUAL TABLE section_lines USING fts5(start_line, end_line);",
        "DROP TABLE sections; CREATE TABLE sections(file, section, content);",
        "DROP TABLE sections; CREATE VIRTUAL TABLE sections USING fts5(file, section, content, tokenize='trigram');",
        "DROP TABLE sections;
         CREATE VIRTUAL TABLE sections USING fts5(file, section, content, content='', tokenize='porter unicode61');",
    ]);
}

/// C-INDEX.6: evaluating the expressions would take hours or a gigabyte of memory. The expressions are in tables of the
/// full-text search and of skc, and in `sqlite_stat1`, which `SQLite` reads when it loads the schema.
#[test]
fn expressions_in_a_schema_are_not_evaluated() {
    let mut changes = Vec::new();
    for evil in [
        "instr(hex(zeroblob(10000000)), hex(zeroblob(4000000)) || '1') = 0",
        "length(zeroblob(900000000)) > 0",
    ] {
        let evil = evil.replace('\'', "''");
        for (table, from, to) in [
            ("sections_content", "c2)", format!("c2 AS ({evil}))")),
            ("sections_content", "c2)", format!("c2, CHECK ({evil}))")),
            (
                "sections_docsize",
                "sz BLOB",
                format!("sz BLOB AS ({evil})"),
            ),
            (
                "index_meta",
                "value TEXT",
                format!("value TEXT AS ({evil})"),
            ),
            (
                "section_lines",
                "start_line INTEGER NOT NULL",
                format!("start_line INTEGER AS ({evil})"),
            ),
        ] {
            changes.push(format!(
                "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '{from}', '{to}') WHERE name = '{table}'"
            ));
        }
        changes.push(format!(
            "PRAGMA writable_schema = ON; CREATE TABLE stat1(x, idx, stat); INSERT INTO stat1(x) VALUES (1);
             UPDATE sqlite_master SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1',
                sql = 'CREATE TABLE sqlite_stat1(x, tbl AS ({evil}), idx, stat)' WHERE name = 'stat1'"
        ));
    }
    changes.push("CREATE TABLE more(x)".to_owned());
    let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
    all_are_refused_and_replaced(&changes);
}

/// C-INDEX.6.
#[test]
fn invalid_schemas_are_refused() {
    let rewrite = |from: &str, to: &str| {
        format!(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '{from}', '{to}');"
        )
    };
    let wrapped = "skc ".repeat(10_000) + "porter";
    all_are_refused_and_replaced(&[
        &rewrite("porter unicode61", "skc porter skc porter skc unicode61"),
        &rewrite("porter unicode61", &wrapped),
        &rewrite("porter unicode61", "absent"),
        &rewrite("fts5", "absent"),
        &rewrite("CREATE TABLE headings", "CREATE headings"),
        &rewrite(
            "key TEXT PRIMARY KEY",
            "key TEXT PRIMARY KEY CHECK (absent(key))",
        ),
    ]);
}

/// C-INDEX.6, F-12.
#[test]
fn unreadable_rows_are_refused_when_read_and_replaced() {
    for (sql, output) in [
        ("UPDATE headings SET level = 'x'", show as fn(&World) -> _),
        ("UPDATE headings SET start_line = -1", show),
        ("UPDATE headings SET end_line = x'00'", show),
        ("UPDATE headings SET file = x'fffe'", show),
        ("UPDATE headings SET file = '../outside.md'", show),
        ("UPDATE section_lines SET start_line = 'x'", search),
        ("UPDATE sections_content SET c2 = x'fffe'", search),
        ("DELETE FROM sections_content", search),
        ("DROP TABLE sections_data", search),
        ("DROP TABLE sections_content", search),
    ] {
        let world = World::built(&[]);
        database::change(&world.demo_index(), sql);
        let output = output(&world);
        assert!(!output.ok, "{sql}: {output:?}");
        assert_eq!(output.stderr.lines().next(), Some(UNUSABLE), "{sql}");
        build(&world);
        is_usable(&world, sql);
    }
}

/// C-INDEX.11, F-12: a search cannot detect missing rows, but a build does.
#[test]
fn missing_rows_are_restored_by_a_build() {
    for sql in [
        "DELETE FROM sections WHERE section = 'Demo'",
        "DELETE FROM headings",
        "DELETE FROM section_lines",
        "UPDATE sections_data SET block = zeroblob(100)",
    ] {
        let world = World::built(&[]);
        database::change(&world.demo_index(), sql);
        build(&world);
        is_usable(&world, sql);
    }
}

/// C-INDEX.7.
#[test]
fn another_database_is_refused() {
    let world = World::built(&[]);
    fs::remove_file(world.demo_index()).expect("exists");
    let other = Connection::open(world.demo_index()).expect("a database");
    other
        .execute_batch("CREATE TABLE notes(text); INSERT INTO notes VALUES('x');")
        .expect("a table");
    drop(other);
    is_unusable(&world, "another database");
    build(&world);
    is_usable(&world, "another database");
}
