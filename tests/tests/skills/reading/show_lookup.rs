//! How `skc show` finds a heading, and its suggestions if no heading matches. Design: C-SHOW, D-EMDASH.

use skillc_tests::World;

/// Returns the first line of the output.
fn shown(world: &World, section: &str) -> String {
    let out = world.skc(["show", "demo", "--section", section]).success();
    out.text().lines().next().unwrap_or_default().to_owned()
}

/// C-SHOW.3.
#[test]
fn surrounding_blanks_and_a_trailing_description_are_dropped() {
    let world = World::built(&[("a.md", "# API Reference\n\n## Two\n")]);
    for query in [
        "API Reference",
        "  API Reference\t",
        "API Reference — endpoints and limits",
        " api reference — x — y ",
        "API Reference  — x",
    ] {
        assert_eq!(shown(&world, query), "# API Reference", "{query:?}");
    }
    for query in ["API Reference - x", "API Reference—x", "API Reference – x"] {
        world.skc(["show", "demo", "--section", query]).code("E020");
    }
}

/// C-SHOW.3, D-EMDASH, F-22.
#[test]
fn a_heading_with_a_dash_is_found_by_its_full_text() {
    let world = World::built(&[("a.md", "# Setup\n\n# Setup — Linux\n\n# Solo — part\n")]);
    assert_eq!(shown(&world, "Setup — Linux"), "# Setup — Linux");
    assert_eq!(shown(&world, "Setup — Windows"), "# Setup");
    assert_eq!(shown(&world, "solo — PART"), "# Solo — part");
    assert_eq!(
        shown(&world, "Solo — part — as in the stub"),
        "# Solo — part"
    );
}

/// C-SHOW.4, F-20.
#[test]
fn letters_of_any_script_match_in_either_case() {
    let headings = "# Über\n\n# STRASSE\n\n# École ÉTÉ\n\n# ПРИВЕТ\n\n# Σίγμα\n";
    let world = World::built(&[("a.md", headings)]);
    for (query, found) in [
        ("über", "# Über"),
        ("ÜBER", "# Über"),
        ("strasse", "# STRASSE"),
        ("école été", "# École ÉTÉ"),
        ("привет", "# ПРИВЕТ"),
        ("ΣΊΓΜΑ", "# Σίγμα"),
    ] {
        assert_eq!(shown(&world, query), found, "{query}");
    }
}

/// C-SHOW.4, F-21.
#[test]
fn percent_and_underscore_are_literal() {
    let world = World::built(&[("a.md", "# Getting started\n\n# 100%\n\n# a_b\n\n# axb\n")]);
    assert_eq!(shown(&world, "100%"), "# 100%");
    assert_eq!(shown(&world, "A_B"), "# a_b");
    let line = |query| format!("error[E020]: section not found: '{query}'\n");
    for query in ["G%", "%", "Getting_started", "_"] {
        let out = world.skc(["show", "demo", "--section", query]);
        assert!(!out.ok && out.stderr.starts_with(&line(query)), "{out:?}");
        assert!(!out.stderr.contains("Getting started"), "{out:?}");
    }
}

/// C-SHOW.4.
#[test]
fn the_whole_heading_must_match() {
    let world = World::built(&[("a.md", "# Getting Started\n")]);
    for query in [
        "Getting",
        "Started",
        "Getting Started!",
        "Getting  Started",
        "# Getting Started",
    ] {
        world.skc(["show", "demo", "--section", query]).code("E020");
    }
}

/// C-SHOW.5: a missing file is E021, which is more specific than E020.
#[test]
fn a_file_limits_the_search() {
    let world = World::built(&[("a.md", "# Same\n\na\n"), ("d/b.md", "# Same\n\nb\n")]);
    let show = |file| world.skc(["show", "demo", "--section", "same", "--file", file]);
    for file in ["d/b.md", "./d/b.md", "d/../d/b.md"] {
        let out = show(file).success();
        assert_eq!((out.text(), out.stderr.as_str()), ("# Same\n\nb\n", ""));
    }
    for file in ["none.md", "b.md", "d", "", "D/B.md"] {
        show(file).error(&format!("error[E021]: file not found: '{file}'"));
    }
    for file in ["../x.md", "/etc/passwd"] {
        show(file).error(&format!("error[E012]: path escapes skill root: '{file}'"));
    }
}

/// C-SHOW.9, F-21.
#[test]
fn similar_headings_are_suggested_common_prefixes_first() {
    let world = World::built(&[
        ("b.md", "# Set up\n\n# The setup\n"),
        ("a.md", "# Quick Setup\n\n# Setup on Linux\n\n# Other\n"),
    ]);
    let out = world.skc(["show", "demo", "--section", "SETUP"]);
    assert!(!out.ok && out.stdout.is_empty());
    let expected = "error[E020]: section not found: 'SETUP'

Did you mean one of these?
  - Setup on Linux (a.md)
  - Quick Setup (a.md)
  - The setup (b.md)
";
    assert_eq!(out.stderr, expected);
}

/// C-SHOW.4, C-SHOW.9: the `#` marks of an outline are not part of the name, but identify the intended heading.
#[test]
fn a_heading_with_its_marks_is_suggested_without_them() {
    let world = World::built(&[("a.md", "# Set up\n\n# Other\n")]);
    let out = world.skc(["show", "demo", "--section", "## Set up"]);
    let expected = "error[E020]: section not found: '## Set up'

Did you mean one of these?
  - Set up (a.md)
";
    assert_eq!(out.stderr, expected);
}

/// C-SHOW.9, C-SHOW.10.
#[test]
fn without_similar_headings_only_the_error_is_printed() {
    let world = World::built(&[]);
    let out = world.skc(["show", "demo", "--section", " Zzz — all of it "]);
    assert_eq!(
        out.stderr,
        "error[E020]: section not found: ' Zzz — all of it '\n"
    );
    assert!(!out.ok && out.stdout.is_empty());
}

/// C-SHOW.9, C-SHOW.10.
#[test]
fn at_most_five_different_headings_are_suggested_in_fixed_order() {
    let twice = "# Item 2\n\n# Item 1\n\n# Item 2\n\n# Big item\n";
    let world = World::built(&[
        ("c.md", twice),
        ("a.md", "# Item 9\n\n# Item 8\n"),
        ("b.md", "# Item 2\n"),
    ]);
    let out = world.skc(["show", "demo", "--section", "item"]);
    let offered: Vec<&str> = out.stderr.lines().skip(3).collect();
    assert_eq!(
        offered,
        [
            "  - Item 9 (a.md)",
            "  - Item 8 (a.md)",
            "  - Item 2 (b.md)",
            "  - Item 2 (c.md)",
            "  - Item 1 (c.md)",
        ]
    );
}

/// C-SHOW.10.
#[test]
fn a_file_limits_the_suggestions() {
    let world = World::built(&[("a.md", "# Item A\n"), ("b.md", "# Item B\n")]);
    let out = world.skc(["show", "demo", "--section", "item", "--file", "b.md"]);
    assert!(
        out.stderr.ends_with("these?\n  - Item B (b.md)\n"),
        "{out:?}"
    );
}

/// D-PATH-LABEL.
#[test]
fn the_path_label_of_a_stub_is_not_a_heading() {
    let world = World::built(&[("notes.md", "## Only second level\n")]);
    let stub = std::fs::read_to_string(world.demo_runtime().join("SKILL.md")).expect("built");
    assert!(stub.contains("  - notes.md"));
    let out = world.skc(["show", "demo", "--section", "notes.md"]);
    let expected = "error[E020]: section not found: 'notes.md'

Did you mean one of these?
  - Only second level (notes.md)
";
    assert_eq!(out.stderr, expected);
    assert_eq!(
        world.skc(["open", "demo", "notes.md"]).success().text(),
        "## Only second level\n"
    );
}

/// C-SHOW.4.
#[test]
fn a_name_longer_than_4_kib_is_refused_before_anything_is_read() {
    let world = World::built(&[]);
    let long = "é".repeat(2049);
    world.skc(["show", "demo", "--section", &long]).code("E100");
    world
        .skc(["show", "demo", "--section", &long[..4096]])
        .code("E020");
}
