//! Tests valid and invalid frontmatter of a `SKILL.md`.

use proptest::prelude::*;
use skillc_catalog::entry::SkillHead;
use skillc_catalog::name::is_skill_name;

use crate::support::{World, configure, names, write};

fn parse(text: &str) -> Result<SkillHead, String> {
    SkillHead::parse(text.as_bytes(), 0).map_err(std::borrow::Cow::into_owned)
}

#[track_caller]
fn refused(text: &str) -> String {
    parse(text).expect_err(text)
}

/// CAT-DISC.12.
#[test]
fn line_endings_byte_order_marks_and_a_delimiter_at_eof_are_accepted() {
    for text in [
        "---\nname: a\ndescription: d\n---\n",
        "---\r\nname: a\r\ndescription: d\r\n---\r\nbody",
        "\u{feff}---\nname: a\ndescription: d\n---\n",
        "---\nname: a\ndescription: d\n---",
    ] {
        let world = World::new();
        write(&world.repo.join(".agents/skills/a/SKILL.md"), text);
        assert_eq!(world.names(), ["a"], "{text:?}");
    }
}

/// CAT-DISC.12.
#[test]
fn without_frontmatter_there_is_no_skill() {
    for (text, message) in [
        ("", "no frontmatter"),
        ("# A\n", "no frontmatter"),
        ("\n---\nname: a\n---\n", "no frontmatter"),
        (
            "---\nname: a\n",
            "the frontmatter has no closing '---' line",
        ),
    ] {
        assert_eq!(refused(text), message, "{text:?}");
    }
    let message = refused("---\nname: a\ndescription: b: c\n---\n");
    assert!(
        message.starts_with("the frontmatter is not valid: line 3: "),
        "{message}"
    );
}

/// CAT-DISC.13.
#[test]
fn names_are_lowercase_words_joined_by_single_hyphens() {
    let longest = "a".repeat(64);
    for good in ["a", "a-b", "a1-2b", "0", &longest] {
        let text = format!("---\nname: {good}\ndescription: d\n---\n");
        assert_eq!(parse(&text).map(|head| head.name).as_deref(), Ok(good));
    }
    let long = "a".repeat(65);
    for bad in [
        "A", "-a", "a-", "a--b", "a_b", "é", "'a b'", "'\\n'", "'-'", "a.b", &long,
    ] {
        let message = refused(&format!("---\nname: {bad}\ndescription: d\n---\n"));
        assert!(
            message.starts_with("'name' must consist of 1 to 64 "),
            "{message}"
        );
        assert!(message.len() < 300, "{message}");
    }
    for (field, message) in [
        ("", "'name' is missing"),
        ("name:\n", "'name' is empty"),
        ("name: '  '\n", "'name' is empty"),
        ("name: [a]\n", "'name' is not a string"),
    ] {
        assert_eq!(
            refused(&format!("---\n{field}description: d\n---\n")),
            message
        );
    }
}

/// CAT-DISC.14.
#[test]
fn a_description_has_1_to_1024_characters_without_blanks_around_it() {
    let head = |description: &str| {
        parse(&format!(
            "---\nname: a\ndescription: \"{description}\"\n---\n"
        ))
    };
    let longest = "é".repeat(1024);
    for good in ["d", &longest, &format!("  {longest} ")] {
        assert_eq!(head(good).unwrap().description, good.trim());
    }
    assert_eq!(head("").unwrap_err(), "'description' is empty");
    assert_eq!(head(" \\t ").unwrap_err(), "'description' is empty");
    assert_eq!(
        head(&"é".repeat(1025)).unwrap_err(),
        "'description' has 1025 characters; at most 1024 are allowed"
    );
    assert_eq!(refused("---\nname: a\n---\n"), "'description' is missing");
}

/// CAT-DISC.15.
#[test]
fn a_name_must_match_its_directory() {
    let world = World::new();
    let file = world.repo.join(".agents/skills/b/SKILL.md");
    write(&file, "---\nname: a\ndescription: d\n---\n");
    let catalog = world.catalog();
    assert!(catalog.skills().is_empty());
    let [error] = &catalog.found().errors[..] else {
        panic!()
    };
    assert_eq!(error.path, file.to_str().unwrap());
    assert_eq!(error.message, "'name' is 'a', but the directory is 'b'");
}

/// CAT-DISC.15, with `name_mismatch = "warn"`: the skill is listed with one warning.
#[test]
fn a_name_may_differ_if_the_settings_allow_it() {
    let world = World::new();
    configure(&world.home, "[catalog]\nname_mismatch = \"warn\"\n");
    for dir in ["b", "c"] {
        let file = world.repo.join(".agents/skills").join(dir).join("SKILL.md");
        write(&file, "---\nname: a\ndescription: d\n---\n");
    }
    let (catalog, notices) = world.read();
    assert_eq!(names(&catalog), ["a", "a"]);
    let example = world.repo.join(".agents/skills/b/SKILL.md");
    let expected = format!(
        "warning[W065]: 2 skill name(s) differ from their directory, for example '{}'",
        example.display()
    );
    assert_eq!(notices, [expected]);
}

/// CAT-DISC.16.
#[test]
fn other_fields_are_preserved_and_never_rejected() {
    let head = parse(
        "---\nname: a\ndescription: d\nversion: 1.10\nlicense: MIT\nmetadata:\n  k: v\nodd: [1, {x: y}]\nallowed-tools: ~\n---\n",
    );
    let fields = head.unwrap().fields;
    assert_eq!(fields.text("version"), Some("1.10"));
    assert_eq!(fields.text("license"), Some("MIT"));
    let keys: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys[4..], ["metadata", "odd", "allowed-tools"]);
    for odd in ["version: [1]", "license: {}", "metadata: none"] {
        let text = format!("---\nname: a\ndescription: d\n{odd}\n---\n");
        assert!(parse(&text).is_ok(), "{odd}");
    }
}

/// A long frontmatter is read to its end, but not beyond the size limit.
#[test]
fn frontmatter_may_be_longer_than_the_first_read() {
    let world = World::new();
    let file = world.repo.join(".agents/skills/a/SKILL.md");
    let body = "x".repeat(10_000);
    for filler in [4_060, 4_070, 4_075, 4_080, 8_000, 60_000] {
        let odd = "o".repeat(filler);
        for end in ["---", "---\n", &format!("---\n{body}")] {
            let text = format!("---\nname: a\ndescription: d\nodd: {odd}\n{end}");
            write(&file, &text);
            assert_eq!(world.names(), ["a"], "{filler}");
        }
    }
    for (text, message) in [
        (
            format!("---\nname: a\nodd: {}\n---\n", "o".repeat(70_000)),
            "the frontmatter does not end within 64 KiB",
        ),
        (
            format!("---\nname: a\n{}", "o: p\n".repeat(1_000)),
            "the frontmatter has no closing '---' line",
        ),
        (
            format!("---\n---\n{}", "x".repeat(4 << 20)),
            "larger than 4 MiB",
        ),
    ] {
        write(&file, &text);
        assert_eq!(world.catalog().found().errors[0].message, message);
    }
}

/// Only the frontmatter must be valid UTF-8.
#[test]
fn frontmatter_must_be_utf8() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    let head = b"---\nname: a\ndescription: d\n---\n".to_vec();
    for (dir, bytes) in [
        ("a", [head.clone(), b"\xff".to_vec()].concat()),
        ("b", b"---\nname: b\ndescription: \xff\n---\n".to_vec()),
    ] {
        std::fs::create_dir_all(root.join(dir)).unwrap();
        std::fs::write(root.join(dir).join("SKILL.md"), bytes).unwrap();
    }
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["a"]);
    assert_eq!(catalog.found().errors[0].message, "not UTF-8");
}

proptest! {
    /// CAT-DISC.13: a name has no hyphen at either end, and no two hyphens in a row.
    #[test]
    fn names_match_the_regular_expression(text in "[a-c0-1A_-]{0,6}|[a-z0-9-]{62,66}") {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let expected = !text.is_empty()
            && text.len() <= 64
            && text.chars().all(is_plain)
            && !text.starts_with('-')
            && !text.ends_with('-')
            && !text.contains("--");
        prop_assert_eq!(is_skill_name(&text), expected);
    }

    #[test]
    fn arbitrary_bytes_parse_or_give_a_one_line_error(bytes in prop::collection::vec(any::<u8>(), 0..200), is_head: bool) {
        let mut text = if is_head { b"---\nname: a\ndescription: d\n".to_vec() } else { Vec::new() };
        text.extend(bytes);
        match SkillHead::parse(&text, 0) {
            Ok(head) => prop_assert!(is_skill_name(&head.name) && !head.description.is_empty()),
            Err(message) => prop_assert!(!message.is_empty() && !message.contains('\n')),
        }
    }
}
