//! How a sync reads skills.

use std::fs;

use serde_json::{Value, json};

use crate::registry::support::{
    ask, counts, db, get, listed, project, registry, skill, sync, warnings, with, write,
};

/// Case: load, happy a. REG-LOAD.1, REG-LOAD.3.
#[test]
fn three_skills_are_three_rows() {
    let world = with(&["c", "a", "b"]);
    let synced = sync(&world);
    assert_eq!(counts(&synced), [3, 0, 0, 3]);
    assert_eq!(synced.stderr, "");
    assert_eq!(ask(&db(&world), "SELECT name FROM skills"), "a\nb\nc");
}

/// Case: load, happy b. REG-LOAD.1, REG-LOAD.19, REG-DB.10.
#[test]
fn optional_fields_are_stored_in_their_columns() {
    let world = project();
    let top = "version: 1.10\nentrypoint: run.sh\ncapabilities: [read, write]\ngreek_letter: epsilon\nzeta: {b: 1, a: 2}\n";
    skill(&world, "top", top);
    let inner = "metadata:\n  version: banana\n  entrypoint: in.sh\n  capabilities: read, write\n  greek_letter: beta\n";
    skill(&world, "inner", inner);
    sync(&world);
    let columns =
        "SELECT concat_ws('|', name, version, entrypoint, capabilities, greek_letter) FROM skills";
    assert_eq!(
        ask(&db(&world), columns),
        "inner|banana|in.sh|[\"read\",\"write\"]|beta\ntop|1.10|run.sh|[\"read\",\"write\"]|epsilon"
    );
    let row = get(&world, "top");
    let json = r#"{"name":"top","description":"Does top things.","version":1.1,"entrypoint":"run.sh","capabilities":["read","write"],"greek_letter":"epsilon","zeta":{"b":1,"a":2}}"#;
    assert_eq!(row["frontmatter_json"], json);
    assert_eq!(row["body"], "# top\n");
}

/// Case: load, happy c. REG-DB.4, REG-LOAD.19.
#[test]
fn missing_fields_have_defaults() {
    let world = with(&["a"]);
    sync(&world);
    let columns = "SELECT quote(version) || quote(entrypoint) || capabilities || quote(greek_letter) FROM skills";
    assert_eq!(ask(&db(&world), columns), "NULLNULL[]NULL");
    let types = "SELECT json_valid(capabilities) || json_type(capabilities) FROM skills";
    assert_eq!(ask(&db(&world), types), "1array");
}

/// Case: load, happy d. REG-DB.5, REG-DB.6.
#[test]
fn paths_and_timestamps_are_normalized() {
    let world = with(&["a"]);
    let text = "---\nname: b\ndescription: d\n---\n";
    write(&world.home.join(".agents/skills/b/SKILL.md"), text);
    sync(&world);
    assert_eq!(get(&world, "a")["source_path"], ".agents/skills/a/SKILL.md");
    assert_eq!(
        get(&world, "b")["source_path"],
        "~/.agents/skills/b/SKILL.md"
    );
    assert_eq!(get(&world, "b")["loaded_at"], "2026-01-31T08:15:00.000Z");
}

/// REG-DB.10.
#[test]
fn the_body_is_stored_verbatim() {
    let world = project();
    let path = world.cwd.join(".agents/skills/a/SKILL.md");
    for body in ["", "\n\n# A\r\n\u{0}é\n---\nx: y\n", "no line end"] {
        write(
            &path,
            format!("\u{feff}---\r\nname: a\r\ndescription: d\r\n---\r\n{body}"),
        );
        sync(&world);
        assert_eq!(get(&world, "a")["body"], body);
    }
}

/// Case: load, parse error a. REG-LOAD.4, REG-LOAD.3, REG-LOAD.15.
#[test]
fn one_invalid_skill_of_three_is_reported_once_and_the_others_load() {
    let world = with(&["a", "c"]);
    let broken = write(
        &world.cwd.join(".agents/skills/b/SKILL.md"),
        "---\nname: b\n---\n",
    );
    let synced = sync(&world);
    assert_eq!(counts(&synced), [2, 1, 0, 3]);
    let expected = format!(
        "skill skipped: '{}': 'description' is missing",
        broken.display()
    );
    assert_eq!(warnings(&synced, "W061"), [expected]);
    assert_eq!(synced.stderr.lines().count(), 1);
    assert_eq!(listed(&world, &[]), "a,c");
}

/// Case: load, parse error b. REG-LOAD.11, REG-LOAD.12.
#[test]
fn if_all_skills_are_invalid_the_table_is_empty() {
    let world = with(&["a", "b"]);
    sync(&world);
    for name in ["a", "b"] {
        write(
            &world.cwd.join(format!(".agents/skills/{name}/SKILL.md")),
            "# Gone\n",
        );
    }
    let synced = sync(&world);
    assert_eq!(counts(&synced), [0, 2, 2, 2]);
    assert_eq!(warnings(&synced, "W061").len(), 2);
    assert_eq!(listed(&world, &[]), "");
}

/// REG-LOAD.5.
#[test]
fn unreadable_skills_are_skipped_like_invalid_ones() {
    let world = with(&["a"]);
    let skills = world.cwd.join(".agents/skills");
    fs::create_dir_all(skills.join("b/SKILL.md")).expect("a directory");
    let head = "---\nname: NAME\ndescription: d\n---\n";
    let text_of = |name: &str| head.replace("NAME", name).into_bytes();
    write(
        &skills.join("c/SKILL.md"),
        [text_of("c"), vec![0xff]].concat(),
    );
    write(
        &skills.join("d/SKILL.md"),
        [text_of("d"), vec![b'x'; 4 << 20]].concat(),
    );
    write(
        &skills.join("e/SKILL.md"),
        "---\nname: e\ndescription: d\nversion: [1]\n---\n",
    );
    let synced = sync(&world);
    assert_eq!(counts(&synced), [1, 4, 0, 5]);
    let said = warnings(&synced, "W061");
    let reasons: Vec<&str> = said
        .iter()
        .filter_map(|line| line.rsplit("': ").next())
        .collect();
    assert_eq!(
        reasons,
        [
            "not a file",
            "not UTF-8",
            "larger than 4 MiB",
            "'version' is not a string"
        ]
    );
    assert_eq!(listed(&world, &[]), "a");
}

/// Case: load, no SKILL.md. REG-LOAD.6, REG-LOAD.7.
#[test]
fn a_directory_without_a_skill_is_skipped_silently() {
    let world = with(&["a"]);
    let skills = world.cwd.join(".agents/skills");
    fs::create_dir_all(skills.join("empty")).expect("a directory");
    write(&skills.join("README.md"), "# Skills\n");
    write(
        &skills.join("SKILL.md"),
        "---\nname: skills\ndescription: d\n---\n",
    );
    write(&skills.join(".git/SKILL.md"), "broken");
    let synced = sync(&world);
    assert_eq!(counts(&synced), [1, 0, 0, 1]);
    assert_eq!(synced.stderr, "");
}

/// Case: load, pruning. REG-LOAD.11.
#[test]
fn rows_of_deleted_skills_are_pruned() {
    let world = with(&["a", "b"]);
    sync(&world);
    fs::remove_dir_all(world.cwd.join(".agents/skills/a")).expect("removed");
    assert_eq!(counts(&sync(&world)), [1, 0, 1, 1]);
    assert_eq!(listed(&world, &[]), "b");
}

/// REG-LOAD.12.
#[test]
fn a_skill_that_becomes_invalid_is_skipped_and_pruned() {
    let world = with(&["a", "b"]);
    sync(&world);
    write(
        &world.cwd.join(".agents/skills/a/SKILL.md"),
        "---\nname: a\n",
    );
    assert_eq!(counts(&sync(&world)), [1, 1, 1, 2]);
    assert_eq!(listed(&world, &[]), "b");
}

/// Case: load, idempotent. REG-LOAD.13.
#[test]
fn a_second_sync_changes_nothing() {
    let world = with(&["a", "b"]);
    let first = sync(&world);
    let rows = [get(&world, "a"), get(&world, "b")];
    let second = sync(&world);
    assert_eq!(counts(&first), counts(&second));
    assert_eq!([get(&world, "a"), get(&world, "b")], rows);
    assert_eq!(listed(&world, &[]), "a,b");
}

/// REG-LOAD.14.
#[test]
fn an_edited_skill_is_updated_in_every_column() {
    let world = project();
    skill(
        &world,
        "a",
        "version: 1\nentrypoint: x\ncapabilities: [x]\ngreek_letter: x\n",
    );
    sync(&world);
    let text = "---\nname: a\ndescription: New.\nversion: 2\nentrypoint: y\ncapabilities: [y]\ngreek_letter: y\n---\nNew.\n";
    write(&world.cwd.join(".agents/skills/a/SKILL.md"), text);
    sync(&world);
    let row = get(&world, "a");
    let value = |key: &str| row[key].clone();
    let expected: [(&str, Value); 6] = [
        ("description", json!("New.")),
        ("version", json!("2")),
        ("entrypoint", json!("y")),
        ("capabilities", json!(["y"])),
        ("greek_letter", json!("y")),
        ("body", json!("New.\n")),
    ];
    for (key, wanted) in expected {
        assert_eq!(value(key), wanted, "{key}");
    }
    assert!(
        value("frontmatter_json")
            .as_str()
            .expect("a text")
            .contains("\"New.\"")
    );
}

/// REG-LOAD.18, REG-DB.3: the nearest skill takes precedence, no matter which skill was created first, and the conflict
/// is reported.
#[test]
fn precedence_among_skills_of_one_name_is_deterministic() {
    for order in [[0, 1], [1, 0]] {
        let mut world = project();
        let root = world.cwd.clone();
        let text = |says: &str| format!("---\nname: x\ndescription: {says}\n---\n");
        let places = [
            (root.join("in/.agents/skills/x/SKILL.md"), text("near")),
            (root.join(".agents/skills/x/SKILL.md"), text("far")),
        ];
        for at in order {
            write(&places[at].0, &places[at].1);
        }
        world.cwd = root.join("in");
        let synced = sync(&world);
        assert_eq!(counts(&synced), [2, 0, 0, 2]);
        assert_eq!(synced.json()["shadowed"], 1);
        let expected = format!(
            "skill name 'x' has 2 definitions; registry uses '{}'",
            places[0].0.display()
        );
        assert_eq!(warnings(&synced, "W060"), [expected]);
        assert_eq!(get(&world, "x")["description"], "near");
        assert_eq!(
            get(&world, "x")["source_path"],
            "in/.agents/skills/x/SKILL.md"
        );
        let sources = "SELECT path || winner FROM skill_sources ORDER BY path";
        let expected = format!("{}0\n{}1", places[1].0.display(), places[0].0.display());
        assert_eq!(ask(&db(&world), sources), expected);
    }
}

/// REG-LOAD.18.
#[test]
fn if_the_first_skill_of_a_name_is_invalid_the_next_is_used() {
    let world = project();
    skill(&world, "x", "version: [1]\n");
    let text = "---\nname: x\ndescription: The user's.\n---\n";
    write(&world.home.join(".agents/skills/x/SKILL.md"), text);
    let synced = sync(&world);
    assert_eq!(counts(&synced), [1, 1, 0, 2]);
    assert_eq!(get(&world, "x")["description"], "The user's.");
    assert_eq!(warnings(&synced, "W060"), [""; 0]);
}

/// REG-LOAD.20.
#[test]
fn other_files_of_a_skill_are_not_read() {
    let world = with(&["a"]);
    let dir = world.cwd.join(".agents/skills/a");
    fs::create_dir(dir.join("scripts")).expect("a directory");
    #[cfg(unix)]
    rustix::fs::mkfifoat(rustix::fs::CWD, dir.join("scripts/run.sh"), 0o600.into())
        .expect("a FIFO without a writer");
    write(&dir.join("references/x.md"), [0xff; 100]);
    let synced = sync(&world);
    assert_eq!((counts(&synced), &*synced.stderr), ([1, 0, 0, 1], ""));
}

/// R20.
#[test]
fn warnings_about_skipped_skills_are_limited() {
    let world = with(&["a"]);
    for number in 0..1_010 {
        let path = format!(".agents/skills/bad{number}/SKILL.md");
        write(&world.cwd.join(path), "bad");
    }
    let synced = sync(&world);
    assert_eq!(counts(&synced), [1, 1_010, 0, 1_011]);
    let said = warnings(&synced, "W061");
    assert_eq!(said.len(), 1_001);
    assert_eq!(said[1_000], "skill skipped: '…': 10 more");
}

/// CAT-CONF.1: a disabled skill does not count as deleted.
#[test]
fn disabled_skills_are_not_synced_and_keep_their_rows() {
    let mut world = with(&["a"]);
    sync(&world);
    world.set("SKILLC_SKILLS_ENABLED", "0");
    let refused = registry(&world, &["sync"]);
    refused.error("error[E065]: skills are disabled by configuration");
    assert_eq!(listed(&world, &[]), "a");
}

#[test]
fn names_that_differ_only_in_case_are_distinct() {
    let world = with(&["read"]);
    write(
        &world.cwd.join(".agents/skills/Read/SKILL.md"),
        "---\nname: Read\ndescription: d\n---\n",
    );
    let synced = sync(&world);
    assert_eq!(counts(&synced), [1, 1, 0, 2]);
    assert_eq!(listed(&world, &[]), "read");
    registry(&world, &["get", "READ"]).code("E001");
}
