//! Checks, before anything is timed, that the product and the floor do the same work.

use std::process::Command;

use rusqlite::Connection;

use crate::skills::{NAME, Sample};

/// Compares the rows of the product's index with those of the floor's index.
///
/// # Panics
/// If they differ in any table other than the build metadata.
pub(crate) fn same_rows(sample: &Sample) {
    let index = Connection::open(sample.index()).expect("an index");
    let floor = sample.floor_index();
    index
        .execute("ATTACH ?1 AS floor", [floor.to_string_lossy()])
        .expect("an index");
    for columns in [
        "rowid, file, section, content FROM {}sections",
        "id, file, text, level, start_line, end_line FROM {}headings",
        "rowid, start_line, end_line FROM {}section_lines",
        "path, first_section, end_section, first_heading, end_heading, chars, cjk_chars FROM {}files",
    ] {
        let (ours, floor) = (
            columns.replace("{}", "main."),
            columns.replace("{}", "floor."),
        );
        for (one, other) in [(&ours, &floor), (&floor, &ours)] {
            let sql = format!("SELECT count(*) FROM (SELECT {one} EXCEPT SELECT {other})");
            let only: u64 = index
                .query_row(&sql, [], |row| row.get(0))
                .expect("should be readable");
            assert_eq!(only, 0, "rows on one side only: {one}");
        }
    }
}

/// Compares the output of the product with that of the floor.
///
/// # Panics
/// If the results differ.
pub(crate) fn same_answers(sample: &Sample, query: &str, heading: &str) {
    let db = sample.index();
    let db = db.to_string_lossy();
    let ours = stdout(sample.skc(&["show", NAME, "--section", heading]));
    let floor = stdout(sample.floor("show", &[&db, heading]));
    assert_eq!(ours, floor, "show");

    let ours = stdout(sample.skc(&["search", NAME, query]));
    let floor = stdout(sample.floor("search", &[&db, query]));
    let places = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.contains(".md#"))
            .map(str::to_owned)
            .collect()
    };
    // The floor also returns the enclosing sections of each match.
    let (ours, floor) = (places(&ours), places(&floor));
    assert!(floor.contains(ours.first().expect("a hit")), "search");
    assert_eq!(ours.len(), floor.len(), "search");

    let ours = stdout(sample.skc(&["outline", NAME]));
    let floor = stdout(sample.floor("outline", &[]));
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim_start().to_owned())
            .collect()
    };
    assert_eq!(lines(&ours), lines(&floor), "outline");
}

fn stdout(mut command: Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{command:?} failed");
    String::from_utf8(output.stdout).expect("text")
}
