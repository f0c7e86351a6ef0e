//! Chinese, Japanese and Korean text.

use skillc_tests::{MINIMAL, World, database};

use crate::searching::support::{build, column, files};

/// Creates a project that enables the CJK tokenizer, and builds a skill with these files.
fn world(files: &[(&str, &str)]) -> World {
    let world = World::demo(files);
    let config = world.cwd.join(".skillc/config.toml");
    std::fs::write(config, "[search]\ntokenizer = \"cjk\"\n").expect("writable");
    build(&world);
    world
}

/// C-TOKENIZER.1, D-CJK, F-15.
#[test]
fn one_character_or_several_are_found_anywhere_in_a_run() {
    let world = world(&[
        ("zh.txt", "如何配置身份验证服务"),
        ("ja.txt", "認証サービスを設定する方法"),
        ("ko.txt", "인증서비스를설정하는방법"),
    ]);
    for (query, file) in [
        ("配", "zh.txt"),
        ("配置", "zh.txt"),
        ("身份验证", "zh.txt"),
        ("を", "ja.txt"),
        ("設定", "ja.txt"),
        ("サービス", "ja.txt"),
        ("설", "ko.txt"),
        ("설정", "ko.txt"),
    ] {
        assert_eq!(files(&world, query), [file], "{query}");
    }
}

/// C-TOKENIZER.1, F-15.
#[test]
fn characters_of_one_word_must_be_adjacent_and_in_order() {
    let world = world(&[
        ("a.txt", "配置服务"),
        ("b.txt", "置配"),
        ("c.txt", "配和置"),
    ]);
    assert_eq!(files(&world, "配置"), ["a.txt"]);
    assert_eq!(files(&world, "配 置"), ["a.txt", "b.txt", "c.txt"]);
}

/// C-TOKENIZER.1.
#[test]
fn other_words_stay_intact_and_unstemmed() {
    let world = world(&[("a.txt", "使用PostgreSQL配置connections池")]);
    assert_eq!(files(&world, "postgresql"), ["a.txt"]);
    assert_eq!(files(&world, "使用PostgreSQL配置"), ["a.txt"]);
    assert_eq!(files(&world, "postgre"), [""; 0]);
    assert_eq!(files(&world, "connection"), [""; 0]);
}

/// C-TOKENIZER.1: under `ascii`, words end only at blanks and punctuation.
#[test]
fn under_ascii_a_run_of_characters_is_one_word() {
    let world = World::built(&[("a.txt", "配置服务,well-known words")]);
    assert_eq!(files(&world, "配置服务"), ["a.txt"]);
    assert_eq!(files(&world, "配置"), [""; 0]);
    assert_eq!(files(&world, "known"), ["a.txt"]);
}

/// D-CJK.
#[test]
fn stored_text_and_snippets_are_verbatim() {
    let text = "如何配置PostgreSQL连接。";
    let world = world(&[("a.txt", text)]);
    let stored: Vec<String> = column(
        &world.demo_index(),
        "SELECT c2 FROM sections_content WHERE c0 = 'a.txt'",
    );
    assert_eq!(stored, [text]);
    let json = world
        .skc(["search", "demo", "配置", "-o", "json"])
        .success()
        .json();
    assert_eq!(
        json["results"][0]["snippet"],
        "如何[MATCH]配置[/MATCH]PostgreSQL连接。"
    );
    let tokenizer = database::meta(&world.demo_index(), "tokenizer");
    assert_eq!(tokenizer.as_deref(), Some("unicode61"));
}

/// C-TOKENIZER.1.
#[test]
fn sections_are_edited_in_place_under_cjk_too() {
    let mut texts: Vec<(String, &str)> = (0..12).map(|n| (format!("{n}.txt"), "旧文字")).collect();
    texts.push(("edited.txt".to_owned(), "配置"));
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), *text))
        .collect();
    let world = world(&texts);
    crate::searching::support::write(&world, "edited.txt", "斑马在这里");
    build(&world);
    assert_eq!(files(&world, "斑马"), ["edited.txt"]);
    assert_eq!(files(&world, "配置"), [""; 0]);
    assert_eq!(files(&world, "文字").len(), 12);
}

const MUCH_CJK: &str = "warning[W024]: much CJK text under tokenizer \"ascii\"; \
                        set [search] tokenizer = \"cjk\" in .skillc/config.toml and rebuild to make it searchable\n";

/// Builds a skill that has `all` characters, `cjk` of them CJK characters. Returns the warnings.
fn build_warnings(tokenizer: &str, cjk: usize, all: usize) -> String {
    let (_, section) = MINIMAL.split_once("---\n\n").expect("a body");
    let rest = all - cjk - section.chars().count();
    let mut world = World::demo(&[("a.txt", &("字".repeat(cjk) + "x".repeat(rest).as_str()))]);
    world.set("SKILLC_TOKENIZER", tokenizer);
    let first = world.skc(["build", "demo"]).success().stderr;
    let second = world.skc(["build", "demo"]).success().stderr;
    assert_eq!(second, "", "building an unchanged skill prints no warning");
    first
}

#[test]
fn much_cjk_text_under_ascii_produces_one_warning() {
    assert_eq!(build_warnings("ascii", 200, 300), MUCH_CJK);
    assert_eq!(build_warnings("ascii", 2000, 2100), MUCH_CJK);
    assert_eq!(build_warnings("cjk", 200, 300), "");
}

#[test]
fn a_little_cjk_text_produces_no_warning() {
    assert_eq!(
        build_warnings("ascii", 199, 300),
        "",
        "fewer than 200 characters"
    );
    assert_eq!(build_warnings("ascii", 200, 2000), MUCH_CJK, "a tenth");
    assert_eq!(build_warnings("ascii", 200, 2001), "", "less than a tenth");
}
