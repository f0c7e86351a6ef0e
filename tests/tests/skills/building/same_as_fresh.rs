//! After any number of incremental edits, an index equals a newly created one and gives the same answers.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use rusqlite::types::Value;
use skillc_tests::{World, database};

use crate::building::support::{Files, manifest, stub, write};

const NAMES: usize = 24;
const WORDS: [&str; 8] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "build",
    "search",
    "index",
    "\u{e9}t\u{e9}",
];

/// A random edit of a skill.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, String),
    Remove(usize),
    Rename(usize, usize),
    Swap(usize, usize),
}

fn name(number: usize) -> String {
    let extension = ["md", "md", "txt", "json", "csv", "bin"][number % 6];
    let dir = ["", "docs/", "docs/deep/"][number % 3];
    format!("{dir}file{number}.{extension}")
}

/// Generates text of a few lines: headings, words, and separators.
fn text() -> impl Strategy<Value = String> {
    let words = proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..6);
    let mark = proptest::sample::select(
        &[
            "# ",
            "## ",
            "### ",
            "",
            "",
            "> ",
            "```\n",
            "{\"a\": 1}\n",
            "a,b\n",
        ][..],
    );
    let line = (mark, words).prop_map(|(mark, words)| format!("{mark}{}\n", words.join(" ")));
    proptest::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..NAMES, text()).prop_map(|(at, text)| Step::Write(at, text)),
        1 => (0..NAMES).prop_map(Step::Remove),
        1 => (0..NAMES, 0..NAMES).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (0..NAMES, 0..NAMES).prop_map(|(one, other)| Step::Swap(one, other)),
    ]
}

/// Applies the step to the files in memory.
fn apply(files: &mut Files, step: &Step) {
    match step {
        Step::Write(at, text) => drop(files.insert(name(*at), text.clone())),
        Step::Remove(at) => drop(files.remove(&name(*at))),
        Step::Rename(from, to) => {
            if let Some(text) = files.remove(&name(*from)) {
                files.insert(name(*to), text);
            }
        }
        Step::Swap(one, other) => {
            let (first, second) = (files.remove(&name(*one)), files.remove(&name(*other)));
            files.extend(first.map(|text| (name(*other), text)));
            files.extend(second.map(|text| (name(*one), text)));
        }
    }
}

/// Makes the disk match `files`, writing only the files that differ.
fn sync_to_disk(world: &World, files: &Files) {
    for at in 0..NAMES {
        let path = world.demo_source().join(name(at));
        match files.get(&name(at)) {
            Some(text) if fs::read_to_string(&path).ok().as_ref() != Some(text) => {
                write(world, &name(at), text);
            }
            None if path.exists() => fs::remove_file(path).expect("removed"),
            Some(_) | None => {}
        }
    }
}

/// Everything that readers can observe of a build.
#[derive(Debug, PartialEq)]
struct Seen {
    rows: Vec<Vec<Value>>,
    answers: Vec<serde_json::Value>,
    stub: String,
    hash: serde_json::Value,
}

fn seen(world: &World) -> Seen {
    let connection = database::read(&world.demo_index());
    let mut rows = Vec::new();
    // Row numbers may differ, but not their order within a file.
    for (sql, columns) in [
        (
            "SELECT file, section, content, start_line, end_line
             FROM sections JOIN section_lines ON section_lines.rowid = sections.rowid ORDER BY file, sections.rowid",
            5,
        ),
        (
            "SELECT file, text, level, start_line, end_line FROM headings ORDER BY file, id",
            5,
        ),
        (
            "SELECT path, end_section - first_section, end_heading - first_heading, chars, cjk_chars FROM files ORDER BY path",
            5,
        ),
        (
            "SELECT key, value FROM index_meta WHERE key <> 'indexed_at' ORDER BY key",
            2,
        ),
        (
            "SELECT 'rows', (SELECT count(*) FROM section_lines), (SELECT count(*) FROM sections_docsize)",
            3,
        ),
    ] {
        let mut statement = connection.prepare(sql).expect("a table");
        let found = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect());
        rows.extend(found.expect("rows").map(|row| row.expect("a row")));
    }
    let ask = |query: &str| {
        world
            .skc(["search", "demo", query, "--limit", "100", "-o", "json"])
            .success()
            .json()
    };
    let answers = WORDS
        .iter()
        .chain(&["alpha beta", "docs", "file4"])
        .map(|query| ask(query))
        .collect();
    let hash = manifest(&world.demo_runtime())["source_hash"].clone();
    Seen {
        rows,
        answers,
        stub: stub(world),
        hash,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// C-INDEX.10, C-DEPLOYMENT.10, C-STUB.7, F-17.
    #[test]
    fn after_any_changes_the_index_equals_a_fresh_one(
        first in proptest::collection::vec(text(), NAMES),
        rounds in proptest::collection::vec(proptest::collection::vec(step(), 1..4), 1..5),
    ) {
        let world = World::demo(&[]);
        let mut files: Files = first.into_iter().enumerate().map(|(at, text)| (name(at), text)).collect();
        sync_to_disk(&world, &files);
        world.skc(["build", "demo"]).success();
        for steps in &rounds {
            for step in steps {
                apply(&mut files, step);
            }
            sync_to_disk(&world, &files);
            world.skc(["build", "demo"]).success();
        }
        let edited = seen(&world);
        fs::remove_dir_all(world.demo_runtime()).expect("removed");
        world.skc(["build", "demo"]).success();
        prop_assert_eq!(edited, seen(&world));
        let left: Vec<PathBuf> = crate::building::support::leftovers(&world.cwd);
        prop_assert_eq!(left, Vec::<PathBuf>::new());
    }
}
