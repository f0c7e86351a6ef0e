//! `skc init`.

use std::fs;

use skillc_tests::{World, snapshot};

use crate::support::{entries, names};

/// The file that RFC-0006 prescribes for `my-skill`.
const TEMPLATE: &str =
    "---\nname: my-skill\ndescription: \"TODO: Add skill description\"\n---\n\n# My Skill\n";

/// C-INIT.1, C-OVERVIEW@6.1, G-AUTHOR.1.
#[test]
fn init_makes_the_working_directory_a_project() {
    let world = World::new();
    let run = world.skc(["init"]).success();
    assert!(run.text().contains(".skillc"), "{run:?}");
    assert!(run.stderr.is_empty(), "{run:?}");
    assert!(world.cwd.join(".skillc/skills").is_dir());
    assert!(entries(&world.home).is_empty());
}

/// C-INIT.1, C-OVERVIEW@6.1.
#[test]
fn a_second_init_succeeds_and_changes_nothing() {
    let world = World::demo(&[("notes.txt", "mine")]);
    fs::write(world.cwd.join(".skillc/config.toml"), "version = 1\n").unwrap();
    let before = snapshot(&world.cwd);
    let run = world.skc(["init"]).success();
    assert!(!run.text().trim().is_empty());
    assert_eq!(snapshot(&world.cwd), before);
}

/// C-INIT.2, C-INIT.3, D-INIT-TEMPLATE, G-AUTHOR.1.
#[test]
fn a_new_skill_is_the_template_to_the_letter() {
    let world = World::new();
    world.skc(["init", "my-skill"]).success();
    let file = world.cwd.join(".skillc/skills/my-skill/SKILL.md");
    assert_eq!(fs::read_to_string(file).unwrap(), TEMPLATE);
    assert_eq!(
        entries(&world.cwd.join(".skillc/skills/my-skill")),
        ["SKILL.md"]
    );
    assert!(entries(&world.home).is_empty());
}

/// C-INIT.2, G-AUTHOR.1.
#[test]
fn a_global_skill_goes_to_the_home_also_from_within_a_project() {
    for flag in ["--global", "-g"] {
        let world = World::project();
        world.skc(["init", "my-skill", flag]).success();
        let file = world.home.join(".skillc/skills/my-skill/SKILL.md");
        assert_eq!(fs::read_to_string(file).unwrap(), TEMPLATE);
        assert!(entries(&world.cwd.join(".skillc/skills")).is_empty());
    }
}

/// D-INIT-WHERE, D-PROJECT-ROOT.
#[test]
fn a_bare_init_acts_here_and_a_named_one_in_the_nearest_project() {
    let world = World::project();
    let (near, deep) = (world.cwd.join("near"), world.cwd.join("near/a/b"));
    fs::create_dir_all(near.join(".skillc/skills")).unwrap();
    fs::create_dir_all(&deep).unwrap();

    world.skc_at(&deep, &["init", "one"]).success();
    assert_eq!(entries(&near.join(".skillc/skills")), ["one"]);
    assert!(!deep.join(".skillc").exists());

    world.skc_at(&deep, &["init"]).success();
    assert!(deep.join(".skillc/skills").is_dir());
    world.skc_at(&deep, &["init", "two"]).success();
    assert_eq!(entries(&deep.join(".skillc/skills")), ["two"]);
    assert!(entries(&world.cwd.join(".skillc/skills")).is_empty());
}

/// D-INIT-WHERE.
#[test]
fn a_global_init_without_a_name_makes_the_global_store_only() {
    let world = World::new();
    world.skc(["init", "--global"]).success();
    assert!(world.home.join(".skillc/skills").is_dir());
    assert!(entries(&world.cwd).is_empty());
}

/// D-INIT-WHERE, G-AUTHOR.1.
#[test]
fn a_skill_made_in_the_home_directory_is_a_global_one() {
    let world = World::new();
    let run = world.skc_at(&world.home, &["init", "x"]).success();
    assert!(
        run.text().contains("(global)") && !run.text().contains("project"),
        "{run:?}"
    );
    assert_eq!(
        names(&world.skc(["list", "--scope", "global", "-o", "json"])),
        ["x"]
    );
}

/// D-TITLE-CASE, C-INIT.3.
#[test]
fn a_name_is_lowered_and_its_words_make_the_title() {
    let cases = [
        ("API_Docs-v2", "api_docs-v2", "Api Docs V2"),
        ("a--b", "a--b", "A B"),
        ("pdf", "pdf", "Pdf"),
        ("éa-日本", "éa-日本", "Éa 日本"),
    ];
    for (typed, directory, title) in cases {
        let world = World::project();
        world.skc(["init", typed]).success();
        assert_eq!(entries(&world.cwd.join(".skillc/skills")), [directory]);
        let text = fs::read_to_string(
            world
                .cwd
                .join(".skillc/skills")
                .join(directory)
                .join("SKILL.md"),
        )
        .unwrap();
        let expected = TEMPLATE
            .replace("my-skill", directory)
            .replace("My Skill", title);
        assert_eq!(text, expected);
    }
}

/// C-INIT.4.
#[test]
fn an_existing_skill_is_left_alone() {
    let world = World::demo(&[("notes.txt", "mine")]);
    let before = snapshot(&world.cwd);
    for name in ["demo", "DEMO"] {
        world
            .skc(["init", name])
            .error("error[E050]: skill 'demo' already exists");
    }
    assert_eq!(snapshot(&world.cwd), before);
}

/// C-INIT.4.
#[test]
fn a_directory_without_skill_md_is_filled_around_its_files() {
    let world = World::project();
    let dir = world.cwd.join(".skillc/skills/my-skill");
    fs::create_dir_all(dir.join("docs")).unwrap();
    fs::write(dir.join("docs/a.md"), "# Mine\n").unwrap();
    world.skc(["init", "my-skill"]).success();
    assert_eq!(fs::read_to_string(dir.join("SKILL.md")).unwrap(), TEMPLATE);
    assert_eq!(
        fs::read_to_string(dir.join("docs/a.md")).unwrap(),
        "# Mine\n"
    );
    assert_eq!(entries(&dir), ["SKILL.md", "docs"]);
}

/// C-INIT.5.
#[test]
fn a_directory_that_cannot_be_made_is_an_error() {
    let world = World::new();
    fs::write(world.cwd.join(".skillc"), "a file").unwrap();
    fs::write(world.home.join(".skillc"), "a file").unwrap();
    for args in [&["init"][..], &["init", "x"], &["init", "x", "--global"]] {
        let run = world.skc_at(&world.cwd, args);
        run.code("E999");
        assert!(run.stdout.is_empty(), "{run:?}");
    }
    let file = fs::read_to_string(world.cwd.join(".skillc")).unwrap();
    assert_eq!(file, "a file");
}

/// C-INIT.6, C-OVERVIEW@6.1.
#[test]
fn a_fresh_skill_builds_and_lints_without_errors() {
    let world = World::new();
    world.skc(["init", "my-skill"]).success();
    world.skc(["build", "my-skill"]).success();
    let lint = world.skc(["lint", "my-skill", "-o", "json"]).success();
    assert_eq!(lint.json()["error_count"], 0);
}

/// C-INIT.6, D-NAME-SAFETY.
#[test]
fn names_that_yaml_would_misread_build_at_once_too() {
    let long = "x".repeat(250);
    let names = [
        "true",
        "null",
        "~",
        "123",
        "1e3",
        "no",
        "a: b",
        "x #y",
        "it's",
        "\"q\"",
        "[a]",
        "{a}",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "a.b",
        "v_1",
        "日本語",
        &long,
    ];
    let world = World::project();
    for name in names {
        world.skc(["init", name]).success();
        world.skc(["build", name]).success();
        let stub = world
            .cwd
            .join(".skillc/runtime")
            .join(name)
            .join("SKILL.md");
        assert!(stub.is_file(), "{name}");
    }
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(list.json()["total"], names.len());
    assert!(list.stderr.is_empty(), "{list:?}");
}

/// C-INIT.7, D-NAME-SAFETY.
#[test]
fn names_that_are_no_directory_name_are_refused_and_nothing_is_made() {
    let long = "x".repeat(300);
    let names = [
        "",
        " ",
        ".",
        "..",
        "../x",
        "a/b",
        "/x",
        "x/",
        "./x",
        "a\\b",
        "a\nb",
        "a\tb",
        "a\u{1b}[31m",
        "a\u{7f}",
        "a\u{85}b",
        ".hidden",
        &long,
    ];
    for name in names {
        for flags in [&["init", name][..], &["init", name, "--global"]] {
            let world = World::new();
            let run = world.skc_at(&world.cwd, flags);
            run.code("E100");
            assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
            assert!(entries(&world.cwd).is_empty() && entries(&world.home).is_empty());
        }
    }
}
