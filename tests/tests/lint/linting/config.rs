//! Rule settings in configuration files.

use std::fs;

use jsonschema::validator_for;
use serde_json::{Value, json};
use skillc_tests::{Output, World, without_colours};

use crate::linting::support::{NAMELESS, findings, reports};

/// Creates a skill with a skipped level in `SKILL.md` and in a reference, and an orphan.
fn world() -> World {
    let world = World::project();
    let main = "---\nname: deep\ndescription: Skips a level. Use when testing.\n---\n\n# Deep\n\n### Deeper\n\nSee [a](references/a.md).\n";
    let files = [
        ("SKILL.md", main),
        ("references/a.md", "# A\n\n### Deeper\n"),
        ("references/b.md", "# B\n\nA few words that are one line.\n"),
    ];
    world.project_skill("deep", &files);
    world
}

fn write(world: &World, path: &str, text: &str) {
    let path = world.cwd.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, text).expect("a file");
}

fn found(world: &World, args: &[&str]) -> Vec<String> {
    let run = world.skc_at(
        &world.cwd,
        &[&["lint", "deep", "-o", "json"], args].concat(),
    );
    let report = &reports(&run)[0];
    let severity = |finding: &Value| finding["severity"].as_str().expect("a word")[..1].to_owned();
    let list = report["diagnostics"].as_array().expect("findings").iter();
    let marks = list.map(severity);
    findings(report)
        .into_iter()
        .zip(marks)
        .map(|(finding, mark)| format!("{mark} {finding}"))
        .collect()
}

/// Returns the error of a run that must not start. Paths in the error are relative to the working directory.
fn refused(world: &World) -> String {
    let run: Output = world.skc_at(&world.cwd, &["lint", "deep"]);
    assert!(!run.ok && run.stdout.is_empty());
    let text = without_colours(&run.stderr).replace(&world.cwd.display().to_string(), "~");
    text.replace(
        &world
            .cwd
            .canonicalize()
            .expect("exists")
            .display()
            .to_string(),
        "~",
    )
}

const ALL: [&str; 3] = [
    "w SKL205 SKILL.md",
    "w SKL205 references/a.md",
    "w SKL401 references/b.md",
];

/// A rule may report some of its findings at a lower level, but a configured level applies to all its findings.
#[test]
fn a_configured_level_applies_to_all_findings_of_a_rule() {
    let world = World::project();
    let main = "---\nname: deep\ndescription: Links from its root. Use when testing.\n---\n\n# Deep\n\nSee [a](references/a.md).\n";
    let reference = "# A\n\nAs in [deep](SKILL.md).\n";
    world.project_skill(
        "deep",
        &[("SKILL.md", main), ("references/a.md", reference)],
    );
    assert_eq!(found(&world, &[]), ["w SKL301 references/a.md"]);
    for rules in ["SKL301 = \"error\"", "SKL3 = \"error\""] {
        write(&world, ".skilllint.toml", &format!("[rules]\n{rules}\n"));
        assert_eq!(found(&world, &[]), ["e SKL301 references/a.md"], "{rules}");
    }
}

/// C-FILES.2.
#[test]
fn rules_are_disabled_or_releveled_by_code_name_or_family() {
    let world = world();
    assert_eq!(found(&world, &[]), ALL);
    for (rules, expected) in [
        ("SKL205 = \"off\"", &["w SKL401 references/b.md"][..]),
        ("heading-hierarchy = \"off\"", &["w SKL401 references/b.md"]),
        ("SKL2 = \"off\"", &["w SKL401 references/b.md"]),
        ("ALL = \"off\"", &[]),
        (
            "ALL = \"off\"\nskl401 = \"error\"",
            &["e SKL401 references/b.md"],
        ),
        (
            "SKL205 = { level = \"error\" }\nSKL4 = \"off\"",
            &["e SKL205 SKILL.md", "e SKL205 references/a.md"],
        ),
    ] {
        write(
            &world,
            ".skillc/config.toml",
            &format!("[lint.rules]\n{rules}\n"),
        );
        assert_eq!(found(&world, &[]), expected, "{rules}");
    }
}

#[test]
fn a_configured_level_raises_severity_and_enables_optional_rules() {
    let world = world();
    write(
        &world,
        ".skillc/config.toml",
        "lint.rules.SKL205 = \"error\"",
    );
    let run = world.skc_at(&world.cwd, &["lint", "deep"]);
    assert!(!run.ok);
    write(
        &world,
        ".skillc/config.toml",
        "[lint.rules]\nSKL207 = { level = \"warning\", max-characters = 20 }\nSKL2 = \"off\"",
    );
    let long = |found: &[String]| found.iter().filter(|of| of.contains("SKL207")).count();
    assert_eq!(long(&found(&world, &[])), 1);
    // Selecting a family enables the rules of that family that are on by default.
    write(
        &world,
        ".skillc/config.toml",
        "lint.rules.SKL2 = \"warning\"",
    );
    assert_eq!(long(&found(&world, &[])), 0);
}

/// C-RESOLUTION@9.1.
#[test]
fn nearer_files_and_the_command_line_take_precedence() {
    let world = world();
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    let user = "[lint.rules]\nSKL205 = \"error\"\nSKL401 = \"error\"\n";
    fs::write(world.home.join(".skillc/config.toml"), user).expect("a file");
    let expected = [
        "e SKL205 SKILL.md",
        "e SKL205 references/a.md",
        "e SKL401 references/b.md",
    ];
    assert_eq!(found(&world, &[]), expected);
    write(&world, ".skillc/config.toml", "lint.rules.SKL401 = \"off\"");
    assert_eq!(found(&world, &[]), expected[..2]);
    write(&world, ".skilllint.toml", "rules.SKL2 = \"warning\"");
    assert_eq!(found(&world, &[]), ALL[..2]);
    write(
        &world,
        ".skillc/skills/deep/.skilllint.toml",
        "rules.SKL205 = \"off\"\nrules.SKL401 = \"warning\"",
    );
    assert_eq!(found(&world, &[]), ALL[2..]);
    assert_eq!(found(&world, &["--select", "SKL205"]), ALL[..2]);
}

#[test]
fn an_override_applies_below_its_file() {
    let world = world();
    let text = "[[overrides]]\npaths = [\"references/**\"]\nrules = { SKL205 = \"off\", SKL401 = \"error\" }\n";
    write(&world, ".skillc/skills/deep/.skilllint.toml", text);
    assert_eq!(
        found(&world, &[]),
        ["w SKL205 SKILL.md", "e SKL401 references/b.md"]
    );
    // In a configuration file of a parent directory, patterns are relative to that directory.
    fs::remove_file(world.cwd.join(".skillc/skills/deep/.skilllint.toml")).expect("a file");
    let text = text.replace("references/**", ".skillc/skills/*/references/**");
    write(&world, ".skilllint.toml", &text);
    assert_eq!(
        found(&world, &[]),
        ["w SKL205 SKILL.md", "e SKL401 references/b.md"]
    );
    // An override also enables rules that are disabled elsewhere.
    let text = format!("rules.SKL401 = \"off\"\n{text}");
    write(&world, ".skilllint.toml", &text);
    assert_eq!(
        found(&world, &[]),
        ["w SKL205 SKILL.md", "e SKL401 references/b.md"]
    );
}

#[test]
fn a_file_takes_precedence_over_those_it_extends() {
    let world = world();
    write(
        &world,
        "house/base.toml",
        "rules = { SKL205 = \"error\", SKL401 = \"off\" }",
    );
    write(
        &world,
        "house/team.toml",
        "extends = \"base.toml\"\nrules.SKL401 = \"warning\"",
    );
    write(&world, ".skilllint.toml", "extends = [\"house/team.toml\"]");
    let expected = [
        "e SKL205 SKILL.md",
        "e SKL205 references/a.md",
        "w SKL401 references/b.md",
    ];
    assert_eq!(found(&world, &[]), expected);
}

/// A cloned repository that the user does not trust must not read the user's files or find out whether they exist.
#[test]
fn a_file_extends_only_files_of_its_own_project() {
    let world = world();
    let secret = world.home.join("secret.toml");
    fs::write(&secret, "token = \"hunter2\"\nrules.SKL205 = \"off\"\n").expect("written");
    let named = secret.to_str().expect("a path");
    let gone = world.home.join("gone.toml");
    let mut said = Vec::new();
    for path in [
        named,
        gone.to_str().expect("a path"),
        "/etc/os-release.toml",
    ] {
        write(&world, ".skilllint.toml", &format!("extends = \"{path}\""));
        let run = world.skc(["lint", "deep"]);
        run.code("E100");
        assert!(
            !run.stderr.contains("token") && !run.stderr.contains("hunter2"),
            "{run:?}"
        );
        assert!(run.stderr.contains("is outside the project"), "{run:?}");
        assert!(run.stderr.contains("permissions.trust_projects"), "{run:?}");
        said.push(run.stderr.replace(path, "PATH"));
    }
    assert!(said.iter().all(|other| *other == said[0]), "{said:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        let link = world.cwd.join("house.toml");
        symlink(&secret, &link).expect("a link");
        write(&world, ".skilllint.toml", "extends = \"house.toml\"");
        let run = world.skc(["lint", "deep"]);
        assert!(run.stderr.contains("is outside the project"), "{run:?}");
        fs::remove_file(world.cwd.join(".skilllint.toml")).expect("exists");
        symlink(&secret, world.cwd.join(".skilllint.toml")).expect("a link");
        let run = world.skc(["lint", "deep"]);
        run.code("E100");
        assert!(!run.stderr.contains("token"), "{run:?}");
        fs::remove_file(world.cwd.join(".skilllint.toml")).expect("exists");
    }
    // The user's own file may extend any other file, and so may a project that the user trusts.
    fs::write(&secret, "rules.SKL101 = \"off\"\n").expect("written");
    let config = world.home.join(".skillc/config.toml");
    fs::create_dir_all(config.parent().expect("a parent")).expect("a directory");
    fs::write(
        &config,
        format!("version = 1\n[lint]\nextends = \"{named}\"\n"),
    )
    .expect("written");
    let run = world.skc(["lint", "deep"]);
    assert!(!run.stderr.contains("E100"), "{run:?}");
    let root = world.cwd.canonicalize().expect("exists");
    fs::write(
        &config,
        format!(
            "version = 1\n[permissions]\ntrust_projects = [{:?}]\n",
            root.display().to_string()
        ),
    )
    .expect("written");
    write(&world, ".skilllint.toml", &format!("extends = \"{named}\""));
    let run = world.skc(["lint", "deep"]);
    assert!(!run.stderr.contains("E100"), "{run:?}");
}

#[test]
fn files_above_a_repository_are_ignored() {
    let world = world();
    write(&world, "repo/.git/HEAD", "");
    write(&world, "repo/deep/SKILL.md", NAMELESS);
    write(&world, ".skilllint.toml", "rules.SKL101 = \"off\"");
    let run = world.skc_at(&world.cwd, &["lint", "repo/deep", "-o", "json"]);
    assert_eq!(findings(&reports(&run)[0])[..1], ["SKL101 SKILL.md"]);
}

#[test]
fn invalid_settings_stop_the_run() {
    let world = world();
    write(&world, "house/loop.toml", "extends = \"loop.toml\"");
    write(
        &world,
        "house/many.toml",
        &format!("extends = [{}]", "\"few.toml\", ".repeat(40)),
    );
    write(&world, "house/few.toml", "");
    for (text, message, hint) in [
        (
            "rulse = {}",
            ":1:1: unknown key \"rulse\"",
            "Did you mean 'rules'? ",
        ),
        (
            "[rules]\nSKL999 = \"off\"",
            ":2:1: unknown rule \"SKL999\"",
            "Did you mean",
        ),
        (
            "[rules]\nSKL205 = \"of\"",
            ":2:10: \"SKL205\" is \"of\"; expected \"off\", \"warning\" or \"error\"",
            "Did you mean \"off\"?",
        ),
        (
            "[rules]\nSKL205 = true",
            ":2:10: \"SKL205\" is a boolean; expected",
            "",
        ),
        (
            "[rules]\nSKL201 = { max-line = 3 }",
            ":2:12: unknown key \"max-line\"",
            "Did you mean 'max-lines'?",
        ),
        (
            "[rules]\nSKL201 = { max-lines = -3 }",
            ":2:24: \"max-lines\" is -3; expected a non-negative integer",
            "",
        ),
        (
            "[rules]\nSKL2 = { max-lines = 3 }",
            ":2:10: unknown key \"max-lines\"",
            "Known keys: level",
        ),
        (
            "clients = [\"codx\"]",
            ":1:12: unknown client \"codx\"",
            "Did you mean 'codex'?",
        ),
        (
            "extends = \"nowhere.toml\"",
            ":1:11: \"nowhere.toml\" is not a file",
            "",
        ),
        (
            "extends = \"house/many.toml\"",
            "\"few.toml\" exceeds the limit",
            "",
        ),
        (
            "extends = \"house/loop.toml\"",
            "\"loop.toml\" extends itself",
            "",
        ),
        (
            "[[overrides]]\npaths = [\"a\"]",
            ":1:1: an override has no \"rules\"",
            "",
        ),
        (
            "[[overrides]]\npaths = [\"[\"]\nrules = {}",
            ":2:10: \"[\" is not a valid glob",
            "",
        ),
        ("rules = {", ":1:10: ", ""),
    ] {
        write(&world, ".skilllint.toml", text);
        let err = refused(&world);
        let place = if text.contains("loop") || text.contains("many") {
            "error[E100]: invalid option: '~/house/"
        } else {
            "error[E100]: invalid option: '~/.skilllint.toml"
        };
        assert!(
            err.starts_with(place) && err.contains(message) && err.contains(hint),
            "{text}\n{err}"
        );
    }
}

#[test]
fn non_files_and_an_unparsable_config_toml_are_errors() {
    let world = world();
    fs::create_dir(world.cwd.join(".skilllint.toml")).expect("a directory");
    assert!(refused(&world).contains("/.skilllint.toml: not a file"));
    fs::remove_dir(world.cwd.join(".skilllint.toml")).expect("a directory");
    // The same error occurs for the project's own file. Commands other than lint ignore the problem.
    write(
        &world,
        ".skillc/config.toml",
        "[lint.rules]\nSKL205 = \"error\"\n[lint",
    );
    assert!(refused(&world).contains("config.toml:3:6: "));
    write(&world, ".skillc/config.toml", "[lint]\nclient = \"codex\"");
    assert!(refused(&world).contains("config.toml:2:1: unknown key \"client\""));
    world.skc(["list"]).success();
}

/// Hostile: compiled patterns take much more memory than their source.
#[test]
fn patterns_are_bounded_per_file_with_its_bases_and_per_run() {
    let world = world();
    let overrides = |bytes: usize| {
        let glob = "*".repeat(180);
        let paths: Vec<String> = (0..100).map(|n| format!("\"{glob}{n}\"")).collect();
        let one = format!(
            "[[overrides]]\npaths = [{}]\nrules = {{}}\n",
            paths.join(",")
        );
        one.repeat(bytes / 18_000)
    };
    write(&world, ".skilllint.toml", &overrides(200_000));
    let err = refused(&world);
    assert!(
        err.contains(
            ":1:1: the paths of overrides, including those in extended files, exceed 128 KiB"
        ),
        "{err}"
    );
    write(&world, "house/one.toml", &overrides(80_000));
    write(&world, "house/two.toml", &overrides(80_000));
    let both = "extends = [\"house/one.toml\", \"house/two.toml\"]";
    write(&world, ".skilllint.toml", both);
    let err = refused(&world);
    assert!(
        err.contains("house/two.toml") && err.contains("128 KiB"),
        "{err}"
    );
    write(&world, ".skilllint.toml", "extends = \"house/one.toml\"");
    let run = world.skc_at(&world.cwd, &["lint", "deep"]);
    assert!(!run.stderr.contains("E100"), "{}", run.stderr);

    // Each of these files is within the limits for a single file and for a single skill.
    write(&world, ".skilllint.toml", "");
    for n in 0..30 {
        let name = format!("s{n}");
        world.project_skill(
            &name,
            &[(
                "SKILL.md",
                &NAMELESS.replace("---\nd", &format!("---\nname: {name}\nd")),
            )],
        );
        write(
            &world,
            &format!(".skillc/skills/{name}/.skilllint.toml"),
            &overrides(50_000),
        );
    }
    for _ in 0..3 {
        let run = world.skc_at(&world.cwd, &["lint"]);
        assert!(!run.ok && run.stdout.is_empty(), "{run:?}");
        assert_eq!(
            run.stderr.matches("error[E100]").count(),
            1,
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains("files of this run exceed 32768 KiB"),
            "{}",
            run.stderr
        );
    }
}

/// Hostile: a faulty file is small, but the files that it extends are read again in each folder.
#[test]
fn the_files_that_faulty_files_extend_count_too() {
    let world = world();
    write(
        &world,
        "large.toml",
        &format!("#{}\n", "x".repeat(1_000_000)),
    );
    let extends = ["\"../../../large.toml\""; 4].join(",");
    for n in 0..12 {
        let name = format!("s{n}");
        world.project_skill(&name, &[("SKILL.md", NAMELESS)]);
        write(
            &world,
            &format!(".skillc/skills/{name}/.skilllint.toml"),
            &format!("extends = [{extends}]\nunknown = 1\n"),
        );
    }
    let run = world.skc_at(&world.cwd, &["lint"]);
    assert!(
        run.stderr.contains("files of this run exceed 32768 KiB"),
        "{}",
        run.stderr
    );
}

/// Hostile: a script gets all strings of an option in each call.
#[test]
fn the_strings_of_an_option_are_bounded() {
    let world = world();
    let script = "/// Finds words.\n///\n/// ## Options\n/// * `words`: the words.\n\
                  rule(#{ code: \"TEAM001\", name: \"no-words\", options: #{ words: [\"a\"] }, check_skill: |skill, out| {} });\n";
    write(&world, ".skillc/plugins/words.rhai", script);
    let set = |texts: &str| {
        let text = format!("[rules]\nTEAM001 = {{ words = [{texts}] }}\n");
        write(&world, ".skilllint.toml", &text);
        world.skc_at(&world.cwd, &["lint", "deep"])
    };
    let run = set(&"\"a\",".repeat(2000));
    assert!(!run.stderr.contains("E100"), "{}", run.stderr);
    for texts in ["\"a\",".repeat(2001), format!("\"{}\"", "a".repeat(70_000))] {
        let run = set(&texts);
        let what = ":2:21: \"words\" has more than 2000 strings or 64 KiB of text";
        assert!(run.stderr.contains(what), "{}", run.stderr);
    }
}

#[test]
fn only_the_skill_with_the_broken_file_fails() {
    let world = world();
    world.project_skill(
        "other",
        &[(
            "SKILL.md",
            &NAMELESS.replace("---\nd", "---\nname: other\nd"),
        )],
    );
    write(&world, ".skillc/skills/deep/.skilllint.toml", "rules = 3");
    let run = world.skc_at(&world.cwd, &["lint", "-o", "json"]);
    assert!(!run.ok);
    let failures: Vec<bool> = reports(&run)
        .iter()
        .map(|of| of["failure"].is_string())
        .collect();
    assert_eq!(failures, [true, false]);
    // If a faulty file applies to both skills, its problem is reported once, with a suggestion.
    write(&world, ".skilllint.toml", "rules.SKL205 = \"eror\"");
    let run = world.skc_at(&world.cwd, &["lint"]);
    assert!(!run.ok && run.stdout.is_empty());
    assert_eq!(run.stderr.matches("error[E100]").count(), 1);
    assert!(
        run.stderr.contains("Did you mean \"error\"?"),
        "{}",
        run.stderr
    );
}

/// The schemas accept the documented examples, and reject the same files as lint.
#[test]
fn the_schemas_accept_and_reject_what_lint_does() {
    let world = World::new();
    let schema = |of: &str| world.skc(["schema", of]).success().json();
    let config = validator_for(&schema("config")).expect("a schema");
    let lint = validator_for(&schema("lint")).expect("a schema");
    let page = include_str!("../../../../docs/src/configuration.md");
    let mut examples = 0;
    for block in page.split("```toml\n").skip(1) {
        let text = block.split("```").next().expect("its end");
        let value: Value = toml::from_str(text).expect("TOML");
        let schema = if text.contains("# .skilllint.toml") {
            &lint
        } else {
            &config
        };
        assert!(schema.is_valid(&value), "{text}");
        examples += 1;
    }
    assert!(examples >= 3, "{examples}");
    for wrong in [
        json!({"rulse": {}}),
        json!({"rules": {"SKL999": "off"}}),
        json!({"rules": {"SKL205": "of"}}),
        json!({"rules": {"SKL201": {"max-line": 3}}}),
        json!({"clients": ["codx"]}),
        json!({"overrides": [{"paths": ["a"]}]}),
    ] {
        assert!(!lint.is_valid(&wrong), "{wrong}");
        assert!(!config.is_valid(&json!({"lint": wrong})), "{wrong}");
    }
}

/// Adds the keys of a table in a schema, such as `skills.load.max_files`, without aliases in camel case.
fn add_keys(schema: &Value, prefix: &str, keys: &mut Vec<String>) {
    let properties = schema["properties"].as_object().expect("a table");
    for (name, property) in properties {
        let key = format!("{prefix}{name}");
        if property["properties"].is_object() && key != "lint" {
            add_keys(property, &format!("{key}."), keys);
        } else if !name.contains(char::is_uppercase) {
            keys.push(key);
        }
    }
}

/// D24: for each key, the page states whether a project can set it.
#[test]
fn the_page_lists_each_key_that_a_project_can_set() {
    let schema = World::new().skc(["schema", "config"]).success().json();
    let mut known = Vec::new();
    add_keys(&schema, "", &mut known);
    known.sort();
    let page = include_str!("../../../../docs/src/configuration.md");
    let heading = "\n## What a project can set\n";
    let (_, section) = page.split_once(heading).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split(" |").next());
    let mut listed: Vec<&str> = cells
        .flat_map(|cell| cell.trim_end_matches('`').split("`, `"))
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, known);
}
