//! The effects of a sync.

use super::*;

const NOTHING: Synced = Synced {
    loaded: 0,
    skipped: 0,
    pruned: 0,
    total_on_disk: 0,
    shadowed: 0,
};

/// REG-LOAD.1, REG-LOAD.3: three skills.
#[test]
fn three_skills_are_three_rows() {
    let (_place, mut registry) = registry(&[]);
    let disk = Disk::with_skills(&["c", "a", "b"]);
    let synced = disk.sync(&mut registry).unwrap();
    assert_eq!(
        synced,
        Synced {
            loaded: 3,
            total_on_disk: 3,
            ..NOTHING
        }
    );
    assert_eq!(names(&registry), "a,b,c");
    let sources = registry.sources().unwrap();
    let paths: Vec<&str> = sources.rows.iter().map(|row| &*row.path).collect();
    assert_eq!(paths, ["/w/a/SKILL.md", "/w/b/SKILL.md", "/w/c/SKILL.md"]);
    assert_eq!(sources.rows[2], disk.sources[0]);
    let heads = registry.heads().unwrap();
    let expected = [1, 2, 0].map(|n| disk.heads[n].clone());
    assert_eq!(heads, expected);
    assert_eq!(sources.roots, ["/w"]);
    assert_eq!(sources.skc_version, "0.3.0");
    assert_eq!(registry.skc_version().unwrap().as_deref(), Some("0.3.0"));
    assert_eq!(
        sources.synced_at.as_deref(),
        Some("2026-01-31T08:15:00.123Z")
    );
}

/// REG-LOAD.1: a field is stored in its column; if the field is missing, the column is NULL.
#[test]
fn optional_fields_are_stored_in_their_columns() {
    let (place, mut registry) = registry(&[]);
    let bare = SkillRow {
        name: "b".into(),
        ..SkillRow::default()
    };
    Disk::with([skill("a"), bare]).sync(&mut registry).unwrap();
    let columns = "SELECT concat_ws('|', name, quote(version), quote(entrypoint), capabilities, quote(greek_letter))
        FROM skills ORDER BY name";
    assert_eq!(
        place.text(columns),
        "a|'1.0'|'run.sh'|[\"read\",\"write\"]|'epsilon'\nb|NULL|NULL|[]|NULL"
    );
}

/// REG-LOAD.19.
#[test]
fn a_version_is_any_text() {
    let (_place, mut registry) = registry(&[]);
    let mut row = skill("a");
    row.version = Some("banana".into());
    Disk::with([row]).sync(&mut registry).unwrap();
    let version = registry.skill("a").unwrap().unwrap().version;
    assert_eq!(version.as_deref(), Some("banana"));
}

/// REG-LOAD.3, REG-LOAD.4: one of three skills is invalid.
#[test]
fn skipped_skills_are_counted() {
    let (_place, mut registry) = registry(&[]);
    let mut disk = Disk::with_skills(&["a", "b"]);
    disk.skipped = 1;
    let synced = disk.sync(&mut registry).unwrap();
    let counters = [
        synced.loaded,
        synced.skipped,
        synced.pruned,
        synced.total_on_disk,
    ];
    assert_eq!(counters, [2, 1, 0, 3]);
}

/// REG-LOAD.11, REG-LOAD.12: all skills are invalid.
#[test]
fn skills_that_are_all_broken_lose_their_rows() {
    let (_place, mut registry) = registry(&["a", "b", "c"]);
    let mut disk = Disk::with_skills(&[]);
    disk.skipped = 3;
    let synced = disk.sync(&mut registry).unwrap();
    let counters = [
        synced.loaded,
        synced.skipped,
        synced.pruned,
        synced.total_on_disk,
    ];
    assert_eq!(counters, [0, 3, 3, 3]);
    assert_eq!(content(&registry), (vec![], vec![], vec![]));
}

/// REG-LOAD.8: if no root exists, no sync runs, and all counters are zero.
#[test]
fn no_sync_is_all_zero() {
    assert_eq!(Synced::default(), NOTHING);
}

/// REG-LOAD.11.
#[test]
fn rows_of_skills_that_were_not_loaded_are_pruned() {
    let (place, mut registry) = registry(&["a"]);
    place
        .run("INSERT INTO skills VALUES ('seed', 'd', NULL, NULL, '[]', NULL, '', 'p', '{}', 't')");
    assert_eq!(names(&registry), "a,seed");
    let synced = Disk::with_skills(&["a"]).sync(&mut registry).unwrap();
    assert_eq!(synced.pruned, 1);
    assert_eq!(names(&registry), "a");
}

/// REG-LOAD.11: the names to keep outnumber the variables that `SQLite` allows in a statement.
#[test]
fn pruning_supports_more_names_than_a_statement_has_variables() {
    let (_place, mut registry) = registry(&["gone"]);
    let disk = Disk::with((0..33_000).map(|n| SkillRow {
        name: format!("s{n}"),
        ..SkillRow::default()
    }));
    assert_eq!(disk.sync(&mut registry).unwrap().pruned, 1);
    assert_eq!(disk.sync(&mut registry).unwrap().pruned, 0);
    assert_eq!(registry.heads().unwrap().len(), 33_000);
}

/// REG-LOAD.12.
#[test]
fn a_skill_that_broke_is_skipped_and_pruned() {
    let (_place, mut registry) = registry(&["a", "b"]);
    let mut disk = Disk::with_skills(&["a"]);
    disk.skipped = 1;
    let synced = disk.sync(&mut registry).unwrap();
    let counters = [
        synced.loaded,
        synced.skipped,
        synced.pruned,
        synced.total_on_disk,
    ];
    assert_eq!(counters, [1, 1, 1, 2]);
    assert_eq!(names(&registry), "a");
}

/// REG-LOAD.13.
#[test]
fn a_second_sync_without_changes_writes_nothing() {
    let (place, mut registry) = registry(&["a", "b"]);
    let before = (
        place.files(),
        registry.list(SkillFilter::default()).unwrap(),
    );
    let mut disk = Disk::with_skills(&["b", "a"]);
    disk.at_ms += 60_000;
    let expected = Synced {
        loaded: 2,
        total_on_disk: 2,
        ..NOTHING
    };
    assert_eq!(disk.sync(&mut registry).unwrap(), expected);
    assert_eq!(disk.sync(&mut registry).unwrap(), expected);
    let after = (
        place.files(),
        registry.list(SkillFilter::default()).unwrap(),
    );
    // The WAL index (`-shm`) is not part of the content.
    let is_content = |(path, _): &(&PathBuf, &Vec<u8>)| !path.to_string_lossy().ends_with("-shm");
    assert!(
        before
            .0
            .iter()
            .filter(is_content)
            .eq(after.0.iter().filter(is_content))
    );
    assert_eq!(before.1, after.1);
}

#[test]
fn after_a_day_a_sync_without_changes_records_its_time() {
    for days in [2, -2] {
        let (_place, mut registry) = registry(&["a"]);
        let mut disk = Disk::with_skills(&["a"]);
        disk.at_ms += days * 24 * 60 * 60 * 1000;
        disk.sync(&mut registry).unwrap();
        let synced_at = registry.sources().unwrap().synced_at.unwrap();
        let expected = if days > 0 {
            "2026-02-02T"
        } else {
            "2026-01-29T"
        };
        assert!(synced_at.starts_with(expected), "{synced_at}");
        let row = registry.skill("a").unwrap().unwrap();
        assert_eq!(row.loaded_at, "2026-01-31T08:15:00.123Z");
    }
}

/// REG-LOAD.14.
#[test]
fn an_edited_skill_is_replaced_in_every_column() {
    let edits: [fn(&mut SkillRow); 10] = [
        |row| row.description.push('x'),
        |row| row.version = None,
        |row| row.version = Some("2".into()),
        |row| row.entrypoint = None,
        |row| row.capabilities.reverse(),
        |row| row.capabilities.clear(),
        |row| row.greek_letter = None,
        |row| row.body.push(' '),
        |row| row.source_path.push('x'),
        |row| row.frontmatter_json = "{}".into(),
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let (_place, mut registry) = registry(&["a", "b"]);
        let mut disk = Disk::with_skills(&["a", "b"]);
        edit(&mut disk.winners[0]);
        disk.at_ms += 1;
        disk.sync(&mut registry).unwrap();
        disk.winners[0].loaded_at = "2026-01-31T08:15:00.124Z".into();
        let row = registry.skill("a").unwrap().unwrap();
        assert_eq!(row, disk.winners[0], "edit {number}");
        let other = registry.skill("b").unwrap().unwrap();
        assert_eq!(other.loaded_at, "2026-01-31T08:15:00.123Z");
    }
}

#[test]
fn an_edited_file_is_replaced_in_every_column() {
    let edits: [fn(&mut SourceRow); 8] = [
        |row| row.id = "0".repeat(16),
        |row| row.name = "c".into(),
        |row| row.dir.push('x'),
        |row| row.scope = "user".into(),
        |row| row.origin = "skillc".into(),
        |row| row.mtime_ms += 1,
        |row| row.sha256 = "0".repeat(64),
        |row| row.is_winner = false,
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let (_place, mut registry) = registry(&["a", "b"]);
        let mut disk = Disk::with_skills(&["a", "b"]);
        edit(&mut disk.sources[0]);
        disk.sync(&mut registry).unwrap();
        assert_eq!(
            registry.sources().unwrap().rows,
            disk.sources,
            "edit {number}"
        );
    }
}

#[test]
fn search_data_is_replaced_in_every_column() {
    let edits: [fn(&mut HeadRow); 6] = [
        |row| row.mtime_ms += 1,
        |row| row.bytes += 1,
        |row| row.changed_ns += 1,
        |row| row.inode += 1,
        |row| row.name = "c".into(),
        |row| row.description.push('x'),
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let (_place, mut registry) = registry(&["a", "b"]);
        let mut disk = Disk::with_skills(&["a", "b"]);
        edit(&mut disk.heads[0]);
        disk.sync(&mut registry).unwrap();
        assert_eq!(registry.heads().unwrap(), disk.heads, "edit {number}");
    }
}

/// REG-LOAD.18, D1.
#[test]
fn shadowed_files_are_kept_as_sources() {
    let (place, mut registry) = registry(&[]);
    let mut disk = Disk::with_skills(&["a", "b"]);
    disk.sources.push(SourceRow {
        is_winner: false,
        ..source("a", "/home")
    });
    let synced = disk.sync(&mut registry).unwrap();
    assert_eq!(
        (synced.loaded, synced.shadowed, synced.total_on_disk),
        (3, 1, 3)
    );
    assert_eq!(names(&registry), "a,b");
    let winners = "SELECT path || ' ' || winner FROM skill_sources WHERE name = 'a' ORDER BY path";
    assert_eq!(place.text(winners), "/home/a/SKILL.md 0\n/w/a/SKILL.md 1");
    // Now the other skill takes precedence.
    disk.sources[0].is_winner = false;
    disk.sources[2].is_winner = true;
    disk.winners[0].source_path = "~/a/SKILL.md".into();
    disk.sync(&mut registry).unwrap();
    assert_eq!(place.text(winners), "/home/a/SKILL.md 1\n/w/a/SKILL.md 0");
    assert_eq!(
        registry.skill("a").unwrap().unwrap().source_path,
        "~/a/SKILL.md"
    );
}

#[test]
fn ids_can_be_reassigned_and_duplicates_do_not_block_others() {
    let (_place, mut registry) = registry(&["a", "b", "c"]);
    let mut disk = Disk::with_skills(&["a", "b", "c"]);
    let id = std::mem::take(&mut disk.sources[0].id);
    disk.sources[0].id = std::mem::replace(&mut disk.sources[1].id, id);
    disk.sync(&mut registry).unwrap();
    assert_eq!(registry.sources().unwrap().rows, disk.sources);
    disk.sources[1].id = disk.sources[0].id.clone();
    for _ in 0..2 {
        disk.sync(&mut registry).unwrap();
        let rows = registry.sources().unwrap().rows;
        assert_eq!(rows, [disk.sources[0].clone(), disk.sources[2].clone()]);
    }
}

#[test]
fn an_out_of_range_time_is_not_an_error() {
    let (_place, mut registry) = registry(&[]);
    let mut disk = Disk::with_skills(&["a"]);
    disk.sources[0].mtime_ms = u64::MAX;
    disk.sync(&mut registry).unwrap();
    assert_eq!(registry.sources().unwrap().rows.len(), 1);
}
