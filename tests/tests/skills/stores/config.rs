//! Configuration: files, variables, and their precedence.

use std::fs;

use skillc_tests::World;

use crate::stores::support::{configure, tokenizer};

const CJK: &str = "[search]\ntokenizer = \"cjk\"\n";
const ASCII: &str = "[search]\ntokenizer = \"ascii\"\n";

/// C-FILES.1, C-FILES.2, C-OVERVIEW@9.1, C-COMPAT-FORMAT.2.
#[test]
fn absent_empty_and_partial_files_are_valid() {
    let world = World::demo(&[]);
    assert_eq!(tokenizer(&world), "porter");
    for text in [
        "",
        "\n# nothing\n",
        "version = 1\n",
        "[search]\n",
        "[lint]\n",
        "[targets]\n",
    ] {
        configure(&world.cwd, text);
        configure(&world.home, text);
        assert_eq!(tokenizer(&world), "porter", "{text:?}");
        assert_eq!(world.skc(["list"]).success().stderr, "", "{text:?}");
    }
}

/// C-FILES.1, C-FILES.2, C-OVERVIEW@9.1.
#[test]
fn both_levels_are_read() {
    for level in ["project", "global"] {
        let world = World::demo(&[]);
        let root = if level == "project" {
            &world.cwd
        } else {
            &world.home
        };
        configure(
            root,
            "version = 1\n[search]\ntokenizer = \"cjk\"\n[targets]\nmine = \"agents\"\n[lint]\n",
        );
        assert_eq!(tokenizer(&world), "unicode61", "{level}");
        assert_eq!(world.skc(["list"]).stderr, "", "{level}");
    }
}

/// C-FILES.1.
#[test]
fn a_byte_order_mark_and_crlf_are_accepted() {
    let world = World::demo(&[]);
    configure(&world.cwd, "\u{feff}[search]\r\ntokenizer = \"cjk\"\r\n");
    assert_eq!(tokenizer(&world), "unicode61");
    assert_eq!(world.skc(["list"]).stderr, "");
}

/// C-RESOLUTION@9.1, C-RESOLUTION@9.4.
#[test]
fn the_environment_beats_the_project_and_the_project_beats_the_user() {
    let mut world = World::demo(&[]);
    configure(&world.home, CJK);
    assert_eq!(tokenizer(&world), "unicode61");
    configure(&world.cwd, ASCII);
    assert_eq!(tokenizer(&world), "porter");
    world.set("SKILLC_TOKENIZER", "cjk");
    assert_eq!(tokenizer(&world), "unicode61");
    configure(&world.home, ASCII);
    configure(&world.cwd, CJK);
    world.set("SKILLC_TOKENIZER", "ascii");
    assert_eq!(tokenizer(&world), "porter");
    world.set("SKILLC_TOKENIZER", "");
    assert_eq!(tokenizer(&world), "unicode61");
}

/// C-RESOLUTION@9.1.
#[test]
fn a_flag_beats_the_environment() {
    let mut world = World::demo(&[]);
    world.set("SKC_VERBOSE", "0");
    assert!(!world.skc(["list"]).text().contains("SOURCE"));
    assert!(world.skc(["list", "--verbose"]).text().contains("SOURCE"));
}

/// C-RESOLUTION@9.4, D-UNCODED-WARNINGS.
#[test]
fn an_invalid_variable_is_ignored_with_a_warning_and_files_apply() {
    let mut world = World::demo(&[]);
    configure(&world.cwd, CJK);
    for bad in ["CJK", "unicode61", " cjk", "x\u{1b}[31m"] {
        world.set("SKILLC_TOKENIZER", bad);
        assert_eq!(tokenizer(&world), "unicode61", "{bad:?}");
        let list = world.skc(["list"]).success();
        assert_eq!(list.stderr.lines().count(), 1, "{list:?}");
        assert!(
            list.stderr.starts_with("warning[W020]: ") && list.stderr.contains("SKILLC_TOKENIZER"),
            "{list:?}"
        );
        assert!(!list.stderr.contains('\u{1b}'), "{list:?}");
    }
}

/// C-RESOLUTION@9.2, G-INTRO.5.
#[test]
fn the_nearest_project_file_upward_applies() {
    let mut world = World::demo(&[]);
    configure(&world.cwd, ASCII);
    let outer = world.cwd.clone();
    let build = |world: &World| {
        world.skc(["build", "demo"]).success();
        skillc_tests::database::meta(
            &skillc_tests::index_in(
                &outer.join(".skillc/runtime/demo"),
                &outer.join(".skillc/skills/demo"),
            ),
            "tokenizer",
        )
    };
    world.cwd = outer.join("near");
    configure(&world.cwd, CJK);
    world.cwd = outer.join("near/deep");
    fs::create_dir_all(world.cwd.join(".skillc/skills")).unwrap();
    assert_eq!(build(&world).as_deref(), Some("unicode61"));
    fs::remove_file(outer.join("near/.skillc/config.toml")).unwrap();
    assert_eq!(build(&world).as_deref(), Some("porter"));
}

/// C-RESOLUTION@9.3.
#[test]
fn a_key_that_the_project_leaves_out_comes_from_the_user() {
    let world = World::demo(&[]);
    configure(&world.home, format!("{CJK}[targets]\nmine = \"~/user\"\n"));
    configure(
        &world.cwd,
        "version = 1\n[search]\n[targets]\nours = \"agents\"\n",
    );
    assert_eq!(tokenizer(&world), "unicode61");
    world
        .skc(["build", "demo", "--target", "mine,ours"])
        .success();
    assert!(world.home.join("user/demo/SKILL.md").is_file());
    assert!(world.cwd.join("agents/demo/SKILL.md").is_file());
}
