//! Configuration faults: invalid parts are ignored with a warning, and the rest applies.

use std::fs;

use skillc_core::Warning;
use skillc_tests::World;

use crate::stores::support::{configure, tokenizer};

const CJK: &str = "[search]\ntokenizer = \"cjk\"\n";

/// Returns the warnings of a command on standard error.
#[track_caller]
fn said(world: &World) -> Vec<String> {
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(list.json()["total"], 1, "{list:?}");
    list.stderr.lines().map(str::to_owned).collect()
}

/// Checks that there is exactly one warning, and that it has this code, names the file and contains these words.
#[track_caller]
fn assert_warns(world: &World, code: &str, words: &[&str]) {
    let lines = said(world);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with(&format!("{code}: ")), "{lines:?}");
    for word in ["config.toml"].iter().chain(words) {
        assert!(lines[0].contains(word), "{word} in {lines:?}");
    }
}

/// C-FILES.3.
#[test]
fn a_newer_version_warns_and_known_keys_apply() {
    let world = World::demo(&[]);
    configure(&world.cwd, format!("version = 2\n{CJK}"));
    assert_eq!(tokenizer(&world), "unicode61");
    assert_warns(&world, "warning[W020]", &["version"]);
}

/// C-FILES.3, D-UNCODED-WARNINGS, F-42.
#[test]
fn an_invalid_version_voids_its_file_without_failing() {
    for version in ["0", "-1", "\"1\"", "1.5", "true", "[1]"] {
        let world = World::demo(&[]);
        configure(&world.cwd, format!("version = {version}\nodd = 1\n{CJK}"));
        assert_warns(&world, "error[E999]", &["version"]);
        assert_eq!(tokenizer(&world), "porter", "{version}");
    }
}

/// C-FILES.3, C-FILES.5.
#[test]
fn an_invalid_version_in_one_file_does_not_affect_the_other() {
    let world = World::demo(&[]);
    configure(&world.home, CJK);
    configure(&world.cwd, "version = 0\n[search]\ntokenizer = \"ascii\"\n");
    assert_eq!(tokenizer(&world), "unicode61");
}

/// C-FILES.4, F-42.
#[test]
fn an_unknown_key_or_section_is_reported_and_the_rest_applies() {
    let cases = [
        (format!("colour = true\n{CJK}"), "colour"),
        (format!("{CJK}[logging]\nlevel = 3\n"), "logging"),
        (format!("{CJK}stemmer = \"no\"\n"), "stemmer"),
        (format!("{CJK}[[extra]]\n"), "extra"),
    ];
    for (text, key) in cases {
        let world = World::demo(&[]);
        configure(&world.cwd, &text);
        assert_eq!(tokenizer(&world), "unicode61", "{text}");
        assert_warns(&world, "warning[W020]", &[key, world.cwd.to_str().unwrap()]);
    }
}

/// C-FILES.4, F-42.
#[test]
fn each_fault_of_both_files_is_reported_once_by_every_command() {
    let world = World::demo(&[]);
    configure(&world.cwd, "project_key = 1\n[search]\nsearch_key = 1\n");
    configure(&world.home, "user_key = 1\n");
    let commands: [&[&str]; 5] = [
        &["list"],
        &["build", "demo"],
        &["search", "demo", "hello"],
        &["outline", "demo"],
        &["init", "new"],
    ];
    for command in commands {
        let run = world.skc_at(&world.cwd, command).success();
        for key in ["project_key", "search_key", "user_key"] {
            assert_eq!(run.stderr.matches(key).count(), 1, "{command:?}: {run:?}");
        }
        assert_eq!(run.stderr.lines().count(), 3, "{command:?}: {run:?}");
    }
}

/// C-FILES.5, D-CONFIG-ERRORS, F-42.
#[test]
fn an_invalid_value_voids_only_its_key() {
    for bad in ["\"unicode61\"", "\"CJK\"", "1", "[\"cjk\"]"] {
        let world = World::demo(&[]);
        configure(&world.home, CJK);
        configure(
            &world.cwd,
            format!("[search]\ntokenizer = {bad}\n[targets]\nmine = \"agents\"\n"),
        );
        assert_warns(&world, "warning[W020]", &["tokenizer"]);
        assert_eq!(tokenizer(&world), "unicode61", "{bad}");
        world.skc(["build", "demo", "--target", "mine"]).success();
        assert!(world.cwd.join("agents/demo/SKILL.md").is_file());
    }
}

/// C-FILES.5.
#[test]
fn a_section_that_is_not_a_table_voids_only_itself() {
    let world = World::demo(&[]);
    configure(&world.cwd, format!("targets = 1\n{CJK}"));
    assert_warns(&world, "warning[W020]", &["targets"]);
    assert_eq!(tokenizer(&world), "unicode61");
    configure(&world.cwd, "search = \"cjk\"\n");
    assert_warns(&world, "warning[W020]", &["search"]);
    assert_eq!(tokenizer(&world), "porter");
}

/// C-FILES.5, D-CONFIG-ERRORS.
#[test]
fn a_file_that_is_not_toml_is_ignored_and_the_users_file_applies() {
    let deep = format!("a = {}", "[".repeat(200_000));
    let dotted = format!("[{}]", "a.".repeat(100_000) + "a");
    let broken = [
        "[search",
        "tokenizer = ",
        "a = 1\na = 2\n",
        "\u{0}",
        "---\nname: x\n",
        &deep,
        &dotted,
    ];
    for text in broken {
        let world = World::demo(&[]);
        configure(&world.home, CJK);
        configure(&world.cwd, text);
        assert_warns(&world, "warning[W020]", &["ignored"]);
        assert_eq!(tokenizer(&world), "unicode61");
    }
}

/// C-FILES.5, D-CONFIG-ERRORS.
#[test]
fn a_broken_user_file_does_not_affect_the_projects() {
    let world = World::demo(&[]);
    configure(&world.home, "[search");
    configure(&world.cwd, CJK);
    assert_eq!(tokenizer(&world), "unicode61");
    assert_warns(&world, "warning[W020]", &[world.home.to_str().unwrap()]);
}

/// C-FILES.5, D-CONFIG-ERRORS.
#[test]
fn a_file_that_is_not_text_is_ignored_and_the_users_file_applies() {
    let too_large = format!("{}\n[search]\ntokenizer = \"ascii\"\n", "#".repeat(2 << 20));
    let cases = [
        b"[search]\ntokenizer = \"\xff\"\n".to_vec(),
        too_large.into_bytes(),
    ];
    for bytes in cases {
        let world = World::demo(&[]);
        configure(&world.home, CJK);
        configure(&world.cwd, bytes);
        assert_warns(&world, "warning[W020]", &["ignored"]);
        assert_eq!(tokenizer(&world), "unicode61");
    }
}

/// C-FILES.5, D-CONFIG-ERRORS.
#[test]
fn a_directory_in_its_place_is_ignored_and_the_users_file_applies() {
    let world = World::demo(&[]);
    configure(&world.home, CJK);
    fs::create_dir(world.cwd.join(".skillc/config.toml")).unwrap();
    assert_warns(&world, "warning[W020]", &["ignored"]);
    assert_eq!(tokenizer(&world), "unicode61");
}

/// C-FILES.4, C-CODES.6.
#[test]
fn keys_are_escaped_for_the_terminal() {
    let world = World::demo(&[]);
    configure(&world.cwd, "\"a\\u001b[31m\\nb\" = 1\n");
    let lines = said(&world);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(!lines[0].contains('\u{1b}') && lines[0].contains("a\\u{1b}[31m\\nb"));
}

/// D-UNCODED-WARNINGS.
#[test]
fn warnings_without_a_specified_code_have_one() {
    let row = |code| Warning::ALL.iter().find(|row| row.code == code);
    assert!(row("W020").is_some_and(|row| row.doc.contains("configuration file")));
    assert!(row("W021").is_some_and(|row| row.template.starts_with("skipped ")));
    assert!(row("W022").is_some_and(|row| row.template.starts_with("deployed by copy")));
}

/// The parser uses hundreds of bytes of memory for each byte of such a file, and every command reads the file.
#[test]
fn a_file_that_takes_too_much_memory_to_parse_is_ignored() {
    let world = World::demo(&[]);
    let keys: Vec<String> = (0..60_000).map(|at| format!("k{at}.a=1\n")).collect();
    configure(&world.cwd, format!("{CJK}[other]\n{}", keys.concat()));
    assert_warns(&world, "warning[W020]", &["too many entries; file ignored"]);
    assert_eq!(tokenizer(&world), "porter");
}
