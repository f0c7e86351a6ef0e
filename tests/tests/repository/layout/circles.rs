//! Limits circular module dependencies: modules in a cycle can only be understood together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use crate::layout::rust_text::RustText;
use crate::layout::sources::ROOT;

/// Maximum number of modules in a dependency cycle.
const MAX_CIRCLE: usize = 3;

/// The modules of a crate, each with the modules that it refers to.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Reads the top-level modules of a crate from its source folder.
fn graph(src: &Path) -> Graph {
    let mut graph = Graph::new();
    let files = WalkDir::new(src).into_iter().filter_map(Result::ok);
    for file in files.filter(|file| file.path().extension().is_some_and(|of| of == "rs")) {
        let path = file.path().strip_prefix(src).expect("below it");
        let top = path.components().next().expect("a name").as_os_str();
        let module = top.to_str().expect("UTF-8").trim_end_matches(".rs");
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        if ["lib", "main"].contains(&module) || is_test || path.ends_with("tests.rs") {
            continue;
        }
        let text = RustText::product(&fs::read_to_string(file.path()).expect("a file"));
        let needs = graph.entry(module.to_owned()).or_default();
        needs.extend(named(&text.code));
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, needs) in &mut graph {
        needs.retain(|needed| needed != module && modules.contains(needed));
    }
    graph
}

/// Returns the modules that a source file refers to, as `crate::a::B` or in `crate::{a, b::C}`.
fn named(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, start) in code.match_indices("crate::") {
        if code[..at].ends_with('$') {
            continue;
        }
        let rest = &code[at + start.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut is_first = true;
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_first = true,
                c if is_first && c.is_alphabetic() => {
                    names.insert(word(&list[at..]));
                    is_first = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn word(text: &str) -> String {
    let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
    text.chars().take_while(is_name).collect()
}

/// Returns all modules reachable from a module.
fn reached<'a>(graph: &'a Graph, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        let new = graph[module].iter().map(String::as_str);
        next.extend(new.filter(|needed| reached.insert(*needed)));
    }
    reached
}

/// Returns the modules in a dependency cycle with this one, including itself.
fn circle<'a>(graph: &'a Graph, module: &'a str) -> BTreeSet<&'a str> {
    let there = reached(graph, module);
    let back = there
        .iter()
        .filter(|other| reached(graph, other).contains(module));
    back.copied().collect()
}

#[test]
fn module_cycles_have_at_most_three_members() {
    let mut crates = 0;
    for folder in ["skillc", "."] {
        for dir in Path::new(ROOT).join(folder).read_dir().expect("a folder") {
            let dir = dir.expect("an entry").path();
            if !dir.join("Cargo.toml").is_file() || dir.join("tests").join("mod.rs").is_file() {
                continue;
            }
            crates += 1;
            let graph = graph(&dir.join("src"));
            for module in graph.keys() {
                let circle = circle(&graph, module);
                assert!(circle.len() <= MAX_CIRCLE, "{}: {circle:?}", dir.display());
            }
        }
    }
    assert!(crates >= 13, "{crates}");
}

#[test]
fn every_form_of_import_is_recognized() {
    let code =
        "use crate::a::B;\nuse crate::{b, c::{D, e}, f::G};\nfn x() { crate::h() }\n$crate::i";
    let names = named(code);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(names, ["a", "b", "c", "f", "h"]);
}

#[test]
fn a_cycle_is_found_from_every_member() {
    let of = |needs: &[&str]| needs.iter().map(|&name| name.to_owned()).collect();
    let graph = Graph::from([
        ("a".to_owned(), of(&["b"])),
        ("b".to_owned(), of(&["c"])),
        ("c".to_owned(), of(&["a", "d"])),
        ("d".to_owned(), of(&[])),
    ]);
    for module in ["a", "b", "c"] {
        assert_eq!(circle(&graph, module), BTreeSet::from(["a", "b", "c"]));
    }
    assert!(circle(&graph, "d").is_empty());
}
