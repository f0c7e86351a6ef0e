//! Lines whose wording a specification fixes must appear in the source unchanged.

use std::fs;
use std::path::Path;

use super::read;
use crate::layout::sources::ROOT;
use crate::requirements::rust_files;

const PAGE: &str = "docs/src/design/fixed-lines.md";

/// Folders with product code.
const PRODUCT: [&str; 2] = ["skillc", "rules"];

/// Returns the lines of the page's code blocks.
fn lines(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```").skip(1).step_by(2);
    blocks.flat_map(|block| block.lines().skip(1))
}

/// Splits a line at its placeholders, such as `<name>`. Tags count as placeholders too.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        let Some(end) = rest[at..].find('>') else {
            break;
        };
        parts.push(&rest[..at]);
        rest = &rest[at + end + 1..];
    }
    parts.push(rest);
    parts
}

/// Returns the text to search for: the longest part of the line. `None` if no part contains a word.
fn sought(line: &str) -> Option<&str> {
    let longest = parts(line)
        .into_iter()
        .map(str::trim)
        .max_by_key(|part| part.len())?;
    (longest.chars().filter(|c| c.is_alphabetic()).count() >= 3).then_some(longest)
}

#[test]
fn every_fixed_line_is_in_the_source() {
    let page = read(PAGE);
    let mut source = String::new();
    for folder in PRODUCT {
        for file in rust_files(&Path::new(ROOT).join(folder)).expect("a folder") {
            source += &fs::read_to_string(&file).expect("UTF-8");
        }
    }
    // Ignore line continuations, quotes and concatenated lines in the source.
    let words = |text: &str| -> String {
        let text = text
            .replace("\\n\\\n", " ")
            .replace("\\\n", " ")
            .replace("\\n", " ");
        let text = text.replace(['\\', '"', '\''], "");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let source = words(&source);
    let sought: Vec<&str> = lines(&page).filter_map(sought).collect();
    assert!(sought.len() > 30, "{}", sought.len());
    let missing: Vec<&str> = sought
        .into_iter()
        .filter(|part| !source.contains(&words(part)))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_longest_part_between_placeholders_is_searched_for() {
    assert_eq!(
        sought("Synced <number> entries for '<skill>' (local logs removed)"),
        Some("' (local logs removed)")
    );
    assert_eq!(sought("# <Title>"), None);
    assert_eq!(sought("  <rule>"), None);
}
