//! The table of contents: every page is listed once, in the right part.

use super::{Page, pages};

/// The parts of the book in order, as in the Diátaxis scheme.
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
fn the_book_has_the_four_diataxis_parts_in_order() {
    let summary = summary();
    let parts: Vec<&str> = summary
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|part| *part != "Summary")
        .collect();
    assert!(parts.starts_with(&PARTS), "{parts:?}");
    let begins = summary.find("(installation.md)") < summary.find("(tutorial.md)");
    assert!(begins, "the installation page must come first");
}
