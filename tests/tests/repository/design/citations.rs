//! Comments cite the design pages only, and every citation resolves.
//!
//! A citation is `Design: ` and a list of anchors that ends with a full stop. It may continue on the next comment line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::pages::all_anchors;
use crate::layout::sources::ROOT;
use crate::requirements::{ids_in, rust_files};

/// The prefix of a citation.
const MARK: &str = "Design: ";

/// Names of the original design documents, which are not in the repository.
const PAPERS: [&str; 8] = [
    "RULINGS",
    "LEDGER",
    "CATALOG \u{a7}",
    "CATALOG CAT",
    "CATALOG REG",
    "ARCHITECTURE \u{a7}",
    "RFC-000",
    "ADR-000",
];

/// A comment of a source file: consecutive lines with the same prefix.
struct Comment<'a> {
    /// The 1-based number of the first line.
    line: usize,
    lines: Vec<&'a str>,
}

/// Returns the comments of a source file. Comments after code on the same line are left out.
fn comments(source: &str) -> Vec<Comment<'_>> {
    let mut found = Vec::<Comment<'_>>::new();
    let mut kind = None;
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.trim_start();
        let this = ["//!", "///", "//"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        if let Some(mark) = this {
            let text = line[mark.len()..].trim();
            match found.last_mut() {
                Some(last) if kind == Some(mark) => last.lines.push(text),
                _ => found.push(Comment {
                    line: number,
                    lines: vec![text],
                }),
            }
        }
        kind = this;
    }
    found
}

/// Returns the citations in a comment, each as its 1-based line in the file and its anchor. An unterminated citation is
/// an error.
fn cited<'a>(comment: &Comment<'a>) -> Result<Vec<(usize, &'a str)>, String> {
    let mut found = Vec::new();
    let mut is_open = false;
    for (number, line) in (comment.line..).zip(&comment.lines) {
        let mut rest = *line;
        loop {
            if !is_open {
                let Some((_, after)) = rest.split_once(MARK) else {
                    break;
                };
                rest = after;
                is_open = true;
            }
            let end = rest.match_indices('.').map(|(at, _)| at);
            let end = end
                .filter(|at| rest[at + 1..].is_empty() || rest[at + 1..].starts_with(' '))
                .min();
            let list = &rest[..end.unwrap_or(rest.len())];
            let items = list
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty());
            found.extend(items.map(|item| (number, item)));
            let Some(end) = end else {
                break;
            };
            is_open = false;
            rest = &rest[end + 1..];
        }
        if is_open && !line.ends_with(',') {
            return Err(format!("line {number}: '{MARK}…' ends with a full stop"));
        }
    }
    if is_open {
        return Err(format!("line {}: unterminated citation", comment.line));
    }
    Ok(found)
}

/// Returns the numbers of decisions in a line of prose: `R20`, `D5`.
fn decisions_in(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && !"-_+".contains(c));
    words.filter(|word| {
        let number = word.strip_prefix(['R', 'D']).unwrap_or_default();
        (1..=2).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit())
    })
}

/// Returns the errors in the citations of a source file.
fn faults(source: &str, anchors: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    for comment in comments(source) {
        match cited(&comment) {
            Err(fault) => faults.push(fault),
            Ok(cited) => {
                let unknown = cited.iter().filter(|(_, id)| !anchors.contains(*id));
                faults.extend(unknown.map(|(line, id)| format!("line {line}: no anchor '{id}'")));
            }
        }
        for (number, line) in (comment.line..).zip(&comment.lines) {
            let paper = PAPERS.iter().find(|paper| line.contains(**paper));
            faults.extend(
                paper.map(|paper| format!("line {number}: '{paper}' is not in the repository")),
            );
            let ids = ids_in(line).chain(decisions_in(line));
            let unknown = ids.filter(|id| !anchors.contains(*id));
            faults.extend(unknown.map(|id| format!("line {number}: no anchor '{id}'")));
        }
    }
    faults
}

#[test]
fn every_citation_resolves() {
    let anchors = all_anchors();
    let mut report = BTreeSet::new();
    let mut cited_somewhere = 0;
    for file in rust_files(Path::new(ROOT)).expect("the workspace can be listed") {
        // These files contain invalid citations on purpose.
        if file.ends_with("design/citations.rs") || file.ends_with("repository/requirements.rs") {
            continue;
        }
        let source = fs::read_to_string(&file).expect("sources are readable UTF-8");
        let shown = file.strip_prefix(ROOT).unwrap_or(&file).display();
        report.extend(
            faults(&source, &anchors)
                .iter()
                .map(|fault| format!("{shown}: {fault}")),
        );
        cited_somewhere += source.matches(MARK).count();
    }
    let report: Vec<String> = report.into_iter().collect();
    assert!(report.is_empty(), "{}", report.join("\n"));
    assert!(cited_somewhere > 300, "{cited_somewhere}");
}

mod scanner {
    use super::*;

    fn faults_in(source: &str) -> Vec<String> {
        let anchors = ["R20", "R21", "C-STUB", "C-STUB.6", "catalog-policy"];
        faults(source, &anchors.map(str::to_owned).into())
    }

    #[test]
    fn valid_citations_are_accepted() {
        for good in [
            "//! Design: R20, C-STUB.6, catalog-policy.\n",
            "//! About it.\n//!\n//! Design: R20,\n//! R21. And more.\n",
            "    /// The most. Design: R20. Or so. Design: R21.\n",
            "// see C-STUB.6\n",
            "let a = \"Design: none\";\n",
        ] {
            assert_eq!(faults_in(good), [""; 0], "{good}");
        }
    }

    #[test]
    fn unknown_anchors_and_documents_are_reported() {
        for (bad, place) in [
            ("/// Design: R2.\n", "line 1"),
            ("//! A.\n//! Design: R20, C-STUB.7.\n", "line 2"),
            ("//! Design: R20\n", "line 1"),
            ("//! Design: R20 and R21.\n", "line 1"),
            ("//! Design: R20,\n", "line 1"),
            ("// see C-STUB.60\n", "line 1"),
            ("// RULINGS R20\n", "line 1"),
            ("// R99: why\n", "line 1"),
            ("fn a() {}\n/// RFC-0001 C-STUB.\nfn b() {}\n", "line 2"),
        ] {
            let faults = faults_in(bad);
            assert!(
                !faults.is_empty() && faults[0].starts_with(place),
                "{bad}: {faults:?}"
            );
        }
    }
}
