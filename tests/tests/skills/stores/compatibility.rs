//! Compatibility with any Agent Skill: a skill is accepted without changes, and is never modified.

use std::fs;

use skillc_tests::{Output, World, snapshot};

use crate::stores::support::entries;

/// Skill forms that the standard allows: a label and the `SKILL.md`.
const STANDARD: [(&str, &str); 9] = [
    (
        "all fields, tools as a string",
        "---\nname: demo\ndescription: A demo. Use when testing.\nlicense: MIT\ncompatibility: needs git\n\
         metadata:\n  author: me\n  version: \"1.0\"\nallowed-tools: Bash(git:*) Read\n---\n\n# Demo\n\nhello\n",
    ),
    (
        "tools as a list",
        "---\nname: demo\ndescription: d\nallowed-tools: [Bash, Read]\n---\n# Demo\n\nhello\n",
    ),
    (
        "tools as a block list",
        "---\nname: demo\ndescription: d\nallowed-tools:\n  - Bash\n  - Read\n---\n# Demo\n\nhello\n",
    ),
    (
        "foreign line ends",
        "---\r\nname: demo\r\ndescription: d\r\n---\r\n\r\n# Demo\r\n\r\nhello\r\n",
    ),
    (
        "no final line end",
        "---\nname: demo\ndescription: d\n---\n# Demo\n\nhello",
    ),
    (
        "a folded description",
        "---\nname: demo\ndescription: >-\n  one\n  two: three\n---\n# Demo\n\nhello\n",
    ),
    (
        "a byte order mark",
        "\u{feff}---\nname: demo\ndescription: d\n---\n# Demo\n\nhello\n",
    ),
    (
        "unknown keys of all shapes",
        "---\nname: demo\ndescription: d\nversion: 1.2\nauthor: me\ntags: [a, b]\nextra: {a: {b: [1]}}\n\
         empty:\nblock: |\n  text\n---\n# Demo\n\nhello\n",
    ),
    (
        "rules and fences in the body",
        "---\nname: demo\ndescription: d\n---\n# Demo\n\n---\n\n```\n# no heading\n---\n```\n\nhello\n",
    ),
];

/// Runs a command on `demo` that must succeed.
#[track_caller]
fn run(world: &World, args: &[&str]) -> Output {
    world.skc_at(&world.cwd, args).success()
}

/// C-COMPAT-FORMAT.1, G-AUTHOR.3, C-NONGOALS.1.
#[test]
fn every_form_the_standard_allows_works_with_every_command() {
    for (what, text) in STANDARD {
        let world = World::demo(&[("SKILL.md", text)]);
        run(&world, &["build", "demo"]);
        assert!(
            run(&world, &["outline", "demo"]).text().contains("Demo"),
            "{what}"
        );
        let shown = run(&world, &["show", "demo", "--section", "Demo"]);
        assert!(shown.text().contains("hello"), "{what}");
        let found = run(&world, &["search", "demo", "hello"]);
        assert!(found.text().contains("SKILL.md#Demo"), "{what}");
        run(&world, &["lint", "demo"]);
        assert!(run(&world, &["list"]).text().contains("demo"), "{what}");
        assert_eq!(run(&world, &["open", "demo", "SKILL.md"]).text(), text);
    }
}

/// C-COMPAT-FORMAT.1.
#[test]
fn a_skill_of_frontmatter_alone_works() {
    for text in [
        "---\nname: demo\ndescription: d\n---\n",
        "---\nname: demo\ndescription: d\n---",
    ] {
        let world = World::demo(&[("SKILL.md", text)]);
        run(&world, &["build", "demo"]);
        run(&world, &["lint", "demo"]);
        run(&world, &["outline", "demo"]);
        let found = run(&world, &["search", "demo", "hello", "-o", "json"]);
        assert_eq!(found.json()["results"].as_array().map(Vec::len), Some(0));
        world
            .skc(["show", "demo", "--section", "Demo"])
            .code("E020");
    }
}

/// C-COMPAT-FORMAT.2, G-AUTHOR.2, C-NONGOALS.1.
#[test]
fn files_in_any_directory_work_without_frontmatter_or_settings() {
    let files = [
        ("references/deep/er/guide.md", "# Guide\n\nneedle\n"),
        ("references/notes.txt", "haystack\n"),
        ("scripts/run.sh", "echo hi\n"),
        ("assets/empty.md", ""),
        ("UPPER/READ ME.MD", "# Upper\n\nthread\n"),
    ];
    let world = World::demo(&files);
    run(&world, &["build", "demo"]);
    let outline = run(&world, &["outline", "demo"]);
    assert!(outline.text().contains("Guide") && outline.text().contains("Upper"));
    for (path, text) in files {
        assert_eq!(run(&world, &["open", "demo", path]).text(), text);
        let name = path.rsplit('/').next().unwrap();
        assert!(run(&world, &["sources", "demo"]).text().contains(name));
    }
    for (word, path) in [
        ("needle", files[0].0),
        ("haystack", files[1].0),
        ("thread", files[4].0),
    ] {
        let found = run(&world, &["search", "demo", word, "-o", "json"]);
        assert_eq!(found.json()["results"][0]["file"], path);
    }
    let shown = run(&world, &["show", "demo", "--section", "guide"]);
    assert!(shown.text().contains("needle"));
    run(&world, &["lint", "demo"]);
    assert_eq!(
        entries(&world.cwd.join(".skillc")),
        [".gitignore", "runtime", "skills"]
    );
}

/// C-COMPAT-PORTABLE.1.
#[test]
fn no_command_changes_a_byte_of_the_source() {
    let files = [
        ("docs/a.md", "# Alpha\n\nbeta\n"),
        ("t.csv", "a,b\n1,2\n"),
        (".hidden/x", "x"),
    ];
    let world = World::demo(&files);
    let global = world.global_skill("tool", &files);
    let outside = world.directory("dev/outside", &files);
    let text = skillc_tests::MINIMAL.replace("name: demo", "name: outside");
    fs::write(outside.join("SKILL.md"), text).unwrap();
    let sources = [world.demo_source(), global, outside];
    let before = sources.each_ref().map(|dir| snapshot(dir));
    let commands: [&[&str]; 17] = [
        &["lint"],
        &["build"],
        &["build", "--force"],
        &["build", "--global"],
        &["build", "--copy", "--force"],
        &["build", "--target", "cursor,codex"],
        &["outline"],
        &["search", "beta"],
        &["search", "\"("],
        &["show", "--section", "Alpha"],
        &["show", "--section", "None"],
        &["open", "docs/a.md"],
        &["open", "../x"],
        &["sources"],
        &["sources", "--dir", "docs"],
        &["init"],
        &["list", "--check-obsolete"],
    ];
    for command in commands {
        for skill in ["demo", "tool", "./dev/outside"] {
            let (name, rest) = command.split_first().unwrap();
            let mut args = vec![*name];
            if !matches!(*name, "list" | "init") {
                args.push(skill);
            }
            args.extend(rest);
            world.skc_at(&world.cwd, &args);
            let after = sources.each_ref().map(|dir| snapshot(dir));
            assert_eq!(after, before, "{args:?}");
        }
    }
    let copy = world.cwd.join(".skillc/skills/outside/SKILL.md");
    assert!(copy.is_file(), "the import took place");
}

/// C-NONGOALS.1, C-COMPAT-OFFLINE.2.
#[test]
fn there_are_no_commands_to_log_in_or_publish() {
    let command = skillc::command();
    let words = [
        "login", "logout", "account", "token", "cloud", "publish", "push", "upload", "register",
    ];
    for sub in command.get_subcommands() {
        let arguments = sub
            .get_arguments()
            .filter_map(|argument| argument.get_long());
        for name in [sub.get_name()]
            .into_iter()
            .chain(sub.get_all_aliases())
            .chain(arguments)
        {
            assert!(!words.contains(&name), "{name}");
        }
    }
    assert!(command.get_subcommands().count() >= 9);
}

/// C-NONGOALS.1.
#[test]
fn a_new_skill_is_one_ordinary_file_with_the_standards_two_fields() {
    let world = World::new();
    world.skc(["init", "demo"]).success();
    assert_eq!(entries(&world.demo_source()), ["SKILL.md"]);
    let text = fs::read_to_string(world.demo_source().join("SKILL.md")).unwrap();
    let block = text.split("---\n").nth(1).unwrap();
    let fields: std::collections::BTreeMap<String, String> = serde_yaml::from_str(block).unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["description", "name"]);
}
