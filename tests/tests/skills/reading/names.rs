//! File names that are not UTF-8 or contain terminal control sequences. Design: R20, R25, C-CODES.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use skillc_tests::{Output, World};

/// Creates a skill with arbitrary file names.
fn with_names(names: &[&[u8]]) -> World {
    let world = World::demo(&[("ok.md", "# Fine\n")]);
    for name in names {
        let path = world.demo_source().join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().expect("in the skill")).expect("made");
        fs::write(path, "# Odd\n\nneedle\n").expect("written");
    }
    world
}

/// C-SOURCES.1.
#[test]
fn names_that_are_not_utf8_are_skipped_with_one_warning() {
    let world = with_names(&[b"bad\xff.md", b"\xfe/inner.md", b"\xfe/deeper/inner.md"]);
    let warning = |out: &Output| {
        let warnings = out
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning[W026]"));
        assert_eq!(warnings.count(), 1, "{out:?}");
        assert!(
            out.stderr
                .contains("skipped 2 file name(s) that are not UTF-8"),
            "{out:?}"
        );
    };
    let outline = world.skc(["outline", "demo"]).success();
    assert_eq!(outline.text(), "SKILL.md\n  # Demo\nok.md\n  # Fine\n");
    warning(&outline);
    let sources = world.skc(["sources", "demo"]).success();
    assert_eq!(sources.text(), "demo/\n├── SKILL.md\n└── ok.md\n");
    warning(&sources);
    warning(&world.skc(["lint", "demo"]).success());
    warning(&world.skc(["build", "demo"]).success());
    let search = world
        .skc(["search", "demo", "needle", "-o", "json"])
        .success();
    assert_eq!(
        search.json()["results"].as_array().expect("a list").len(),
        0
    );
    assert_eq!(search.stderr, "");
}

/// C-SOURCES.1.
#[test]
fn hidden_names_that_are_not_utf8_are_skipped_like_other_hidden_files() {
    let world = with_names(&[b".\xff.md", b".git/\xff", b".git/\xfe/a"]);
    for command in ["outline", "sources", "lint", "build"] {
        let out = world.skc([command, "demo"]).success();
        assert!(!out.stderr.contains("W026"), "{out:?}");
    }
}

/// C-SOURCES.1, C-OPEN.1.
#[test]
fn control_characters_are_escaped_in_listings_and_kept_in_raw_output() {
    let title = "\u{1b}]0;owned\u{7}\u{9b}31mneedle";
    let world = World::project();
    let names = [
        "\u{1b}[31mred.md",
        "two\nlines.md",
        "bell\u{7}\r.md",
        "c1\u{9b}2J/x.md",
    ];
    let text = format!("# {title}\n\nneedle {title}\n");
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, text.as_str())).collect();
    world.project_skill("demo", &files);
    world.skc(["build", "demo"]).success();
    for args in [
        ["outline", "demo"].as_slice(),
        &["sources", "demo"],
        &["sources", "demo", "--dir", "c1\u{9b}2J"],
        &["search", "demo", "needle"],
        &["lint", "demo"],
    ] {
        let out = world.skc_at(&world.cwd, args).success();
        let is_raw = |c: char| c.is_control() && c != '\n';
        assert!(
            !out.text().contains(is_raw) && !out.stderr.contains(is_raw),
            "{out:?}"
        );
        assert!(!out.text().contains("two\nlines"), "{out:?}");
    }
    let outline = world.skc(["outline", "demo"]).success();
    assert!(
        outline
            .text()
            .contains("\\u{1b}[31mred.md\n  # \\u{1b}]0;owned\\u{7}")
    );
    assert!(outline.text().contains("two\\nlines.md\n"));
    let open = world.skc(["open", "demo", names[0]]).success();
    assert_eq!(open.text(), text);
    let show = world.skc(["show", "demo", "--section", title, "--file", names[0]]);
    assert_eq!(show.success().text(), text);
}

/// C-SHOW.9.
#[test]
fn control_characters_are_escaped_in_messages() {
    let world = World::built(&[("a\u{1b}.md", "# Part \u{1b}[2J\n\n# Part \u{1b}[2J\n")]);
    let name = "\u{1b}[31m\nx";
    for args in [
        ["open", "demo", name].as_slice(),
        &["open", "demo", "../\u{1b}"],
        &["sources", "demo", "--dir", name],
        &["show", "demo", "--section", name],
        &["show", "demo", "--section", "part"],
        &["show", "demo", "--section", "part \u{1b}[2j"],
    ] {
        let out = world.skc_at(&world.cwd, args);
        assert!(!out.stderr.is_empty());
        let is_raw = |c: char| c.is_control() && c != '\n';
        assert!(!out.stderr.contains(is_raw), "{out:?}");
        assert_eq!(out.stderr.matches("\nx").count(), 0, "{out:?}");
    }
}
