//! The reference pages, generated from the code and compared with those in the repository.
//!
//! `UPDATE_DOCS=1 cargo test -p skillc-tests --test interface` rewrites the pages.

mod cli;
mod clients;
mod codes;
mod plugins;
mod scripts;
mod skill_clients;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use skillc_core::{Error, Warning};
use skillc_tests::plugins;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src");

/// The header of every page.
const NOTE: &str = "<!-- Generated from the code. To update it, run \
    UPDATE_DOCS=1 cargo test -p skillc-tests --test interface -->\n\n";

/// Generates all pages: path below `reference`, and text.
fn pages() -> BTreeMap<String, String> {
    let registry = plugins();
    let mut pages = BTreeMap::from([
        ("cli.md".to_owned(), cli::page()),
        ("clients.md".to_owned(), skill_clients::page()),
        ("errors.md".to_owned(), codes::page()),
        ("indexers.md".to_owned(), plugins::formats(&registry)),
        ("mcp-clients.md".to_owned(), clients::page()),
        ("rules.md".to_owned(), plugins::rules(&registry)),
        ("script-api.md".to_owned(), scripts::page()),
        ("tools.md".to_owned(), tools::page()),
    ]);
    for rule in registry.rules() {
        let meta = rule.meta();
        pages.insert(
            format!("rules/{}.md", meta.code),
            plugins::rule(meta, &registry),
        );
    }
    for text in pages.values_mut() {
        text.insert_str(0, NOTE);
    }
    pages
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "\\<")
        .replace('\n', " ")
}

/// Formats a table row.
fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Formats a table header.
fn header(names: &[&str]) -> String {
    row(names) + row(&vec!["---"; names.len()]).as_str()
}

/// Returns every Markdown file below a folder, sorted.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|kind| kind == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Inserts an entry for each rule into the table of contents, below the page of all rules.
fn with_rules(summary: &str) -> String {
    const PAGE: &str = "- [Lint rules](reference/rules.md)\n";
    let (before, after) = summary.split_once(PAGE).expect("the page of rules");
    let after = after
        .split_inclusive('\n')
        .skip_while(|line| line.starts_with("  - "));
    let rules = plugins::contents(&plugins());
    [before, PAGE, &rules].concat() + after.collect::<String>().as_str()
}

#[test]
fn the_table_of_contents_lists_every_rule_in_order() {
    let path = Path::new(BOOK).join("SUMMARY.md");
    let summary = fs::read_to_string(&path).expect("a page");
    let expected = with_rules(&summary);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).expect("a page");
    } else {
        assert!(summary == expected, "out of date, see UPDATE_DOCS=1");
    }
}

#[test]
fn reference_pages_are_up_to_date() {
    let reference = Path::new(BOOK).join("reference");
    let pages = pages();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(reference.join("rules")).expect("a directory");
        for (path, text) in &pages {
            fs::write(reference.join(path), text).expect("a page");
        }
        let expected: BTreeSet<PathBuf> = pages.keys().map(|path| reference.join(path)).collect();
        for stray in markdown(&reference)
            .iter()
            .filter(|path| !expected.contains(*path))
        {
            fs::remove_file(stray).expect("a stray page");
        }
    }
    let read = |path: &PathBuf| fs::read_to_string(path).expect("a page");
    let name = |path: &PathBuf| {
        path.strip_prefix(&reference)
            .expect("below it")
            .to_string_lossy()
            .replace('\\', "/")
    };
    let found: BTreeMap<String, String> = markdown(&reference)
        .iter()
        .map(|path| (name(path), read(path)))
        .collect();
    let differ: Vec<&String> = pages
        .keys()
        .chain(found.keys())
        .filter(|path| pages.get(*path) != found.get(*path))
        .collect();
    assert!(
        differ.is_empty(),
        "out of date, see UPDATE_DOCS=1: {differ:?}"
    );
}

/// An independent check of the generator's output.
#[test]
fn every_command_code_rule_and_format_is_in_the_reference() {
    let read = |path: &str| {
        fs::read_to_string(Path::new(BOOK).join("reference").join(path)).expect("a page")
    };
    let (commands, codes, rules, formats) = (
        read("cli.md"),
        read("errors.md"),
        read("rules.md"),
        read("indexers.md"),
    );
    for command in skillc::command().get_subcommands() {
        assert!(
            commands.contains(&format!("\n## skc {}\n", command.get_name())),
            "{}",
            command.get_name()
        );
        for option in command.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(commands.contains(&format!("`--{option}")), "--{option}");
        }
    }
    for row in Error::ALL.iter().chain(Warning::ALL) {
        assert!(codes.contains(&format!("| {} |", row.code)), "{}", row.code);
    }
    for rule in plugins().rules() {
        assert!(
            rules.contains(&*rule.meta().code)
                && !read(&format!("rules/{}.md", rule.meta().code)).is_empty()
        );
    }
    for extension in plugins()
        .indexers()
        .flat_map(|indexer| indexer.meta().extensions.iter())
    {
        assert!(formats.contains(&format!("`.{extension}`")), "{extension}");
    }
}
