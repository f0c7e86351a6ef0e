//! Tests that the work per finding is bounded even for thousands of findings.

use std::path::Path;

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill;
use skillc_rules as _;

/// Lints a skill that has additional frontmatter fields. Returns the help of each finding of a rule.
fn helps(name: &str, rule: &str, fields: &str) -> Vec<Option<String>> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(name)
        .join("demo");
    let main = HEAD.replacen("\n---\n\n", &format!("\n{fields}---\n\n"), 1);
    write_files(&root, &[("SKILL.md", &main)]);
    let found = lint_skill(&read_skill(&root), rule);
    found.into_iter().map(|found| found.help).collect()
}

/// Comparing a field with all known fields takes 75 µs. Without a limit, a mebibyte of unknown fields would take 13 s.
#[test]
fn fields_are_compared_with_known_ones_for_a_bounded_number() {
    let unknown: Vec<String> = (0..199).map(|n| format!("zz{n}: x\n")).collect();
    let unknown = unknown.concat();
    let fields = format!("{unknown}licence: x\nhoks: x\nallowedTools: Read\n");
    let helps = helps("many-fields", "SKL109", &fields);
    assert_eq!(helps.len(), 202);
    assert_eq!(helps[199].as_deref(), Some("did you mean 'license'?"));
    assert_eq!(helps[200], helps[0]);
    // This suggestion comes from a look-up. The number of look-ups is not limited.
    assert_eq!(helps[201].as_deref(), Some("did you mean 'allowed-tools'?"));
}

/// The number of entries that are compared with tool names is also limited: a field of 60 KB can contain 30,000
/// entries.
#[test]
fn entries_are_compared_with_tools_for_a_bounded_number() {
    let unknown = "zzzz ".repeat(199);
    let fields = format!("allowed-tools: {unknown}Reed Wriet Read\n");
    let helps = helps("many-entries", "SKL110", &fields);
    assert_eq!(helps.len(), 201);
    assert_eq!(helps[199].as_deref(), Some("did you mean 'Read'?"));
    assert_eq!(helps[200], None);
}

/// Searching the rest of a 64 KB field for each entry would take a second. Therefore an entry with an escape sequence,
/// and all later entries, get the position of the field.
#[test]
fn entries_after_one_with_an_escape_are_placed_at_the_field() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("escaped-entries/demo");
    let fields = "allowed-tools: \"Aa \\u0042b Cc Read\"\n";
    let main = HEAD.replacen("\n---\n\n", &format!("\n{fields}---\n\n"), 1);
    write_files(&root, &[("SKILL.md", &main)]);
    let found = lint_skill(&read_skill(&root), "SKL110");
    let columns: Vec<usize> = found.iter().map(|found| found.column).collect();
    // In order of position: `Bb` and `Cc` at the start of the field, `Aa` at its own position.
    assert_eq!(columns, [16, 16, 17]);
}

const HEAD: &str = "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n";

/// C-REGISTRY.18: the search for similar names is limited to 50 links of `SKILL.md`; repeated links are not counted.
#[test]
fn names_are_searched_for_a_bounded_number_of_links() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("many-mistyped/demo");
    let letters = || ('a'..='z').flat_map(|a| ['q', 'w', 'v'].map(|b| format!("{a}{b}")));
    let files: Vec<String> = letters().map(|end| format!("table-{end}.md")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "# T\n")).collect();
    let links = letters().map(|end| format!("[x](tabel-{end}.md)\n"));
    let main = links.chain(["[x](tabel-aq.md#again)".to_owned()]);
    let main = HEAD.to_owned() + &main.collect::<String>();
    write_files(&root, &files);
    write_files(&root, &[("SKILL.md", &main)]);

    let found = lint_skill(&read_skill(&root), "SKL301");
    let helps: Vec<Option<&str>> = found.iter().map(|found| found.help.as_deref()).collect();
    assert_eq!(helps.len(), 26 * 3);
    assert_eq!(helps[49], Some("did you mean 'table-qw.md'?"));
    assert!(helps[50..26 * 3].iter().all(Option::is_none), "{helps:?}");
    assert_eq!(helps[0], Some("did you mean 'table-aq.md'?"));
    assert_eq!(found[0].labels.len(), 1);
}
