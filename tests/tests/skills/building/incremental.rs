//! Incremental builds do only the work that the changes require.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::SystemTime;

use rusqlite::types::Value;
use skillc_tests::{World, database};

use crate::building::support::{named, write};

const WIDE: [(&str, &str); 8] = [
    ("a.md", "# Alpha\n\nfirst words\n"),
    ("b.md", "# Beta\n\nsecond words\n"),
    ("c.txt", "third words\n"),
    ("d/d.md", "# Delta\n\nfourth words\n"),
    ("e.md", "# Epsilon\n\n## Sub\n\nfifth words\n"),
    ("f.bin", "\u{0}"),
    ("g.md", "# Gamma\n\nseventh words\n"),
    ("h.md", "# Eta\n\neighth words\n"),
];

/// C-INDEX.10, C-DEPLOYMENT.10.
#[test]
fn rebuilding_an_unchanged_skill_changes_no_file() {
    let world = settled();
    let before = files(&world);
    world.skc(["build", "demo"]).success();
    assert_eq!(files(&world), before);
}

/// C-MANIFEST.3.
#[test]
fn a_touch_does_not_change_index_stub_or_manifest() {
    let world = settled();
    let mut before = files(&world);
    tick(&world);
    for path in ["SKILL.md", "b.md", "f.bin"] {
        let full = world.demo_source().join(path);
        fs::write(&full, fs::read(&full).expect("a file")).expect("a file");
    }
    world.skc(["search", "demo", "words"]).success();
    world.skc(["build", "demo"]).success();
    let mut after = files(&world);
    for files in [&mut before, &mut after] {
        files.retain(|path, _| !path.to_string_lossy().contains("stamps-"));
        assert_eq!(files.len(), 5);
    }
    assert_eq!(after, before);
}

/// F-08, C-DEPLOYMENT.10.
#[test]
fn an_edit_changes_the_rows_of_the_edited_file_only() {
    let world = settled();
    let (before, found) = (rows(&world, "<> 'a.md'"), rows(&world, "= 'a.md'"));
    assert_eq!((before.len(), found.len()), (15, 2));
    // Make the first file longer: in a recreated index, all later rows would have other numbers.
    write(
        &world,
        "a.md",
        "# Alpha\n\nchanged\n\n## More\n\nadded\n\n## Still more\n",
    );
    world.skc(["build", "demo"]).success();
    assert_eq!(rows(&world, "<> 'a.md'"), before);
    assert_eq!(rows(&world, "= 'a.md'").len(), 6);
    for (word, hits) in [("added", 1), ("first", 0), ("second", 1)] {
        let found = world
            .skc(["search", "demo", word, "-o", "json"])
            .success()
            .json();
        assert_eq!(
            found["results"].as_array().map(Vec::len),
            Some(hits),
            "{word}"
        );
    }

    fs::remove_file(world.demo_source().join("a.md")).expect("removed");
    world.skc(["build", "demo"]).success();
    assert_eq!(rows(&world, "<> 'a.md'"), before);
    assert_eq!(rows(&world, "= 'a.md'").len(), 0);
    world
        .skc(["show", "demo", "--section", "Alpha"])
        .code("E020");
}

/// C-MANIFEST.3, D-STALE, F-09.
#[test]
fn an_edit_of_the_same_size_with_the_old_time_is_noticed() {
    let world = settled();
    let path = world.demo_source().join("b.md");
    let time = fs::metadata(&path).and_then(|metadata| metadata.modified());
    let time = time.expect("a time");
    let edits: [&dyn Fn(); 2] = [
        &|| fs::write(&path, "# Beta\n\nsacond words\n").expect("a file"),
        // Save the file the way editors often do: write a new file, and rename it.
        &|| {
            fs::write(path.with_extension("new"), "# Beta\n\nsicond words\n").expect("a file");
            fs::rename(path.with_extension("new"), &path).expect("renamed");
        },
    ];
    for (edit, word) in edits.iter().zip(["sacond", "sicond"]) {
        edit();
        set_time(&path, time);
        world.skc(["search", "demo", word]).code("E002");
        world
            .skc(["show", "demo", "--section", "Beta"])
            .code("E002");
        world.skc(["build", "demo"]).success();
        let found = world
            .skc(["search", "demo", word, "-o", "json"])
            .success()
            .json();
        assert_eq!(found["results"][0]["file"], "b.md");
        let shown = world.skc(["show", "demo", "--section", "Beta"]).success();
        assert_eq!(shown.text(), format!("# Beta\n\n{word} words\n"));
    }
}

/// C-STUB.7, C-MANIFEST.3.
#[test]
fn the_stub_reflects_every_edit_of_its_content() {
    let world = settled();
    let has = |text: &str| crate::building::support::stub(&world).contains(text);
    write(&world, "g.md", "# Gamma Two\n");
    world.skc(["build", "demo"]).success();
    assert!(has("  - Gamma Two\n") && !has("  - Gamma\n"));
    fs::rename(
        world.demo_source().join("h.md"),
        world.demo_source().join("0.md"),
    )
    .expect("renamed");
    world.skc(["build", "demo"]).success();
    assert!(has("- References (query by title only)\n  - Eta\n"));
    write(&world, "SKILL.md", &named("demo"));
    world.skc(["build", "demo"]).success();
    assert!(has("\n- Title\n") && has("description: \"A skill.\"") && !has("- Demo\n"));
}

/// Returns a built skill whose files are all older than the last build.
fn settled() -> World {
    let world = World::demo(&WIDE);
    tick(&world);
    world.skc(["build", "demo"]).success();
    world
}

/// Waits until the file system clock advances: files written in the same tick have equal timestamps.
fn tick(world: &World) {
    let probe = world.cwd.join("probe");
    let write = || {
        fs::write(&probe, "x").expect("a file");
        fs::metadata(&probe)
            .and_then(|metadata| metadata.modified())
            .expect("a time")
    };
    let begun = write();
    while write() == begun {}
}

fn set_time(path: &PathBuf, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(time).expect("a time");
}

/// Returns the identity, modification time and content of each file in the runtime directory.
fn files(world: &World) -> BTreeMap<PathBuf, (u64, SystemTime, Vec<u8>)> {
    use std::os::unix::fs::MetadataExt;

    let runtime = world.demo_runtime();
    let all = skillc_tests::snapshot(&runtime).into_iter();
    all.filter(|(_, content)| content != b"directory")
        .map(|(path, content)| {
            let metadata = fs::metadata(runtime.join(&path)).expect("a file");
            let time = metadata.modified().expect("a time");
            (path, (metadata.ino(), time, content))
        })
        .collect()
}

/// Returns the sections and headings, with their row numbers, of the files whose path matches the condition.
fn rows(world: &World, condition: &str) -> Vec<Vec<Value>> {
    let connection = database::read(&world.demo_index());
    let mut found = Vec::new();
    for sql in [
        "SELECT sections.rowid, file, section, content, start_line, end_line
         FROM sections JOIN section_lines ON section_lines.rowid = sections.rowid",
        "SELECT id, file, text, level, start_line, end_line FROM headings",
    ] {
        let sql = format!("{sql} WHERE file {condition} ORDER BY 1");
        let mut statement = connection.prepare(&sql).expect("a table");
        let rows = statement.query_map([], |row| (0..6).map(|at| row.get(at)).collect());
        found.extend(rows.expect("rows").map(|row| row.expect("a row")));
    }
    found
}
