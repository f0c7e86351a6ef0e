//! The architecture page matches the source: package graph, diagram and main types.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::read;
use crate::layout::dependencies::GRAPH;
use crate::layout::sources::ROOT;
use crate::requirements::rust_files;

const PAGE: &str = "docs/src/design/architecture.md";

/// Packages that are not part of the program: an example of a downstream build, the engine of the playground, and the
/// tests.
const OUTSIDE: [&str; 3] = ["skillc-downstream", "skillc-playground", "skillc-tests"];

/// Returns the part of the page after an anchor, up to the next anchor.
fn part<'a>(page: &'a str, anchor: &str) -> &'a str {
    let mark = format!("<a id=\"{anchor}\"></a>");
    let (_, rest) = page.split_once(&mark).expect("the anchor");
    rest.split("<a id=").next().unwrap_or(rest)
}

/// Returns the table rows that begin with a code span, as cells without backticks.
fn table(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.replace('`', "").trim().to_owned())
            .collect()
    };
    rows.map(cells).collect()
}

/// Returns the full name of a package from its name on the page: `skillc-` is added, except for the program's package,
/// `skillc`.
fn long(name: &str) -> String {
    if name == "skillc" {
        name.to_owned()
    } else {
        format!("skillc-{name}")
    }
}

fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let kept = GRAPH.iter().filter(|(name, _)| !OUTSIDE.contains(name));
    kept.map(|(name, on)| {
        let on = on.iter().map(|name| (*name).to_owned());
        ((*name).to_owned(), on.collect())
    })
    .collect()
}

#[test]
fn the_package_table_matches_the_dependency_graph() {
    let page = read(PAGE);
    let mut found = BTreeMap::new();
    for cells in table(part(&page, "graph")) {
        let on = cells[1].split(", ").filter(|name| !name.is_empty());
        found.insert(cells[0].clone(), on.map(long).collect::<BTreeSet<_>>());
    }
    assert_eq!(found, graph());
}

#[test]
fn the_diagram_draws_packages_above_their_dependencies() {
    let page = read(PAGE);
    let drawing = part(&page, "graph").split("```").nth(1).expect("a drawing");
    let mut heights = BTreeMap::new();
    for (number, line) in drawing.lines().skip(1).enumerate() {
        let words = line.split(|c: char| !c.is_ascii_lowercase());
        for word in words.filter(|word| !word.is_empty()) {
            let former = heights.insert(long(word), number);
            assert_eq!(former, None, "{word} is drawn twice");
        }
    }
    let graph = graph();
    assert!(heights.keys().eq(graph.keys()), "{heights:?}");
    for (name, on) in &graph {
        for lower in on {
            assert!(heights[name] < heights[lower], "{name} above {lower}");
        }
    }
}

#[test]
fn the_main_types_are_defined_where_the_page_says() {
    let page = read(PAGE);
    let mut missing = Vec::new();
    let types = table(part(&page, "types"));
    assert!(types.len() > 10, "{}", types.len());
    for cells in types {
        let folder = Path::new(ROOT).join("skillc").join(&cells[1]).join("src");
        let files = rust_files(&folder).expect("a package");
        let sources: Vec<String> = files
            .iter()
            .map(|file| fs::read_to_string(file).expect("UTF-8"))
            .collect();
        for name in cells[0].split(", ") {
            // The last form is a row of the `codes!` table, from which the macro generates types.
            let forms = ["struct", "enum", "trait", "\n   "].map(|kind| format!("{kind} {name}"));
            let is_defined = |source: &String| {
                forms.iter().any(|form| {
                    source.match_indices(form.as_str()).any(|(at, _)| {
                        let next = source[at + form.len()..].chars().next();
                        next.is_some_and(|c| !c.is_alphanumeric() && c != '_' && c != ',')
                    })
                })
            };
            if !sources.iter().any(is_defined) {
                missing.push(format!("{name} in {}", cells[1]));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}
