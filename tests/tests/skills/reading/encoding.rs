//! Files that are not plain UTF-8 text. Design: D-ENCODING, D-MD-EXT.

use std::fs;

use skillc_tests::World;

/// Creates and builds a skill with one additional file of arbitrary bytes.
fn built_with(path: &str, bytes: &[u8]) -> World {
    let world = World::demo(&[]);
    fs::write(world.demo_source().join(path), bytes).expect("written");
    world.skc(["build", "demo"]).success();
    world
}

fn outline(world: &World) -> String {
    world.skc(["outline", "demo"]).success().text().to_owned()
}

/// D-ENCODING, F-18.
#[test]
fn invalid_utf8_is_tolerated_and_preserved_in_raw_output() {
    let world = built_with("latin.md", b"# Caf\xe9\n\n## Plain\n\nd\xe9j\xe0 vu word\n");
    fs::write(world.demo_source().join("latin.txt"), b"\xfc\xdf unusual").expect("written");
    world.skc(["build", "demo"]).success();
    assert!(outline(&world).contains("  # Caf\u{fffd}\n  ## Plain\n"));
    let show = world.skc(["show", "demo", "--section", "plain"]).success();
    assert_eq!(show.stdout, b"## Plain\n\nd\xe9j\xe0 vu word\n");
    let show = world
        .skc(["show", "demo", "--section", "Caf\u{fffd}"])
        .success();
    assert!(show.stdout.starts_with(b"# Caf\xe9\n"));
    for word in ["word", "unusual"] {
        let out = world.skc(["search", "demo", word, "-o", "json"]).success();
        assert!(
            !out.json()["results"].as_array().expect("a list").is_empty(),
            "{word}"
        );
    }
    assert!(world.skc(["lint", "demo"]).ok);
}

/// C-OUTLINE.6, D-ENCODING.
#[test]
fn other_encodings_are_read_as_far_as_possible() {
    let utf16: Vec<u8> = "# A\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let world = built_with("utf16.md", &[b"\xff\xfe".as_slice(), &utf16].concat());
    fs::write(
        world.demo_source().join("binary.md"),
        [0, 159, 146, 150, 10, 0],
    )
    .expect("written");
    assert_eq!(outline(&world), "SKILL.md\n  # Demo\n");
    world.skc(["build", "demo"]).success();
}

/// D-ENCODING.
#[test]
fn a_byte_order_mark_does_not_hide_frontmatter_or_headings() {
    let world = World::demo(&[
        (
            "SKILL.md",
            "\u{feff}---\nname: demo\ndescription: d\n---\n# Demo\n",
        ),
        ("a.md", "\u{feff}# First\n\ntext\n"),
    ]);
    world.skc(["build", "demo"]).success();
    assert_eq!(outline(&world), "SKILL.md\n  # Demo\na.md\n  # First\n");
    let out = world.skc(["show", "demo", "--section", "first"]).success();
    assert_eq!(out.text(), "\u{feff}# First\n\ntext\n");
    let out = world.skc(["open", "demo", "a.md"]).success();
    assert_eq!(out.text(), "\u{feff}# First\n\ntext\n");
}

/// D-ENCODING.
#[test]
fn crlf_and_lone_cr_line_endings_are_preserved() {
    let crlf =
        "---\r\nname: demo\r\ndescription: d\r\n---\r\n\r\n# One\r\n\r\na\r\n## Two\r\n\r\nb\r\n";
    let world = World::demo(&[("SKILL.md", crlf), ("mac.md", "# Old\rc\r## Mac\rd\r")]);
    world.skc(["build", "demo"]).success();
    assert_eq!(
        outline(&world),
        "SKILL.md\n  # One\n  ## Two\nmac.md\n  # Old\n  ## Mac\n"
    );
    let show = |name| {
        world
            .skc(["show", "demo", "--section", name])
            .success()
            .stdout
    };
    assert_eq!(show("two"), b"## Two\r\n\r\nb\r\n");
    assert_eq!(show("one"), b"# One\r\n\r\na\r\n## Two\r\n\r\nb\r\n");
    assert!(show("mac").starts_with(b"## Mac\rd\r"));
    let cut = world
        .skc(["show", "demo", "--section", "one", "--max-lines", "1"])
        .success();
    assert_eq!(cut.stdout, b"# One\r\n... (5 more lines)\n");
}

/// D-MD-EXT.
#[test]
fn extensions_match_case_insensitively() {
    let world = World::built(&[
        ("UPPER.MD", "# Upper\n\nalpha\n"),
        ("Mixed.Md", "# Mixed\n"),
        ("NOTES.TXT", "beta\n"),
        ("long.markdown", "# Long\n\ngamma\n"),
        ("none", "# None\n\ndelta\n"),
        ("a.md.bak", "# Backup\n"),
    ]);
    assert_eq!(
        outline(&world),
        "Mixed.Md\n  # Mixed\nSKILL.md\n  # Demo\nUPPER.MD\n  # Upper\n"
    );
    let count = |word| {
        let out = world.skc(["search", "demo", word, "-o", "json"]).success();
        out.json()["results"].as_array().expect("a list").len()
    };
    assert_eq!(
        (
            count("alpha"),
            count("beta"),
            count("gamma"),
            count("delta")
        ),
        (1, 1, 0, 0)
    );
}

/// F-18.
#[test]
fn a_directory_with_a_file_extension_is_a_directory() {
    let world = World::built(&[("x.md/inner.md", "# Inner\n"), ("y.txt/z.txt", "words\n")]);
    fs::create_dir(world.demo_source().join("empty.md")).expect("made");
    world.skc(["build", "demo"]).success();
    assert_eq!(
        outline(&world),
        "SKILL.md\n  # Demo\nx.md/inner.md\n  # Inner\n"
    );
    let out = world.skc(["sources", "demo"]).success();
    assert!(
        out.text()
            .starts_with("demo/\n├── x.md/\n│   └── inner.md\n")
    );
    assert!(world.skc(["lint", "demo"]).ok);
}

/// A lone CR ends a line in every command. The delimiter lines of frontmatter are the exception: no client parses
/// frontmatter whose lines end with a lone CR.
#[test]
fn lines_may_end_with_a_lone_cr() {
    let text = "# Demo\r\rSee [b](b.md).\r";
    let with = |end: &str| {
        let head = "---\nname: demo\ndescription: A test. Use when testing.\n---\n\n";
        let world = World::demo(&[
            ("SKILL.md", &format!("{head}{}", text.replace('\r', end))),
            ("b.md", &"# B\r\r### Deep\r\rword\r".replace('\r', end)),
        ]);
        world.skc(["build", "demo"]).success();
        world
    };
    let (cr, lf) = (with("\r"), with("\n"));
    for args in [
        &["outline", "demo"][..],
        &["lint", "demo"],
        &["lint", "demo", "--select", "SKL207,SKL100"],
        &["search", "demo", "word"],
    ] {
        let [one, other] = [&cr, &lf].map(|world| world.skc_at(&world.cwd, args));
        assert_eq!(one.text(), other.text(), "{args:?}");
        assert_eq!(one.ok, other.ok);
    }
    // A fix would change the line endings, so it is refused.
    let file = cr.demo_source().join("b.md");
    let before = fs::read(&file).expect("a file");
    let run = cr.skc(["lint", "demo", "--fix", "--unsafe-fixes", "-o", "json"]);
    let refused = run.json()["fixes"]["refused"].to_string();
    assert!(refused.contains("a lone carriage return"), "{refused}");
    assert_eq!(fs::read(&file).expect("a file"), before);

    let main = cr.demo_source().join("SKILL.md");
    let text = fs::read_to_string(&main).expect("a file");
    fs::write(&main, text.replace('\n', "\r")).expect("written");
    let run = cr.skc(["lint", "demo", "-o", "json"]);
    let found = run.json()["diagnostics"].to_string();
    assert!(found.contains("file does not start with ---"), "{found}");
    cr.skc(["build", "demo"]).code("E011");
}
