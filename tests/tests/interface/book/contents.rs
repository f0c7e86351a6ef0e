//! The table of contents: every page is in it once, in the part for its purpose.

use super::{Page, pages};

/// The parts, in order: for learning, for a task, to look things up, to understand.
const PARTS: [&str; 4] = ["Getting started", "How to", "Reference", "Explanation"];

fn summary() -> String {
    Page::read("docs/src/SUMMARY.md").text
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let summary = summary();
    for page in pages() {
        let Some(path) = page.path.strip_prefix("docs/src/") else {
            continue;
        };
        let expected = usize::from(path != "SUMMARY.md");
        assert_eq!(
            summary.matches(&format!("({path})")).count(),
            expected,
            "{path}"
        );
    }
}

#[test]
fn the_book_is_divided_by_what_readers_need() {
    let summary = summary();
    let parts: Vec<&str> = summary
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|part| *part != "Summary")
        .collect();
    assert!(parts.starts_with(&PARTS), "{parts:?}");
    let begins = summary.find("(installation.md)") < summary.find("(tutorial.md)");
    assert!(begins, "installation comes first");
}
