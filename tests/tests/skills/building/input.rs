//! Build input: which files and fields are read, and which are rejected.

use std::fs;

use skillc_tests::{World, snapshot};

use crate::building::support::{card, named, skill_md, stub, write};

/// C-INPUT.1, F-32.
#[test]
fn name_and_description_come_from_the_root_file_alone() {
    let nested = skill_md("name: nested\ndescription: Not this one.", "\n# Nested\n");
    let world = World::built(&[("docs/SKILL.md", &nested), ("a/SKILL.md", "no frontmatter")]);
    let card = card(&stub(&world));
    assert_eq!(card["name"], "demo");
    assert_eq!(card["description"], "A demo. Use when testing.");
}

/// C-INPUT.2.
#[test]
fn headings_come_from_every_markdown_file() {
    let world = World::built(&[
        ("a/deep/er.md", "# Deep\n\nfar down\n"),
        ("Upper.MD", "## Loud\n\ntext\n"),
        ("no.txt", "# Plain\n"),
        (".hidden/no.md", "# Unseen\n"),
    ]);
    for (section, file) in [
        ("Deep", "a/deep/er.md"),
        ("Loud", "Upper.MD"),
        ("Demo", "SKILL.md"),
    ] {
        let shown = world.skc(["show", "demo", "--section", section, "-o", "json"]);
        assert_eq!(shown.success().json()["file"], file);
    }
    for section in ["Plain", "Unseen"] {
        world
            .skc(["show", "demo", "--section", section])
            .code("E020");
    }
}

/// C-INPUT.3, C-ERRORS@1.1, F-37.
#[test]
fn a_directory_without_skill_md_is_e010_and_nothing_is_written() {
    let world = World::project();
    fs::create_dir_all(world.cwd.join("hollow/sub")).expect("directories");
    let stored = world.cwd.join(".skillc/skills/empty");
    fs::create_dir_all(&stored).expect("a directory");
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    let line = |path: &str| format!("error[E010]: not a valid skill: '{path}' (missing SKILL.md)");
    world.skc(["build", "hollow"]).error(&line("hollow"));
    world.skc(["build", "./hollow"]).error(&line("./hollow"));
    world
        .skc(["build", "empty"])
        .error(&line(stored.to_str().expect("a plain path")));
    world
        .skc(["build", "nowhere"])
        .error("error[E001]: skill 'nowhere' not found");
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
}

/// C-INPUT.4, D-E011, F-30, C-ERRORS@1.1.
#[test]
fn a_missing_field_is_e011_and_nothing_is_written() {
    let block = |text: &str| skill_md(text, "# T\n");
    for (field, text) in [
        ("name", block("description: d")),
        ("name", block("")),
        ("name", block("name:\ndescription: d")),
        ("name", block("name: ~\ndescription: d")),
        ("name", block("name: \"\"\ndescription: d")),
        (
            "name",
            block("name: ' \\t '\nname2: x\ndescription: d").replace("\\t", "\t"),
        ),
        ("name", block("name: [a]\ndescription: d")),
        ("name", block("name: {a: b}\ndescription: d")),
        ("name", block("Name: x\ndescription: d")),
        ("description", block("name: demo")),
        ("description", block("name: demo\ndescription: null")),
        ("description", block("name: demo\ndescription: '  '")),
        ("description", block("name: demo\ndescription:\n  - a")),
        ("name", "# Only a body\n".to_owned()),
        ("name", String::new()),
        (
            "name",
            "---\nname: demo\ndescription: never closed\n".to_owned(),
        ),
        ("name", " ---\nname: demo\ndescription: d\n---\n".to_owned()),
    ] {
        let world = World::demo(&[("SKILL.md", &text)]);
        let outside = world.directory("out/demo2", &[("SKILL.md", &text)]);
        let outside = outside.to_str().expect("a plain path");
        let before = (snapshot(&world.cwd), snapshot(&world.home));
        let line = format!("error[E011]: missing frontmatter field '{field}' in SKILL.md");
        world.skc(["build", "demo"]).error(&line);
        world.skc(["build", outside]).error(&line);
        let after = (snapshot(&world.cwd), snapshot(&world.home));
        assert_eq!(after, before, "{text:?}");
    }
}

/// A missing field is reported with the message of lint and the name of the file. In a run over many skills, the
/// message alone would be ambiguous.
#[test]
fn a_missing_field_names_its_file_and_says_what_is_wrong() {
    for (text, why) in [
        (
            "# Only a body\n",
            "missing frontmatter: file does not start with ---",
        ),
        (
            "---\nname: demo\n",
            "missing frontmatter: no closing --- found",
        ),
        (
            "---\ndescription: d\n---\n",
            "the frontmatter has no field 'name'",
        ),
        ("---\nname: ''\n---\n", "the field 'name' is empty"),
        ("---\nname: [a]\n---\n", "the field 'name' is a list"),
    ] {
        let world = World::demo(&[("SKILL.md", text)]);
        let failed = world.skc(["build", "demo"]);
        let line = format!(
            "'{}': {why}",
            world.demo_source().join("SKILL.md").display()
        );
        assert!(failed.stderr.contains(&line), "{failed:?}");
    }
    let world = World::demo(&[("SKILL.md", "---\nname: a: b\n---\n")]);
    let failed = world.skc(["build", "demo"]);
    let file = world.demo_source().join("SKILL.md");
    assert!(
        failed.stderr.contains(&format!("In '{}'.", file.display())),
        "{failed:?}"
    );
}

/// D-ENCODING.
#[test]
fn invalid_utf8_never_reaches_the_fields_of_a_stub() {
    let world = World::demo(&[]);
    let file = world.demo_source().join("SKILL.md");
    fs::write(&file, b"---\nname: demo\ndescription: caf\xE9\n---\n# T\n").expect("a file");
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    world.skc(["build", "demo"]).error(&format!(
        "error[E999]: reading '{}': byte 31 of the frontmatter is not UTF-8 (0xE9)",
        file.display()
    ));
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);

    fs::write(&file, b"---\nname: demo\ndescription: d\n---\n# caf\xE9\n").expect("a file");
    let built = world.skc(["build", "demo"]).success();
    let warning = format!(
        "warning[W069]: not UTF-8: '{}' has an invalid byte at offset 39",
        file.display()
    );
    assert_eq!(
        built.stderr.lines().next(),
        Some(warning.as_str()),
        "{built:?}"
    );
}

/// D-E011.
#[test]
fn broken_yaml_is_e999_and_the_earlier_build_stays() {
    let world = World::built(&[]);
    let before = snapshot(&world.demo_runtime());
    write(
        &world,
        "SKILL.md",
        &skill_md("name: demo\ndescription: \"open", "# T\n"),
    );
    let failed = world.skc(["build", "demo"]);
    failed.code("E999");
    let begin = "error[E999]: invalid frontmatter YAML: ";
    assert!(failed.stderr.starts_with(begin), "{failed:?}");
    assert_eq!(snapshot(&world.demo_runtime()), before);
}

/// D-E011, F-30, G-AUTHOR.3, C-COMPAT-FORMAT.1.
#[test]
fn scalars_are_read_as_text_and_other_fields_in_any_shape() {
    let text = skill_md(
        "name: 123\ndescription: 1.50\nallowed-tools: [Read, Bash]\nmetadata:\n  a: {b: [c]}\nversion: 2",
        "# T\n",
    );
    let world = World::built(&[("SKILL.md", &text)]);
    let card = card(&stub(&world));
    assert_eq!(
        (&card["name"], &card["description"]),
        (&"123".into(), &"1.50".into())
    );
}

/// F-29.
#[test]
fn the_frontmatter_ends_at_a_line_of_three_dashes_and_nothing_else() {
    let long = "name: demo\ndescription: |\n  one\n  ---x\n  --- \n  ----\n";
    let text = format!(
        "\u{feff}---\r\n{}---\r\n# Title\r\n",
        long.replace('\n', "\r\n")
    );
    let world = World::built(&[("SKILL.md", &text)]);
    assert_eq!(
        card(&stub(&world))["description"],
        "one\n---x\n--- \n----\n"
    );

    // An import parses the frontmatter in the same way.
    let text = "---\nname: out\ndescription: \"a --- b\"\n---\n\n---\nname: no\n---\n";
    world.directory("elsewhere", &[("SKILL.md", text)]);
    world.skc(["build", "./elsewhere"]).success();
    assert!(world.cwd.join(".skillc/skills/out").is_dir());
}

/// C-ERRORS@1.1.
#[test]
fn invalid_options_are_e100_before_anything_is_written() {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    world.skc(["build", "demo", "--nope"]).code("E100");
    world.skc(["build", "demo", "--target"]).code("E100");
    world.skc(["build", "demo", "--target", ""]).code("E100");
    world.skc(["build"]).code("E100");
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
}
