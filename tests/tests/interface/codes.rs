//! The table of codes: messages, ranges, and a run that produces each code.

use std::collections::BTreeSet;
use std::fs;

use skillc_core::error::CodeRow;
use skillc_core::{Error, Warning};
use skillc_tests::World;

use crate::PROGRAM;
use crate::code_cases::{OUT_OF_REACH, WAYS};
use crate::codes_of_catalog;

/// The specification's table: code and message with `<…>` placeholders.
const RFC: [(&str, &str); 21] = [
    ("E001", "skill '<skill>' not found"),
    (
        "E002",
        "search index unusable; run 'skc build <skill>' to rebuild",
    ),
    (
        "E003",
        "index hash collision; delete .skillc-meta/search-<hash16>.db and rebuild",
    ),
    ("E004", "empty query"),
    ("E010", "not a valid skill: '<path>' (missing SKILL.md)"),
    ("E011", "missing frontmatter field '<field>' in SKILL.md"),
    ("E012", "path escapes skill root: '<path>'"),
    ("E020", "section not found: '<section>'"),
    ("E021", "file not found: '<path>'"),
    ("E022", "directory not found: '<path>'"),
    ("E030", "invalid query type: '<type>'"),
    ("E031", "invalid filter: '<message>'"),
    ("E040", "no local logs found"),
    ("E041", "sync destination not writable: '<path>'"),
    ("E042", "sync source not readable: '<path>'"),
    ("E050", "skill '<skill>' already exists"),
    ("E100", "invalid option: '<message>'"),
    ("E999", "<message>"),
    ("W001", "multiple matches for '<section>'; showing first"),
    (
        "W002",
        "logging disabled; run 'skc sync' after session to merge logs",
    ),
    (
        "W003",
        "stale local logs for '<skill>'; run 'skc sync' to upload",
    ),
];

fn table() -> impl Iterator<Item = &'static CodeRow> {
    Error::ALL.iter().chain(Warning::ALL)
}

/// Empties the placeholders of a template.
fn outline(template: &str, open: char, close: char) -> String {
    let mut pieces = template.split(open);
    let head = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(head, |text, piece| {
        text + "<>" + piece.split_once(close).map_or("", |(_, rest)| rest)
    })
}

/// C-USAGE.1: messages are compared verbatim.
#[test]
fn messages_match_the_specification() {
    for (code, message) in RFC {
        let row = table().find(|row| row.code == code).expect(code);
        assert_eq!(
            outline(row.template, '{', '}'),
            outline(message, '<', '>'),
            "{code}"
        );
    }
}

/// C-CODES.9: each code is in its range, and no code of the specification is missing.
#[test]
fn codes_are_in_their_reserved_ranges() {
    let ranges = [
        ("E001", "E010"),
        ("E011", "E019"),
        ("E020", "E029"),
        ("E030", "E039"),
        ("E040", "E049"),
        ("E050", "E059"),
        ("E060", "E069"),
        ("E100", "E199"),
        ("E300", "E300"),
        ("E999", "E999"),
        ("W001", "W009"),
        ("W010", "W019"),
        ("W020", "W029"),
        ("W060", "W079"),
        ("W300", "W300"),
    ];
    for row in table() {
        let fits = ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&row.code));
        assert!(fits, "{}", row.code);
    }
    let ours: BTreeSet<&str> = table()
        .filter(|row| row.is_amendment())
        .map(|row| row.code)
        .collect();
    let rfc = RFC
        .map(|(code, _)| code)
        .into_iter()
        .chain(["E300", "W300"]);
    let all: BTreeSet<&str> = table().map(|row| row.code).collect();
    assert_eq!(
        rfc.chain(ours.iter().copied()).collect::<BTreeSet<_>>(),
        all
    );
    let is_ours = |code: &&str| ["W02", "E06", "W06", "W07"].contains(&&code[..3]);
    assert!(ours.iter().all(is_ours), "{ours:?}");
}

/// C-CODES.1, C-CODES.2, C-CODES.7, C-CODES.8, C-OVERVIEW@5.1, F-40.
#[test]
fn each_code_is_printed_with_its_message_on_stderr() {
    for (code, way) in WAYS.iter().chain(codes_of_catalog::WAYS) {
        let (output, line) = way();
        let is_it = |found: &str| match line.strip_suffix('…') {
            Some(start) => found.starts_with(start),
            None => found == line,
        };
        assert!(
            output.stderr.lines().any(is_it),
            "no '{line}' in {output:?}"
        );
        assert!(line.contains(&format!("[{code}]: ")), "{line}");
        assert_eq!(output.ok, code.starts_with('W'), "{output:?}");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(
            !stdout.contains("error[") && !stdout.contains("warning["),
            "{code}: {stdout}"
        );
        // A failing lint still prints its summary.
        assert!(
            output.ok || *code == "E300" || stdout.is_empty(),
            "{code}: {stdout}"
        );
    }
}

#[test]
fn every_code_has_a_run_that_produces_it() {
    let given = WAYS.iter().chain(codes_of_catalog::WAYS);
    let given = given.map(|(code, _)| *code);
    let named = OUT_OF_REACH.iter().map(|(code, _)| *code);
    let mut known: Vec<&str> = given.chain(named).collect();
    known.sort_unstable();
    let mut all: Vec<&str> = table().map(|row| row.code).collect();
    all.sort_unstable();
    assert_eq!(known, all);
}

/// C-CODES.1.
#[test]
fn failures_exit_with_1_and_warnings_with_0() {
    let world = World::project();
    world.project_skill("a", &[("SKILL.md", "---\ndescription: D.\n---\n")]);
    world.project_skill("b", &[("SKILL.md", "# B\n")]);
    world.project_skill("demo", &[]);
    for (args, status) in [
        (&["open", "nope", "x"][..], 1),
        (&["search", "demo", "x"], 1),
        (&["open", "demo", "x"], 1),
        (&["open", "demo", "../x"], 1),
        (&["list", "--nope"], 1),
        (&[], 1),
        (&["lint", "a"], 1),
        (&["list"], 0),
    ] {
        let output = world.process(PROGRAM, args).output().expect("should run");
        assert_eq!(output.status.code(), Some(status), "{args:?}");
    }
    let list = world.skc(["list"]).success();
    assert_eq!(
        list.stderr.matches("warning[W021]: ").count(),
        2,
        "{list:?}"
    );
}

/// C-CODES.3.
#[test]
fn a_directory_without_skill_md_is_e010_and_a_missing_one_is_e001() {
    let world = World::project();
    let hollow = |dir: &str| fs::create_dir_all(world.cwd.join(dir)).expect("a directory");
    world
        .skc(["outline", "demo"])
        .error("error[E001]: skill 'demo' not found");
    fs::create_dir_all(world.home.join(".skillc/skills/demo")).expect("a directory");
    world.skc(["outline", "demo"]).code("E010");
    hollow(".skillc/skills/other");
    world.skc(["outline", "other"]).code("E010");
    hollow("plain");
    world.skc(["outline", "./plain"]).code("E010");
    world
        .skc(["outline", "./absent"])
        .error("error[E001]: skill './absent' not found");
    world.project_skill("demo", &[]);
    world.skc(["outline", "demo"]).success();
}

/// C-CODES.7: a message names the skill as the user typed it, not as it was resolved.
#[test]
fn messages_name_the_skill_as_typed() {
    let world = World::new();
    world.directory("place/demo", &[]);
    world
        .skc(["search", "place/demo/", "x"])
        .error("error[E002]: search index unusable; run 'skc build place/demo/' to rebuild");
}

/// C-CODES.5: user errors are never E999.
#[test]
fn user_errors_are_never_internal_errors() {
    let world = World::built(&[("a.md/b.md", "# B\n")]);
    for args in [
        &["init", "a/b"][..],
        &["init", ""],
        &["init", "demo"],
        &["list", "--pattern", "["],
        &["list", "--limit", "-1"],
        &["build", ""],
        &["build", "/"],
        &["build", "demo", "--target", "nobody"],
        &["build", "demo", "--target", ""],
        &["outline", "demo", "--level", "0"],
        &["show", "demo", "--section", ""],
        &["show", "demo", "--section", "Demo", "--file", "../x"],
        &["show", "demo", "--section", "Demo", "--file", "nope.md"],
        &["open", "demo", "a.md"],
        &["open", "demo", "/etc/hosts"],
        &["open", "demo", ""],
        &["open", "demo", "nul\0byte"],
        &["sources", "demo", "--depth", "0"],
        &["sources", "demo", "--pattern", "a{"],
        &["sources", "demo", "--dir", "SKILL.md"],
        &["sources", "demo", "--dir", "../.."],
        &["search", "demo", ""],
        &["search", "\0", "x"],
        &["lint", ""],
        &["lint", "/nowhere/at/all"],
    ] {
        let output = world.skc_at(&world.cwd, args);
        assert!(
            !output.ok && output.stderr.starts_with("error[E"),
            "{args:?}: {output:?}"
        );
        assert!(!output.stderr.contains("E999"), "{args:?}: {output:?}");
    }
}
