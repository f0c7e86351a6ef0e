//! `skc outline`. Design: C-OUTLINE.

use std::fs;

use serde_json::json;
use skillc_tests::{World, database};

const LEVELS: &str = "# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five\n\n###### Six\n";

/// C-OUTLINE.2, C-OUTLINE.5, D-OUTLINE-INDENT, F-25.
#[test]
fn headings_keep_their_marks_and_indent_by_level() {
    let world = World::demo(&[("SKILL.md", LEVELS), ("b/x.md", "## X\n")]);
    let expected = "SKILL.md
  # One
  ## Two
    ### Three
      #### Four
        ##### Five
          ###### Six
b/x.md
  ## X
";
    assert_eq!(world.skc(["outline", "demo"]).success().text(), expected);
}

/// C-OUTLINE.4.
#[test]
fn files_are_in_bytewise_order_and_headings_in_document_order() {
    let world = World::demo(&[
        ("SKILL.md", "# S\n"),
        ("README.md", "# Z\n\n# A\n"),
        ("docs/a.md", "# D\n"),
        ("docs-b.md", "# B\n"),
        ("zoo.md", "# O\n"),
        ("a.md", "# L\n"),
        ("é.md", "# E\n"),
    ]);
    let text = "README.md\n  # Z\n  # A\nSKILL.md\n  # S\na.md\n  # L\ndocs-b.md\n  # B\ndocs/a.md\n  # D\nzoo.md\n  # O\né.md\n  # E\n";
    assert_eq!(world.skc(["outline", "demo"]).success().text(), text);
}

/// C-OUTLINE.3.
#[test]
fn a_level_hides_deeper_headings_and_files_left_without_any() {
    let world = World::demo(&[
        ("SKILL.md", LEVELS),
        ("deep.md", "### Deep\n"),
        ("plain.md", "no heading\n"),
    ]);
    let out = world.skc(["outline", "demo", "--level", "2"]).success();
    assert_eq!(out.text(), "SKILL.md\n  # One\n  ## Two\n");
    let out = world.skc(["outline", "demo", "--level", "6"]).success();
    assert!(out.text().contains("###### Six"));
    assert!(!out.text().contains("plain.md"));
}

/// C-OUTLINE.3, F-25.
#[test]
fn a_level_that_is_not_from_1_to_6_is_refused() {
    let world = World::demo(&[]);
    for level in ["0", "7", "9", "-1", "abc", "256", ""] {
        world
            .skc(["outline", "demo", "--level", level])
            .code("E100");
    }
}

/// C-OUTLINE.1, F-11.
#[test]
fn edits_are_visible_at_once_and_a_stale_index_is_ignored() {
    let world = World::built(&[("gone.md", "# Gone\n"), ("edited.md", "# Before\n")]);
    fs::remove_file(world.demo_source().join("gone.md")).expect("removed");
    fs::write(world.demo_source().join("edited.md"), "# After\n").expect("written");
    fs::write(world.demo_source().join("new.md"), "# New\n").expect("written");
    let out = world.skc(["outline", "demo"]).success();
    assert_eq!(
        out.text(),
        "SKILL.md\n  # Demo\nedited.md\n  # After\nnew.md\n  # New\n"
    );
}

/// C-OVERVIEW@2.1.
#[test]
fn an_unbuilt_skill_is_read_and_nothing_is_written() {
    let world = World::demo(&[("a.md", "# A\n")]);
    let before = skillc_tests::snapshot(&world.cwd);
    assert!(
        world
            .skc(["outline", "demo"])
            .success()
            .text()
            .contains("# A")
    );
    assert_eq!(
        world.skc(["open", "demo", "a.md"]).success().text(),
        "# A\n"
    );
    assert!(
        world
            .skc(["sources", "demo"])
            .success()
            .text()
            .contains("a.md")
    );
    assert_eq!(skillc_tests::snapshot(&world.cwd), before);
}

/// C-OVERVIEW@2.1.
#[test]
fn the_source_is_read_and_not_the_stub() {
    let world = World::built(&[("a.md", "# A\n")]);
    fs::write(world.demo_runtime().join("SKILL.md"), "# Tampered\n").expect("written");
    let outline = world.skc(["outline", "demo"]).success();
    assert_eq!(outline.text(), "SKILL.md\n  # Demo\na.md\n  # A\n");
    let skill = world.skc(["open", "demo", "SKILL.md"]).success();
    assert_eq!(skill.text(), skillc_tests::MINIMAL);
}

/// G-TEST.3.
#[test]
fn json_lists_level_heading_file_and_line() {
    let world = World::demo(&[("SKILL.md", "---\nname: demo\n---\n# One\n\n### *Three*\n")]);
    let expected = json!([
        {"level": 1, "heading": "One", "file": "SKILL.md", "line": 4},
        {"level": 3, "heading": "Three", "file": "SKILL.md", "line": 6},
    ]);
    let long = world.skc(["outline", "demo", "--format", "json"]).success();
    let short = world.skc(["outline", "demo", "-o", "json"]).success();
    assert_eq!(long.json(), expected);
    assert_eq!(short.json(), expected);
}

/// C-OUTLINE.3.
#[test]
fn json_respects_the_level_and_is_empty_without_headings() {
    let world = World::demo(&[("SKILL.md", "### Three\n\n# One\n")]);
    let out = world.skc(["outline", "demo", "--level", "1", "-o", "json"]);
    assert_eq!(out.success().json()[0]["heading"], "One");
    let world = World::demo(&[("SKILL.md", "text\n")]);
    let out = world.skc(["outline", "demo", "-o", "json"]).success();
    assert_eq!(out.json(), json!([]));
    assert_eq!(world.skc(["outline", "demo"]).success().text(), "");
}

/// C-ERRORS@2.1.
#[test]
fn each_read_error_has_its_code() {
    let world = World::built(&[("a.md", "# A\n")]);
    fs::create_dir_all(world.cwd.join(".skillc/skills/hollow")).expect("made");
    for command in [
        ["outline", "X", "--level", "1"],
        ["show", "X", "--section", "a"],
        ["open", "X", "a.md", "--max-lines=1"],
        ["sources", "X", "--depth", "1"],
    ] {
        let at = |name| command.map(|word| if word == "X" { name } else { word });
        let missing = world.skc(at("none"));
        missing.error("error[E001]: skill 'none' not found");
        world.skc(at("hollow")).code("E010");
        let mut unknown = at("demo").to_vec();
        unknown.push("--no-such-flag");
        world.skc_at(&world.cwd, &unknown).code("E100");
    }
    world.skc(["open", "demo", "../x"]).code("E012");
    world.skc(["sources", "demo", "--dir", "../x"]).code("E012");
    world
        .skc(["show", "demo", "--section", "none"])
        .code("E020");
    world.skc(["open", "demo", "none"]).code("E021");
    world.skc(["sources", "demo", "--dir", "none"]).code("E022");
    world.skc(["open", "demo"]).code("E100");
    world.skc(["show", "demo"]).code("E100");
}

/// G-TEST.3.
#[test]
fn the_reading_commands_work_together_on_a_built_skill() {
    let world = World::built(&[(
        "references/api.md",
        "# API\n\n## Limits\n\nTen per second.\n",
    )]);
    let sources = world.skc(["sources", "demo", "--format", "json"]).success();
    assert_eq!(sources.json()[1]["path"], "references/api.md");
    let outline = world.skc(["outline", "demo"]).success();
    assert!(
        outline
            .text()
            .contains("references/api.md\n  # API\n  ## Limits\n")
    );
    let show = world.skc(["show", "demo", "--section", "Limits"]).success();
    assert_eq!(show.text(), "## Limits\n\nTen per second.\n");
    let open = world.skc(["open", "demo", "references/api.md"]).success();
    assert!(open.text().ends_with(show.text()));
    let search = world
        .skc(["search", "demo", "second", "-o", "json"])
        .success();
    assert_eq!(search.json()["results"][0]["section"], "Limits");
}

/// Returns Markdown with every kind of heading, large enough that `outline` reads the index instead of the files.
fn large(headings: usize) -> String {
    let mut text = "---\nname: x\n---\n".to_owned();
    for number in 0..headings {
        text += &format!("## Part *{number}* \u{e9}\n\n{}\n\n", "words ".repeat(60));
    }
    text + "Setext\n======\n\n> # In a quote\n\n#\n\n###### Last `code` ##\n"
}

/// C-OUTLINE.1. The index is only a cache: the outline is the same with and without an index, and edits that are not
/// indexed yet are included.
#[test]
fn the_outline_is_the_same_with_and_without_an_index() {
    let files = [
        ("a.md", large(200)),
        ("b/c.md", large(200)),
        ("d.md", "no heading\n".into()),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let world = World::built(&files);
    let outline = || {
        world
            .skc(["outline", "demo", "-o", "json"])
            .success()
            .json()
    };
    let without_index = || {
        let (index, aside) = (world.demo_index(), world.home.join("aside"));
        fs::rename(&index, &aside).expect("moved");
        let outline = outline();
        fs::rename(&aside, &index).expect("moved");
        outline
    };
    assert_eq!(outline(), without_index());
    assert_eq!(outline().as_array().map(Vec::len), Some(1 + 2 * 202));

    let edited = world.demo_source().join("b/c.md");
    fs::write(&edited, large(3)).expect("written");
    fs::remove_file(world.demo_source().join("d.md")).expect("removed");
    assert_eq!(outline(), without_index());
    assert_eq!(outline().as_array().map(Vec::len), Some(1 + 202 + 5));
}

/// C-OVERVIEW@2.1. If another program has written text into the index, that text is not shown as file content.
#[test]
fn a_tampered_index_is_not_trusted() {
    let world = World::built(&[("a.md", large(400).as_str())]);
    let before = world.skc(["outline", "demo"]).success().text().to_owned();
    database::change(&world.demo_index(), "UPDATE headings SET text = 'Tampered'");
    assert_eq!(world.skc(["outline", "demo"]).success().text(), before);
}
