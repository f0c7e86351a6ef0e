//! The database file: tables and versions.

use super::*;

use std::fs;

/// The schema of a version 1 file.
const V1: &str = include_str!("../../schema/registry_v1.sql");

/// REG-DB.1, REG-DB.2.
#[test]
fn the_tables_match_the_specification() {
    let (place, registry) = registry(&[]);
    drop(registry);
    let columns = |table: &str| {
        place.text(&format!(
            "SELECT concat_ws(' ', name, type, \"notnull\", pk, dflt_value) FROM pragma_table_xinfo('{table}')"
        ))
    };
    assert_eq!(
        columns("skills"),
        "name TEXT 0 1\ndescription TEXT 1 0\nversion TEXT 0 0\nentrypoint TEXT 0 0\n\
         capabilities TEXT 1 0 '[]'\ngreek_letter TEXT 0 0\nbody TEXT 1 0\nsource_path TEXT 1 0\n\
         frontmatter_json TEXT 1 0\nloaded_at TEXT 1 0"
    );
    assert_eq!(
        columns("skill_sources"),
        "path TEXT 0 1\nid TEXT 1 0\nname TEXT 1 0\ndir TEXT 1 0\nscope TEXT 1 0\norigin TEXT 1 0\n\
         mtime_ms INTEGER 1 0\nsha256 TEXT 1 0\nwinner INTEGER 1 0"
    );
    assert_eq!(
        columns("skill_heads"),
        "path TEXT 1 1\nmtime_ms INTEGER 1 0\nbytes INTEGER 1 0\nchanged_ns INTEGER 1 0\n\
         inode INTEGER 1 0\nname TEXT 1 0\ndescription TEXT 1 0"
    );
    assert_eq!(columns("registry_meta"), "key TEXT 0 1\nvalue TEXT 1 0");
    let indexes = "SELECT i.name || ' ' || t.name || '(' || (SELECT group_concat(name) FROM pragma_index_info(i.name)) || ')'
        FROM pragma_table_list t JOIN pragma_index_list(t.name) i WHERE i.origin = 'c' OR i.origin = 'u' ORDER BY 1";
    assert_eq!(
        place.text(indexes),
        "idx_skill_sources_name skill_sources(name)\nidx_skills_greek skills(greek_letter)\n\
         sqlite_autoindex_skill_sources_2 skill_sources(id)"
    );
}

/// REG-DB.3.
#[test]
fn two_files_with_one_name_are_one_row() {
    let (_place, mut registry) = registry(&[]);
    let mut second = skill("a");
    second.version = Some("2".into());
    let disk = Disk::with([skill("a"), second]);
    disk.sync(&mut registry).unwrap();
    let rows = registry.list(SkillFilter::default()).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].version.as_deref(), Some("2"));
}

/// REG-DB.4.
#[test]
fn capabilities_are_text_of_a_json_array() {
    let (place, mut registry) = registry(&[]);
    let with = |name: &str, capabilities: &[&str]| SkillRow {
        capabilities: capabilities.iter().map(|&text| text.into()).collect(),
        ..skill(name)
    };
    let disk = Disk::with([with("a", &[]), with("b", &["x", "\"q\"", "\\", "é"])]);
    disk.sync(&mut registry).unwrap();
    assert_eq!(
        place.text("SELECT capabilities FROM skills ORDER BY name"),
        "[]\n[\"x\",\"\\\"q\\\"\",\"\\\\\",\"é\"]"
    );
    let kinds = "SELECT json_valid(capabilities) || json_type(capabilities) || typeof(capabilities) FROM skills";
    assert_eq!(place.text(kinds), "1arraytext\n1arraytext");
}

/// REG-DB.5, REG-DB.6.
#[test]
fn paths_are_verbatim_and_times_have_milliseconds() {
    let (place, mut registry) = registry(&[]);
    let home = SkillRow {
        source_path: "~/.agents/skills/b/SKILL.md".into(),
        ..skill("b")
    };
    Disk::with([skill("a"), home]).sync(&mut registry).unwrap();
    assert_eq!(
        place.text("SELECT source_path || ' ' || loaded_at FROM skills ORDER BY name"),
        ".agents/skills/a/SKILL.md 2026-01-31T08:15:00.123Z\n\
         ~/.agents/skills/b/SKILL.md 2026-01-31T08:15:00.123Z"
    );
}

/// REG-DB.7.
#[test]
fn no_foreign_key_points_at_or_from_skills() {
    let (place, registry) = registry(&["a"]);
    drop(registry);
    let keys = "SELECT t.name FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f";
    assert_eq!(place.text(keys), "");
}

/// REG-DB.8, REG-DB.9.
#[test]
fn a_new_file_and_an_empty_one_get_tables_and_no_rows() {
    for is_there in [false, true] {
        let place = TempDatabase::new();
        if is_there {
            place.make_folder();
            fs::write(&place.db, "").unwrap();
        }
        drop(SkillRegistry::open(&place.db).unwrap());
        let settings = "SELECT user_version || ' ' || journal_mode
            FROM pragma_user_version, pragma_journal_mode";
        assert_eq!(place.text(settings), "2 wal");
        let rows =
            "SELECT concat((SELECT count(*) FROM skills), (SELECT count(*) FROM skill_sources),
            (SELECT count(*) FROM registry_meta), (SELECT count(*) FROM skill_heads))";
        assert_eq!(place.text(rows), "0000");
        assert_eq!(place.files().len(), 1);
    }
}

/// Creates a version 1 registry with one skill.
fn first_version() -> TempDatabase {
    let row = "INSERT INTO skills VALUES ('old', 'd', NULL, NULL, '[]', NULL, '', 'p', '{}', 't');";
    TempDatabase::with(&format!("{V1} {row} PRAGMA user_version = 1;"))
}

/// REG-DB.8, REG-DB.9.
#[test]
fn an_older_file_is_migrated_with_its_rows() {
    let place = first_version();
    let mut registry = SkillRegistry::open(&place.db).unwrap();
    assert_eq!(names(&registry), "old");
    assert_eq!(registry.heads().unwrap(), []);
    assert_eq!(
        place.text("SELECT user_version || '' FROM pragma_user_version"),
        "2"
    );
    Disk::with_skills(&["new"]).sync(&mut registry).unwrap();
    assert_eq!(names(&registry), "new");
    assert_eq!(registry.heads().unwrap().len(), 1);
}

/// REG-DB.8.
#[test]
fn an_older_file_that_cannot_be_migrated_is_left_unchanged() {
    let place = first_version();
    place.run("CREATE TABLE skill_heads(x)");
    let before = place.files();
    let opened = SkillRegistry::open(&place.db);
    assert!(message(opened, &place).ends_with("it is not a skill registry"));
    assert!(place.files() == before);
}

/// REG-DB.8, REG-READ.9.
#[test]
fn an_older_file_is_read_without_migration() {
    let place = first_version();
    let before = place.files();
    let registry = SkillRegistry::open_to_read(&place.db).unwrap().unwrap();
    assert_eq!(names(&registry), "old");
    assert_eq!(registry.heads().unwrap(), []);
    assert_eq!(registry.sources().unwrap(), Sources::default());
    drop(registry);
    assert!(place.files() == before);
}

/// REG-DB.8.
#[test]
fn newer_and_foreign_files_are_left_unchanged() {
    let newer =
        V1.to_owned() + "ALTER TABLE skills ADD COLUMN tags TEXT; PRAGMA user_version = 999;";
    let lacking =
        V1.to_owned() + "ALTER TABLE skills DROP COLUMN entrypoint; PRAGMA user_version = 1;";
    let view = "CREATE TABLE skill_sources(x); CREATE TABLE registry_meta(key, value); PRAGMA user_version = 1;
        CREATE VIEW skills AS SELECT 1 AS name;";
    let cases = [
        (&*newer, "it was created by a newer version of skc"),
        (&*lacking, "it is not a skill registry"),
        (view, "it is not a skill registry"),
        ("CREATE TABLE other(x);", "it is not a skill registry"),
        (
            "CREATE TABLE skills(x); PRAGMA user_version = 1;",
            "it is not a skill registry",
        ),
        (
            "CREATE TABLE other(x); PRAGMA user_version = 999;",
            "it is not a skill registry",
        ),
    ];
    for (sql, reason) in cases {
        for mode in ["DELETE", "WAL"] {
            let place = TempDatabase::with(&format!("PRAGMA journal_mode = {mode}; {sql}"));
            let before = place.files();
            let expected = format!("error[E066]: registry unusable: 'DB': {reason}");
            assert_eq!(message(SkillRegistry::open(&place.db), &place), expected);
            assert!(place.files() == before, "{mode} {sql}");
            let read = SkillRegistry::open_to_read(&place.db);
            assert_eq!(message(read, &place), expected);
            assert!(place.files() == before, "{mode} {sql}");
        }
    }
}

/// REG-DB.8.
#[test]
fn leftovers_of_a_killed_newer_version_are_left_unchanged() {
    let (place, registry) = registry(&["a"]);
    run(&registry, "PRAGMA user_version = 999");
    let files = place.files();
    assert!(files.len() > 1, "changes are in the WAL");
    drop(registry);
    for (path, bytes) in &files {
        fs::write(path, bytes).unwrap();
    }
    let opened = SkillRegistry::open(&place.db);
    assert!(message(opened, &place).ends_with("it was created by a newer version of skc"));
    let content = |suffix: &str| fs::read(format!("{}{suffix}", place.db.display())).unwrap();
    for suffix in ["", "-wal"] {
        let path = format!("{}{suffix}", place.db.display());
        assert!(content(suffix) == files[&PathBuf::from(path)]);
    }
}

/// REG-DB.10.
#[test]
fn frontmatter_and_body_round_trip_exactly() {
    let (_place, mut registry) = registry(&[]);
    let mut row = skill("a");
    row.frontmatter_json = r#"{"z":1,"name":"a","custom":{"k":[null,"\u0000",1.50]}}"#.into();
    row.body = "\r\n\u{feff}text\0 \u{1f600}\n\n".into();
    Disk::with([row.clone()]).sync(&mut registry).unwrap();
    row.loaded_at = "2026-01-31T08:15:00.123Z".into();
    assert_eq!(registry.skill("a").unwrap(), Some(row));
}

/// catalog-files: without a writable home directory, the registry is in memory.
#[test]
fn a_registry_in_memory_behaves_like_one_in_a_file() {
    let mut registry = SkillRegistry::in_memory().unwrap();
    assert_eq!(registry.path(), None);
    Disk::with_skills(&["a", "b"]).sync(&mut registry).unwrap();
    let synced = Disk::with_skills(&["b", "c"]).sync(&mut registry).unwrap();
    assert_eq!(synced.pruned, 1);
    assert_eq!(names(&registry), "b,c");
    assert_eq!(registry.sources().unwrap().rows.len(), 2);
}
