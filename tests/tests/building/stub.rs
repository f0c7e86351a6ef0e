//! The compiled `SKILL.md`: frontmatter and instructions.

use serde_json::json;
use skillc_tests::{MINIMAL, World};

use crate::support::{card, named, skill_md, stub, stub_of};

/// C-STUB.1, F-33.
#[test]
fn name_and_description_read_back_as_they_were_written() {
    // Each is YAML in the source: what it means is beside it.
    for (name, description, means) in [
        ("demo", r#""say \"hi\"""#, "say \"hi\""),
        ("demo", "'it''s: a # b'", "it's: a # b"),
        ("demo", r#""back\\slash \\n""#, "back\\slash \\n"),
        (
            "demo",
            r#""two\nlines\n\nand four\n""#,
            "two\nlines\n\nand four\n",
        ),
        ("demo", r#""  around  ""#, "  around  "),
        (
            "demo",
            "\u{1f980} \u{65e5}\u{672c}\u{8a9e}",
            "\u{1f980} \u{65e5}\u{672c}\u{8a9e}",
        ),
        (
            "demo",
            r#""\ttab \u2028 \x85 \u0007 \ufeff""#,
            "\ttab \u{2028} \u{85} \u{7} \u{feff}",
        ),
        ("demo", ">-\n  folded\n  text", "folded text"),
        ("demo", "|\n  ---\n  kept\n", "---\nkept\n"),
        ("demo", "'- a list?'", "- a list?"),
        (
            "demo",
            "'{{ template }} & *alias !tag %x @y `z`'",
            "{{ template }} & *alias !tag %x @y `z`",
        ),
        ("demo", "'null'", "null"),
        ("demo", "'2026-01-31'", "2026-01-31"),
        ("demo", "0x1F", "0x1F"),
    ] {
        let text = skill_md(
            &format!("name: {name}\ndescription: {description}"),
            "# T\n",
        );
        let found = card(&stub_of(&[("SKILL.md", &text)]));
        assert_eq!(
            found,
            json!({"name": name, "description": means}),
            "{description}"
        );
    }
    for (name, means) in [
        ("'true'", "true"),
        ("'1.0'", "1.0"),
        ("'a: b'", "a: b"),
        (r#""q\"uote""#, "q\"uote"),
        ("'#hash'", "#hash"),
        ("'~'", "~"),
        ("' spaced '", " spaced "),
        ("\u{e9}t\u{e9}", "\u{e9}t\u{e9}"),
        ("No", "No"),
    ] {
        let text = skill_md(&format!("name: {name}\ndescription: d"), "# T\n");
        let found = card(&stub_of(&[("SKILL.md", &text)]));
        assert_eq!(found, json!({"name": means, "description": "d"}), "{name}");
    }
}

/// C-STUB.1, C-COMPAT-FORMAT.1.
#[test]
fn the_stub_is_itself_a_skill_that_builds() {
    let world = World::built(&[]);
    let text = stub(&world);
    world.directory(
        "copied",
        &[("SKILL.md", &text.replace("name: demo", "name: again"))],
    );
    world.skc(["build", "./copied"]).success();
    assert!(world.cwd.join(".skillc/runtime/again/SKILL.md").is_file());
}

/// C-STUB.2, C-STUB.3, C-PRINCIPLES.1.
#[test]
fn it_sends_agents_to_the_gateway_and_prefers_the_server() {
    let text = stub_of(&[]);
    assert!(text.contains("gateway"), "{text}");
    assert!(text.contains("do not read the source files"), "{text}");
    for tool in ["skc_outline", "skc_show", "skc_search"] {
        assert!(text.contains(tool), "{text}");
    }
    let server = text.find("MCP").expect("the server is named");
    let commands = text.find("skc outline ").expect("commands");
    assert!(
        text.contains("Prefer the MCP tools") && server < commands,
        "{text}"
    );
    assert!(
        text.contains("faster") && text.contains("structured"),
        "{text}"
    );
}

/// C-STUB.4, C-STUB.5, D-STUB-NAME, F-35.
#[test]
fn its_commands_name_the_directory_which_resolves() {
    let world = World::built(&[("SKILL.md", &named("Shown Name"))]);
    let text = stub(&world);
    for command in [
        "skc outline demo",
        "skc show demo --section",
        "skc open demo",
        "skc sources demo",
        "skc search demo",
    ] {
        assert!(text.contains(command), "{command}: {text}");
    }
    assert_eq!(card(&text)["name"], "Shown Name");
    assert!(text.contains("\n## Top Sections\n"), "{text}");
    world.skc(["outline", "demo"]).success();
    world.skc(["show", "demo", "--section", "Title"]).success();
}

/// C-STUB.6, C-SECTIONS.5.
#[test]
fn it_has_no_body_text_no_file_list_and_no_internals() {
    let body = "# Title\n\nbodytext here\n\n```sh\ncodetext\n```\n";
    let world = World::built(&[
        (
            "SKILL.md",
            &skill_md("name: demo\ndescription: d\nlicense: MITX", body),
        ),
        ("docs/guide.md", "# Guide\n\nguidetext\n"),
        ("scripts/run.sh", "scripttext\n"),
        ("data.txt", "datatext\n"),
    ]);
    let text = stub(&world);
    for secret in [
        "bodytext",
        "codetext",
        "guidetext",
        "scripttext",
        "datatext",
        "MITX",
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    for file in ["guide.md", "run.sh", "data.txt"] {
        assert!(!text.contains(file), "{file}: {text}");
    }
    let world_path = world
        .cwd
        .parent()
        .and_then(|dir| dir.to_str())
        .expect("a plain path");
    for internal in [
        world_path,
        ".skillc",
        "runtime",
        "search-",
        &crate::support::source_hash(&world),
    ] {
        assert!(!text.contains(internal), "{internal}: {text}");
    }
}

/// C-STUB.7, F-34.
#[test]
fn the_same_source_gives_the_same_stub() {
    let names: Vec<String> = (0..12).map(|n| format!("r{n}/without-title.md")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "text\n")).collect();
    files.push(("z.md", "# Z\n"));
    files.push(("SKILL.md", MINIMAL));
    let first = stub_of(&files);
    files.reverse();
    assert_eq!(stub_of(&files), first);
}
