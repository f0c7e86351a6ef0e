//! The output of `skc show`. Design: C-SHOW.

use std::fs;

use skillc_tests::{World, database};

const USAGE: &str = "# Guide\n\nintro\n\n## Usage\n\none\ntwo\n\n## Next\n\nend";

fn guide() -> World {
    World::built(&[("guide.md", USAGE)])
}

/// C-SHOW.1, C-SHOW.6.
#[test]
fn a_section_is_printed_from_its_heading_to_the_line_before_the_next() {
    let out = guide()
        .skc(["show", "demo", "--section", "Usage"])
        .success();
    assert_eq!(out.text(), "## Usage\n\none\ntwo\n\n");
    assert_eq!(out.stderr, "");
}

/// C-SHOW.6.
#[test]
fn the_last_section_ends_with_a_newline_even_if_the_file_does_not() {
    let out = guide().skc(["show", "demo", "--section", "Next"]).success();
    assert_eq!(out.text(), "## Next\n\nend\n");
}

/// C-SHOW.6.
#[test]
fn line_endings_trailing_blanks_and_odd_bytes_are_preserved() {
    let world = World::project();
    let dir = world.project_skill("demo", &[]);
    let bytes = b"# A\r\n\r\nx \t\r\n\r\n\r\n# B\rlone\r# C\n\xff\xfe \x1b[31m\0\n";
    fs::write(dir.join("a.md"), bytes).expect("written");
    world.skc(["build", "demo"]).success();
    let show = |name| {
        world
            .skc(["show", "demo", "--section", name])
            .success()
            .stdout
    };
    assert_eq!(show("A"), b"# A\r\n\r\nx \t\r\n\r\n\r\n");
    assert_eq!(
        show("B"),
        b"# B\rlone\r\n",
        "a lone CR ends a line of the file, not of the output"
    );
    assert_eq!(show("C"), b"# C\n\xff\xfe \x1b[31m\0\n");
}

/// C-SHOW.7.
#[test]
fn lines_past_the_limit_are_counted_on_a_line_of_their_own() {
    let world = guide();
    let show = |n| {
        let out = world.skc(["show", "demo", "--section", "Usage", "--max-lines", n]);
        out.success().text().to_owned()
    };
    assert_eq!(show("3"), "## Usage\n\none\n... (2 more lines)\n");
    assert_eq!(show("4"), "## Usage\n\none\ntwo\n... (1 more lines)\n");
    assert_eq!(show("5"), "## Usage\n\none\ntwo\n\n");
    assert_eq!(show("500"), "## Usage\n\none\ntwo\n\n");
}

/// C-SHOW.7, D-MAX-LINES-0.
#[test]
fn a_limit_of_zero_prints_only_the_count_and_negatives_are_refused() {
    let world = guide();
    let args = ["show", "demo", "--section", "Next", "--max-lines", "0"];
    assert_eq!(world.skc(args).success().text(), "... (3 more lines)\n");
    for bad in ["--max-lines=-1", "--max-lines=x", "--max-lines="] {
        world
            .skc(["show", "demo", "--section", "Next", bad])
            .code("E100");
    }
}

/// C-SHOW.8, D-W001.
#[test]
fn the_first_of_several_matches_is_shown_with_a_warning() {
    let world = World::built(&[
        ("b.md", "# Usage\n\nb\n"),
        ("a.md", "# Title\n\n## usage\n\na1\n\n## USAGE\n\na2\n"),
    ]);
    let out = world
        .skc(["show", "demo", "--section", " usage "])
        .success();
    assert_eq!(out.text(), "## usage\n\na1\n\n");
    assert_eq!(
        out.stderr,
        "warning[W001]: multiple matches for ' usage '; showing first\n  a.md:7 (--nth 2)\n  b.md:1 (--nth 3)\n"
    );
    let only = world.skc(["show", "demo", "--section", "Usage", "--file", "b.md"]);
    assert_eq!(only.success().stderr, "", "one match in that file");
}

/// C-SHOW.2, D-SHOW-E002, F-10.
#[test]
fn without_an_index_nothing_is_shown() {
    let world = World::demo(&[("a.md", "# A\n")]);
    let message = "error[E002]: search index unusable; run 'skc build demo' to rebuild";
    let show = || world.skc(["show", "demo", "--section", "A"]);
    show().error(message);
    world.skc(["build", "demo"]).success();
    show().success();
    fs::write(world.demo_index(), b"not a database").expect("written");
    show().error(message);
    fs::remove_file(world.demo_index()).expect("removed");
    show().error(message);
}

/// C-SHOW.2, F-10.
#[test]
fn after_an_edit_nothing_is_shown_until_the_next_build() {
    let world = World::built(&[("a.md", "# A\n\nold\n")]);
    fs::write(world.demo_source().join("a.md"), "shift\n\n# A\n\nnew\n").expect("written");
    let show = || world.skc(["show", "demo", "--section", "A"]);
    show().code("E002");
    world.skc(["build", "demo"]).success();
    assert_eq!(show().success().text(), "# A\n\nnew\n");
    fs::remove_file(world.demo_source().join("a.md")).expect("removed");
    show().code("E002");
}

/// C-SHOW.2, F-10.
#[test]
fn an_index_with_other_settings_or_another_directory_is_not_used() {
    let mut world = guide();
    world.set("SKILLC_TOKENIZER", "cjk");
    world
        .skc(["show", "demo", "--section", "Usage"])
        .code("E002");
    world.env.remove("SKILLC_TOKENIZER");
    database::change(
        &world.demo_index(),
        "UPDATE index_meta SET value = '/elsewhere' WHERE key = 'skill_path'",
    );
    world
        .skc(["show", "demo", "--section", "Usage"])
        .code("E003");
}

/// C-SHOW.6.
#[test]
fn json_output_has_the_location_and_the_text() {
    let world = guide();
    let out = world.skc([
        "show",
        "demo",
        "--section",
        "usage",
        "--max-lines",
        "3",
        "-o",
        "json",
    ]);
    let expected = serde_json::json!({
        "section": "Usage", "file": "guide.md", "start_line": 5, "end_line": 10,
        "encoding": "utf-8", "content": "## Usage\n\none\n", "more_lines": 2,
        "root": world.demo_source(),
    });
    assert_eq!(out.success().json(), expected);
}
