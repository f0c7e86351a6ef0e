//! Case files: faults are reported, and `skc plugin test --update` rewrites them.

use std::fs;

use skillc_core::testkit::write_files;

use crate::plugins::support::PROJECT;
use crate::plugins::testing::{FORMAT, PASSING, RULE, case, fails, tested, world};

/// Checks that a case file is rejected with a location and a message.
#[track_caller]
fn is_faulty(script: &str, cases: &str, place: &str, said: &str) {
    let run = tested(&[("a.rhai", script), ("a.test.toml", cases)]);
    fails(
        &run,
        &["1 script: 0 cases passed, 0 failed, 1 script not tested"],
    );
    let text = run.text();
    assert!(text.contains(said), "{said}\n{text}");
    let place = format!("a.test.toml{place}");
    assert!(text.contains(&place), "{said} {place}\n{text}");
}

/// Unknown keys and invalid values are reported with their location.
#[test]
fn a_fault_in_a_case_file_has_its_location() {
    for (keys, place, said) in [
        (
            "txet = \"\"",
            ":3:1",
            "unknown key 'txet'; did you mean 'text'?",
        ),
        ("found = []", ":1:1", "a case needs a 'text'"),
        ("text = 7", ":3:8", "'text' must be a string"),
        (
            "text = \"\"\nfound = [7]",
            ":4:9",
            "'found' must be a list of strings",
        ),
        (
            "text = \"\"\nrule = \"TEAM002\"",
            ":4:1",
            "did you mean 'TEAM001'?",
        ),
        (
            "text = \"\"\nfile = \"../a.md\"",
            ":4:1",
            "not a path inside a skill",
        ),
        (
            "text = \"\"\nskill = \"a/b\"",
            ":4:1",
            "valid directory name",
        ),
        (
            "text = \"\"\noptions = { wrods = [] }",
            ":4:13",
            "did you mean 'words'?",
        ),
        (
            "text = \"\"\noptions = { words = 1 }",
            ":4:21",
            "takes a list of strings",
        ),
        (
            "text = \"\"\nclients = [\"codxe\"]",
            ":4:1",
            "unknown client \"codxe\"",
        ),
        (
            "text = \"\"\nfound = []\nsections = []",
            ":5:1",
            "write two cases",
        ),
    ] {
        is_faulty(RULE, &case(keys), place, said);
    }
    for (cases, place, said) in [
        (
            "[[cases]]\n",
            ":1:",
            "unknown key 'cases'; did you mean 'case'?",
        ),
        ("[[case]\n", ":1:", ""),
        ("[case]\n", ":1:1", "start each with [[case]]"),
    ] {
        is_faulty(RULE, cases, place, said);
    }
}

#[test]
fn a_case_names_its_rule_or_indexer_if_ambiguous() {
    let more = RULE
        .replace("TEAM001", "TEAM002")
        .replace("no-words", "more");
    let several = [RULE, &more].concat();
    let both = [RULE, FORMAT].concat();
    for (script, keys, place, said) in [
        (
            &*several,
            "text = \"\"\nfound = []",
            ":1:1",
            "several rules",
        ),
        (&both, "text = \"\"", ":1:1", "choose one with rule"),
        (
            FORMAT,
            "text = \"\"\nformat = \"entrys\"",
            ":4:1",
            "did you mean 'entries'?",
        ),
        (
            FORMAT,
            "text = \"\"\nfile = \"a.md\"",
            ":4:1",
            "does not read 'a.md'",
        ),
        (
            FORMAT,
            "text = \"\"\nsections = [{ lines = 1 }]",
            ":4:",
            "lines = [1, 2]",
        ),
    ] {
        is_faulty(script, &case(keys), place, said);
    }
}

#[test]
fn case_files_are_bounded() {
    let many = case("text = \"\"").repeat(1001);
    is_faulty(RULE, &many, ":", "more than 1000 cases");
    let large = "#".repeat((1 << 20) + 1);
    is_faulty(RULE, &large, "", "larger than 1 MiB");
}

#[test]
fn update_writes_actual_results_and_preserves_the_rest() {
    let before = PASSING
        .replace("[\"3:3 a TODO\"]", "[\"9:9 old\"]")
        .replace("A .\n", "A b\n");
    let world = world(&[("a.rhai", RULE), ("a.test.toml", &before)]);
    let file = world.cwd.join(PROJECT).join("a.test.toml");
    fails(
        &world.skc(["plugin", "test"]),
        &["1 script: 1 case passed, 1 failed"],
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let run = world.skc(["plugin", "test", "--update"]).success();
    for line in [
        "UPDATED 'a word' at .skillc/plugins/a.test.toml:3",
        "    - 9:9 old",
        "    + 3:3 a TODO",
    ] {
        assert!(
            run.text().lines().any(|said| said == line),
            "{}",
            run.text()
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), PASSING);
    let stamp = fs::metadata(&file).unwrap().modified().unwrap();
    world.skc(["plugin", "test", "--update"]).success();
    let after = fs::metadata(&file).unwrap().modified().unwrap();
    assert_eq!(after, stamp, "an up-to-date file is not rewritten");
}

#[test]
fn update_preserves_byte_order_mark_and_line_endings() {
    let before = case("text = \"TODO\"");
    let after = case("text = \"TODO\"") + "found = [\"1:1 a TODO\"]\n";
    let crlf = |text: &str| text.replace('\n', "\r\n");
    for (before, after) in [
        (format!("\u{feff}{before}"), format!("\u{feff}{after}")),
        (
            format!("\u{feff}{}", crlf(&before)),
            format!("\u{feff}{}", crlf(&after)),
        ),
        (before.replacen('\n', "\r\n", 1), after.clone()),
    ] {
        let world = world(&[("a.rhai", RULE), ("a.test.toml", &before)]);
        world.skc(["plugin", "test", "--update"]).success();
        let file = world.cwd.join(PROJECT).join("a.test.toml");
        assert_eq!(fs::read_to_string(file).unwrap(), after);
    }
}

/// R20: `--update` writes nothing outside the folder.
#[cfg(unix)]
#[test]
fn update_does_not_follow_a_symlink_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let world = world(&[("a.rhai", RULE)]);
    let outside = case("text = \"TODO\"");
    write_files(&world.cwd, &[("outside.toml", &outside)]);
    let file = world.cwd.join(PROJECT).join("a.test.toml");
    symlink(world.cwd.join("outside.toml"), &file).unwrap();
    let run = world.skc(["plugin", "test", "--update"]);
    fails(
        &run,
        &["1 script: 0 cases passed, 0 failed, 1 script not tested"],
    );
    assert!(
        run.text()
            .contains("is a symlink that leads out of its folder"),
        "{}",
        run.text()
    );
    let after = fs::read_to_string(world.cwd.join("outside.toml")).unwrap();
    assert_eq!(after, outside);
    // Within the folder, the target of a symlink is written.
    let inside = file.with_file_name("cases.toml");
    fs::remove_file(&file).unwrap();
    fs::write(&inside, &outside).unwrap();
    symlink("cases.toml", &file).unwrap();
    world.skc(["plugin", "test", "--update"]).success();
    assert!(fs::read_to_string(&inside).unwrap().contains("found = ["));
    assert!(file.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_case_without_expectations_fails_until_updated() {
    let cases = case("text = \"TODO\"");
    let world = world(&[
        ("a.rhai", RULE),
        ("a.test.toml", &cases),
        ("e.rhai", FORMAT),
        ("e.test.toml", &case("text = \"a: 1\"")),
    ]);
    fails(
        &world.skc(["plugin", "test"]),
        &[
            "  found: nothing expected yet, + actual",
            "  sections: nothing expected yet, + actual",
        ],
    );
    world.skc(["plugin", "test", "--update"]).success();
    let text = |name: &str| fs::read_to_string(world.cwd.join(PROJECT).join(name)).unwrap();
    assert_eq!(text("a.test.toml"), cases + "found = [\"1:1 a TODO\"]\n");
    let sections = "\n[[case.sections]]\nlines = [1, 1]\nheading = \"a\"\ncontent = \"a: 1\"\n";
    assert_eq!(text("e.test.toml"), case("text = \"a: 1\"") + sections);
    world.skc(["plugin", "test"]).success();
}
