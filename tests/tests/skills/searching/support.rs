//! Helpers shared by several of these tests.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rusqlite::types::FromSql;
use skillc_core::testkit::{FixedClock, NOW};
use skillc_core::time::Timestamp;
use skillc_tests::{Output, World, database, run_in};

/// The single line printed for a missing, damaged or stale index of `demo`.
pub(crate) const UNUSABLE: &str =
    "error[E002]: search index unusable; run 'skc build demo' to rebuild";

/// The file and section of a hit.
pub(crate) type Place = (String, String);

/// Searches `demo` and returns the hits in order.
pub(crate) fn places(world: &World, query: &str) -> Vec<Place> {
    let json = world
        .skc([
            "search", "demo", "--limit", "1000", "-o", "json", "--", query,
        ])
        .success()
        .json();
    let text = |hit: &serde_json::Value, key: &str| hit[key].as_str().expect("a text").to_owned();
    let hits = json["results"].as_array().expect("a list").iter();
    hits.map(|hit| (text(hit, "file"), text(hit, "section")))
        .collect()
}

/// Searches only the files that match a glob. Returns the file, heading and lines of each result.
pub(crate) fn found(world: &World, query: &str, file: &str) -> Vec<(String, String, (u64, u64))> {
    let args = ["search", "demo", query, "--file", file, "--format", "json"];
    let json = world.skc(args).success().json();
    let text = |hit: &serde_json::Value, key: &str| hit[key].as_str().expect("a text").to_owned();
    let line = |hit: &serde_json::Value, key: &str| hit[key].as_u64().expect("a line");
    let hits = json["results"].as_array().expect("a list").iter();
    let hits = hits.map(|hit| {
        let lines = (line(hit, "start_line"), line(hit, "end_line"));
        (text(hit, "file"), text(hit, "section"), lines)
    });
    hits.collect()
}

/// Searches `demo` and returns the files of the hits, sorted.
pub(crate) fn files(world: &World, query: &str) -> Vec<String> {
    let mut files: Vec<String> = places(world, query)
        .into_iter()
        .map(|(file, _)| file)
        .collect();
    files.sort();
    files
}

/// Returns the location of a hit.
pub(crate) fn place(file: &str, section: &str) -> Place {
    (file.to_owned(), section.to_owned())
}

/// Searches `demo` for a word of the minimal skill.
pub(crate) fn search(world: &World) -> Output {
    world.skc(["search", "demo", "hello"])
}

/// Shows the only section of the minimal skill.
pub(crate) fn show(world: &World) -> Output {
    world.skc(["show", "demo", "--section", "Demo"])
}

/// Checks that search and show reject the index.
#[track_caller]
pub(crate) fn is_unusable(world: &World, case: &str) {
    for output in [search(world), show(world)] {
        assert!(!output.ok, "{case}: {output:?}");
        assert_eq!(output.stderr.lines().next(), Some(UNUSABLE), "{case}");
        assert_eq!(output.text(), "", "{case}");
    }
}

/// Checks that search and show accept the index.
#[track_caller]
pub(crate) fn is_usable(world: &World, case: &str) {
    let found = search(world);
    assert!(
        found.ok && found.text().starts_with("SKILL.md#Demo "),
        "{case}: {found:?}"
    );
    let shown = show(world);
    assert!(
        shown.ok && shown.text().starts_with("# Demo\n"),
        "{case}: {shown:?}"
    );
}

/// Builds `demo`.
#[track_caller]
pub(crate) fn build(world: &World) {
    world.skc(["build", "demo"]).success();
}

/// Builds `demo` a day later, so that a new index has another date.
#[track_caller]
pub(crate) fn build_a_day_later(world: &World) -> Output {
    let mut context = world.context_at(&world.cwd);
    context.clock = Arc::new(FixedClock(Timestamp(NOW.0 + 86_400)));
    run_in(context, &["build", "demo"])
}

/// Runs an SQL query on a database; returns the first column of each row.
pub(crate) fn column<T: FromSql>(path: &Path, sql: &str) -> Vec<T> {
    let connection = database::read(path);
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement
        .query_map([], |row| row.get(0))
        .expect("the program runs");
    rows.collect::<Result<_, _>>().expect("rows of that type")
}

/// Writes a file of `demo`'s source.
pub(crate) fn write(world: &World, path: &str, content: impl AsRef<[u8]>) {
    let path = world.demo_source().join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("creatable");
    fs::write(path, content).expect("writable");
}
