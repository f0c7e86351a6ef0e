//! The compiled `SKILL.md`: frontmatter and instructions.

use std::fs;

use serde_json::json;
use skillc_tests::{MINIMAL, World};

use crate::building::support::{card, named, numbered, skill_md, stub, stub_of};

/// C-STUB.1, F-33.
#[test]
fn name_and_description_round_trip() {
    // A name in YAML, a description in YAML, and the value of that description.
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
fn the_stub_points_agents_to_the_gateway_and_prefers_the_server() {
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
fn commands_in_the_stub_name_a_resolvable_directory() {
    let world = World::built(&[("SKILL.md", &named("Shown Name"))]);
    let text = stub(&world);
    for command in [
        "skc outline demo",
        "skc show demo --section",
        "skc open demo",
        "skc sources demo",
        "skc search demo",
        "skc path demo",
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
fn the_stub_has_no_body_text_file_list_or_internals() {
    let body = "# Title\n\nbodytext here\n\n```sh\ncodetext\n```\n";
    let world = World::built(&[
        ("SKILL.md", &skill_md("name: demo\ndescription: d", body)),
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
        &crate::building::support::source_hash(&world),
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

/// Returns the fields of a stub after name and description, verbatim.
fn other_fields(stub: &str) -> &str {
    let (block, _) = stub.split_once("\n---\n").expect("a block");
    let (_, rest) = block.split_once("\ndescription: ").expect("a description");
    rest.split_once('\n').map_or("", |(_, fields)| fields)
}

#[test]
fn other_fields_follow_name_and_description_in_source_order() {
    let text = skill_md(
        "license: MIT # of the company\ndisable-model-invocation: true\nname: demo\nallowed-tools: Bash(deploy.sh:*), Read\n\
         metadata:\n  version: 1.10\n  date: 2024-01-01\n  quoted: '2024-01-01'\ndescription: d\n\
         when_to_use: >\n  one\n  two\n\nmodel: &m opus\nagent: *m\nhooks: {stop: [a, b]}\nempty:\nflag: yes",
        "# T\n",
    );
    let stub = stub_of(&[("SKILL.md", &text)]);
    assert!(
        stub.starts_with("---\nname: demo\ndescription: \"d\"\nlicense: MIT\n"),
        "{stub}"
    );
    assert_eq!(
        other_fields(&stub),
        "license: MIT\ndisable-model-invocation: true\nallowed-tools: Bash(deploy.sh:*), Read\n\
         metadata:\n  version: 1.10\n  date: 2024-01-01\n  quoted: \"2024-01-01\"\n\
         when_to_use: \"one two\\n\"\nmodel: opus\nagent: opus\nhooks: {stop: [a, b]}\nempty:\nflag: yes"
    );
    assert_eq!(card(&stub), card(&text));
}

/// C-CONSTRAINTS.1.
#[test]
fn fields_that_fit_keep_the_stub_within_a_hundred_lines() {
    let list = |n: usize| {
        format!(
            "f{n}:\n{}",
            numbered(1..=100, |m| format!("  - item {m}\n"))
        )
    };
    let fields = numbered(1..=40, list);
    let body = numbered(1..=30, |n| format!("# H{n}\n\n"));
    let references: Vec<(String, String)> = (0..20)
        .map(|n| (format!("r{n}.md"), format!("# R{n}\n")))
        .collect();
    let main = skill_md(
        &format!("name: demo\ndescription: d\n{}", fields.trim_end()),
        &body,
    );
    let mut files: Vec<(&str, &str)> = references
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    files.extend([("SKILL.md", main.as_str()), ("run.sh", "echo\n")]);
    let stub = stub_of(&files);
    assert!(stub.lines().count() <= 100, "{stub}");
    assert_eq!(card(&stub), card(&main));
    assert!(
        stub.contains("- References (query by title only)\n"),
        "{stub}"
    );
}

#[test]
fn too_many_fields_are_refused_with_a_hint() {
    let fields = numbered(1..=41, |n| format!("f{n}: {n}\n"));
    let main = skill_md(
        &format!("name: demo\ndescription: d\n{}", fields.trim_end()),
        "# T\n",
    );
    let world = World::demo(&[("SKILL.md", &main)]);
    let failed = world.skc(["build", "demo"]);
    let file = world.demo_source().join("SKILL.md");
    failed.error(&format!(
        "error[E999]: reading '{}': the frontmatter has 41 lines of fields besides name and description; a stub has room for 40",
        file.display()
    ));
    assert!(failed.stderr.contains("below 'metadata'"), "{failed:?}");
}

#[test]
fn the_stub_explains_the_folder_if_there_is_something_to_run() {
    let sentence = "get the skill's folder with `skc path demo` (MCP answers carry it as `root`)";
    for (other, is_said) in [("scripts/run.sh", true), ("references/a.md", false)] {
        let stub = stub_of(&[(other, "# A\n")]);
        assert_eq!(stub.contains(sentence), is_said, "{stub}");
        assert!(stub.contains("\nskc path demo "), "{stub}");
    }
}

/// A stub of an earlier version has fewer fields than its source.
#[test]
fn an_outdated_stub_is_recreated_from_an_unchanged_source() {
    let world = World::built(&[]);
    let text = stub(&world);
    let path = world.demo_runtime().join(".skillc-meta/manifest.json");
    let manifest = fs::read_to_string(&path).expect("a manifest");
    let old = text.replace("skc path", "skc way");
    let hash = |text: &str| skillc_core::hash::Sha::digest(text.as_bytes()).to_string();
    let manifest = manifest.replace("\"stub_form\": 2", "\"stub_form\": 1");
    let manifest = manifest.replace(&hash(&text), &hash(&old));
    fs::write(&path, &manifest).expect("a manifest");
    fs::write(
        world.demo_runtime().join(".skillc/manifest.json"),
        &manifest,
    )
    .expect("a manifest");
    fs::write(world.demo_runtime().join("SKILL.md"), old).expect("a stub");
    world.skc(["build", "demo"]).success();
    assert_eq!(stub(&world), text);
}

/// C-CONSTRAINTS.1.
#[cfg(unix)]
#[test]
fn a_line_break_in_the_directory_name_does_not_reach_the_stub() {
    let world = World::project();
    let dir = world.project_skill("two\nlines", &[("SKILL.md", MINIMAL)]);
    world.skc_at(&dir, &["build", "."]).success();
    let stub = fs::read_to_string(world.cwd.join(".skillc/runtime/two\nlines/SKILL.md"));
    let stub = stub.expect("a stub");
    assert!(stub.contains("skc outline $'two\\u000alines' "), "{stub}");
}

#[test]
fn a_build_reports_how_the_named_clients_handle_the_stub() {
    let text = format!(
        "\u{feff}---\nname: demo\ndescription: {}\ndisable-model-invocation: true\n---\n# T\n",
        "x".repeat(1600)
    );
    let world = World::demo(&[("SKILL.md", &text)]);
    let silent = world.skc(["build", "demo"]).success();
    assert_eq!(silent.stderr, "");
    let built = world
        .skc(["build", "demo", "--for", "claude-code,codex"])
        .success();
    let of = |client: &str| -> Vec<&str> {
        let begin = format!("warning[W067]: 'demo' in {client}: ");
        let lines = built.stderr.lines();
        lines.filter_map(|line| line.strip_prefix(&begin)).collect()
    };
    let claude = of("claude-code");
    assert!(
        claude.len() == 1 && claude[0].ends_with("claude-code keeps only 1536"),
        "{built:?}"
    );
    let codex = of("codex");
    assert!(
        codex
            .iter()
            .any(|line| line.contains("'disable-model-invocation'")),
        "{built:?}"
    );
    let repaired = "only in the source: there is a byte order mark";
    assert!(
        codex.iter().any(|line| line.starts_with(repaired)),
        "{built:?}"
    );
    world
        .skc(["build", "demo", "--client", "nobody"])
        .code("E100");
}
