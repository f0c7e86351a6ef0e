//! `skc open`. Design: C-OPEN, D-OPEN-DIR, D-MAX-LINES-0.

use std::fs;

use serde_json::json;
use skillc_tests::{Output, World};

/// Creates a skill with one file of arbitrary bytes.
fn with_file(path: &str, bytes: &[u8]) -> World {
    let world = World::demo(&[]);
    fs::write(world.demo_source().join(path), bytes).expect("written");
    world
}

fn open(world: &World, path: &str) -> Output {
    world.skc(["open", "demo", path])
}

fn first_lines(bytes: &[u8], max_lines: &str) -> Vec<u8> {
    let world = with_file("f", bytes);
    let out = world.skc(["open", "demo", "f", "--max-lines", max_lines]);
    out.success().stdout
}

/// C-OPEN.1, F-23.
#[test]
fn arbitrary_bytes_are_printed_unchanged() {
    let all: Vec<u8> = (0..=255).collect();
    for bytes in [
        b"".as_slice(),
        b"no final line end",
        b"crlf\r\nlone\rlf\n",
        b"\xef\xbb\xbfmark\n",
        b"\xff\xfe\0a\n\x1b[2J",
        &all,
    ] {
        let out = open(&with_file("f.bin", bytes), "f.bin").success();
        assert_eq!(out.stdout, bytes);
        assert_eq!(out.stderr, "");
    }
}

/// C-OPEN.2, F-23.
#[test]
fn the_first_lines_are_unchanged_and_the_rest_is_counted() {
    assert_eq!(
        first_lines(b"a\r\nb\r\nc\r\n", "2"),
        b"a\r\nb\r\n... (1 more lines)\n"
    );
    assert_eq!(first_lines(b"a\nb\nc", "1"), b"a\n... (2 more lines)\n");
    assert_eq!(
        first_lines(b"\xff\n\xfe\n", "1"),
        b"\xff\n... (1 more lines)\n"
    );
    assert_eq!(first_lines(b"a\rb\r", "1"), b"a\r\n... (1 more lines)\n");
}

/// C-OPEN.2, F-23.
#[test]
fn nothing_is_added_to_a_file_that_fits() {
    for bytes in [b"a\nb\n".as_slice(), b"a\nb", b"a\r\nb", b"\n\n", b""] {
        assert_eq!(first_lines(bytes, "2"), bytes);
    }
}

/// C-OPEN.2, D-MAX-LINES-0.
#[test]
fn a_limit_of_zero_lines_prints_only_the_count() {
    assert_eq!(first_lines(b"a\nb", "0"), b"... (2 more lines)\n");
    assert_eq!(first_lines(b"", "0"), b"");
}

/// D-MAX-LINES-0.
#[test]
fn an_invalid_limit_is_refused() {
    let world = World::demo(&[]);
    for bad in ["-1", "x", "1.5", "", "99999999999999999999999"] {
        let limit = format!("--max-lines={bad}");
        world.skc(["open", "demo", "SKILL.md", &limit]).code("E100");
    }
}

/// C-OPEN.3.
#[test]
fn paths_out_of_the_skill_are_refused_whether_or_not_they_exist() {
    let world = World::demo(&[("docs/a.md", "")]);
    fs::write(world.cwd.join(".skillc/skills/beside"), "secret").expect("written");
    let absolute = world.demo_source().join("SKILL.md");
    let absolute = absolute.to_str().expect("UTF-8");
    for path in [
        "..",
        "../beside",
        "../none",
        "docs/../../beside",
        "docs/../../demo/SKILL.md",
        "none/../../none",
        "/etc/passwd",
        "/none",
        absolute,
    ] {
        let message = format!("error[E012]: path escapes skill root: '{path}'");
        open(&world, path).error(&message);
    }
}

/// C-OPEN.3.
#[test]
fn dot_dot_is_allowed_inside_the_skill() {
    let world = World::demo(&[("docs/a.md", "text")]);
    for path in [
        "docs/../SKILL.md",
        "./SKILL.md",
        "docs/./../docs//../SKILL.md",
    ] {
        assert_eq!(
            open(&world, path).success().text(),
            skillc_tests::MINIMAL,
            "{path}"
        );
    }
    assert_eq!(open(&world, "none/../docs/a.md").success().text(), "text");
}

/// C-OPEN.4, D-OPEN-DIR, F-23.
#[test]
fn directories_and_missing_paths_are_not_files() {
    let world = World::demo(&[("docs/a.md", ""), ("x.md/inner.md", "")]);
    for path in [
        "docs",
        "docs/",
        "x.md",
        ".",
        "",
        "none",
        "docs/none",
        "SKILL.md/x",
    ] {
        let message = format!("error[E021]: file not found: '{path}'");
        open(&world, path).error(&message);
    }
    let long = "a".repeat(5000);
    open(&world, &long).code("E021");
}

/// C-OPEN.5.
#[test]
fn hidden_files_and_files_of_any_type_can_be_opened() {
    let files = [
        (".hidden", "h"),
        (".dir/inner.toml", "i"),
        ("assets/logo.svg", "<svg/>"),
        ("scripts/run", "#!/bin/sh\n"),
        ("a b/ü.txt", "u"),
        ("-dash", "d"),
    ];
    let world = World::demo(&files);
    for (path, text) in files {
        let out = world.skc(["open", "demo", "--", path]).success();
        assert_eq!(out.text(), text, "{path}");
    }
    let listed = world.skc(["sources", "demo"]).success();
    assert!(!listed.text().contains("hidden") && !listed.text().contains("inner"));
}

/// C-OPEN.1.
#[test]
fn json_output_names_the_encoding() {
    let world = with_file("f", b"a\nb\n");
    let out = world.skc(["open", "demo", "./f", "--max-lines", "1", "-o", "json"]);
    let expected = json!({
        "path": "f", "encoding": "utf-8", "content": "a\n", "more_lines": 1, "root": world.demo_source(),
    });
    assert_eq!(out.success().json(), expected);
    let world = with_file("f", b"\xff\0");
    let out = world.skc(["open", "demo", "f", "-o", "json"]).success();
    let expected = json!({
        "path": "f", "encoding": "base64", "content": "/wA=", "more_lines": 0, "root": world.demo_source(),
    });
    assert_eq!(out.json(), expected);
}

#[test]
fn a_line_range_is_printed_unchanged() {
    let world = with_file("f", b"a\nb\r\nc\xff\nd");
    let lines = |range: &str| {
        let out = world.skc(["open", "demo", "f", "--lines", range]);
        out.success().stdout
    };
    for (range, text) in [
        ("2-3", b"b\r\nc\xff\n".as_slice()),
        ("2..3", b"b\r\n"),
        ("3-", b"c\xff\nd"),
        ("-2", b"a\nb\r\n"),
        ("4", b"d"),
        ("4-99", b"d"),
    ] {
        assert_eq!(lines(range), text, "{range}");
    }
    let args = ["open", "demo", "f", "--lines", "2-4", "--max-lines", "1"];
    let cut = world.skc(args).success();
    assert_eq!(cut.text(), "b\r\n... (2 more lines)\n");
}

#[test]
fn invalid_line_ranges_are_refused() {
    let world = with_file("f", b"a\nb\n");
    let open = |range: &str| world.skc(["open", "demo", "f", "--lines", range]);
    open("3-4").error("error[E100]: invalid option: 'lines starts at line 3, but f has 2 lines'");
    for bad in ["0", "2-1", "x", "-", ""] {
        open(bad).error(&format!(
            "error[E100]: invalid option: 'lines: invalid range {bad}; use 10-40, 10-, -40, 10 or 10..40, counted from 1'"
        ));
    }
}

#[test]
fn line_ranges_of_search_results_can_be_opened() {
    let world = World::built(&[("a.md", "# One\n\nzebra\n\n# Two\n\nlion\n")]);
    for word in ["zebra", "lion"] {
        let found = world.skc(["search", "demo", word, "-o", "json"]).json();
        let hit = &found["results"][0];
        let range = format!("{}..{}", hit["start_line"], hit["end_line"]);
        let opened = world.skc(["open", "demo", "a.md", "--lines", &range]);
        let heading = hit["section"].as_str().expect("a heading");
        let shown = world.skc(["show", "demo", heading]);
        assert_eq!(opened.success().text(), shown.success().text());
    }
}

#[test]
fn similar_paths_are_suggested() {
    let world = World::demo(&[("references/vat.md", "# VAT\n"), ("scripts/run.sh", "")]);
    for path in ["vat.md", "refrences/vat.md", "references/VAT.md", "vat"] {
        let out = open(&world, path);
        let told = format!(
            "error[E021]: file not found: '{path}'\n\nDid you mean one of these?\n  - references/vat.md\n"
        );
        assert_eq!(out.stderr, told);
    }
    let out = open(&world, "nothing-like-it");
    assert_eq!(
        out.stderr,
        "error[E021]: file not found: 'nothing-like-it'\n"
    );
    let out = world.skc(["sources", "demo", "--dir", "refrences"]);
    let told = "error[E022]: directory not found: 'refrences'\n\nDid you mean one of these?\n  - references\n";
    assert_eq!(out.stderr, told);
}
