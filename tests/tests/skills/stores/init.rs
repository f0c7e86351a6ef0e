//! `skc init`.

use std::fs;

use skillc_tests::{World, snapshot};

use crate::stores::support::{entries, names};

/// The file that the specification prescribes for `my-skill`.
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
fn a_new_skill_matches_the_template_exactly() {
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
fn a_global_skill_goes_to_the_home_directory_even_in_a_project() {
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
fn a_bare_init_uses_the_working_directory_and_a_named_one_the_project() {
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
fn a_global_init_without_a_name_creates_only_the_global_store() {
    let world = World::new();
    world.skc(["init", "--global"]).success();
    assert!(world.home.join(".skillc/skills").is_dir());
    assert!(entries(&world.cwd).is_empty());
}

/// D-INIT-WHERE, G-AUTHOR.1.
#[test]
fn a_skill_created_in_the_home_directory_is_global() {
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
fn a_name_is_lowercased_and_its_words_form_the_title() {
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
fn an_existing_skill_is_not_changed() {
    let world = World::demo(&[("notes.txt", "mine")]);
    let before = snapshot(&world.cwd);
    for name in ["demo", "DEMO"] {
        let run = world.skc(["init", name]);
        run.error("error[E050]: skill 'demo' already exists");
        let next = "skills/demo/SKILL.md': edit it, or choose another name.";
        assert!(run.stderr.contains(next), "{run:?}");
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
fn an_uncreatable_directory_is_an_error() {
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
fn names_that_yaml_would_misread_build_at_once() {
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
fn invalid_directory_names_are_refused_and_nothing_is_created() {
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
        "s ",
        " s",
        "\u{3000}s",
        "--fix",
        "-",
        &long,
    ];
    for name in names {
        for flags in [&["init", "--", name][..], &["init", "--global", "--", name]] {
            let world = World::new();
            let run = world.skc_at(&world.cwd, flags);
            run.code("E100");
            assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
            assert!(entries(&world.cwd).is_empty() && entries(&world.home).is_empty());
        }
    }
}

/// Git ignores machine-specific files, but stubs are versioned with the code.
#[test]
fn a_new_project_has_an_ignore_file_for_git() {
    for args in [&["init"][..], &["init", "my-skill"]] {
        let world = World::new();
        let run = world.skc_at(&world.cwd, args).success();
        let dot = world.cwd.join(".skillc");
        assert_eq!(entries(&dot), [".gitignore", "config.toml", "skills"]);
        for (file, part) in [
            (".gitignore", "\n/runtime/\n"),
            ("config.toml", "[deploy]\nscope = \"project\"\n"),
        ] {
            let path = dot.join(file);
            assert!(fs::read_to_string(&path).unwrap().contains(part), "{file}");
            assert!(
                run.text().contains(&format!("Wrote {}", path.display())),
                "{run:?}"
            );
        }
        assert_eq!(world.skc(["list"]).success().stderr, "");
    }
}

/// C-INIT.1: existing files are kept, and the user's own `.skillc` is not part of a repository.
#[test]
fn files_of_an_existing_project_are_not_changed() {
    let world = World::new();
    let dot = world.cwd.join(".skillc");
    fs::create_dir(&dot).unwrap();
    fs::write(dot.join("config.toml"), "version = 1\n").unwrap();
    fs::write(dot.join(".gitignore"), "# mine\n").unwrap();
    let run = world.skc(["init"]).success();
    assert!(!run.text().contains("Wrote"), "{run:?}");
    assert_eq!(
        fs::read_to_string(dot.join("config.toml")).unwrap(),
        "version = 1\n"
    );
    assert_eq!(
        fs::read_to_string(dot.join(".gitignore")).unwrap(),
        "# mine\n"
    );

    let world = World::new();
    fs::create_dir_all(world.cwd.join(".skillc/skills")).unwrap();
    let before = snapshot(&world.cwd);
    world.skc(["init"]).success();
    assert_eq!(snapshot(&world.cwd), before);

    world.skc_at(&world.home, &["init", "x"]).success();
    world.skc(["init", "--global"]).success();
    world.skc_at(&world.home, &["build", "x"]).success();
    let kept = entries(&world.home.join(".skillc"));
    assert_eq!(kept, ["runtime", "skills"]);
}

/// The first build in a manually created project writes a `.gitignore`. If the user deletes that file, later builds do
/// not write it again.
#[test]
fn the_first_build_of_a_project_writes_the_ignore_file() {
    let world = World::demo(&[]);
    let file = world.cwd.join(".skillc/.gitignore");
    fs::remove_file(&file).unwrap();
    let built = world.skc(["build", "demo"]).success();
    let line = format!(
        "Wrote {}: builds and logs stay out of version control\n",
        file.display()
    );
    assert!(built.text().ends_with(&line), "{built:?}");
    let text = fs::read_to_string(&file).unwrap();
    // The patterns are anchored, so that git never ignores a skill's file because of its name.
    assert!(text.lines().any(|line| line == "/*.lock"), "{text}");
    fs::remove_file(&file).unwrap();
    assert!(
        !world
            .skc(["build", "demo"])
            .success()
            .text()
            .contains("Wrote")
    );
    assert!(!file.exists());

    let world = World::demo(&[]);
    let file = world.cwd.join(".skillc/.gitignore");
    fs::write(&file, "# mine\n").unwrap();
    let built = world.skc(["build", "demo", "-v"]).success();
    assert!(
        built.stderr.contains("does not ignore runtime/"),
        "{built:?}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\n");
}

/// The name is accepted, as the specification requires, with a warning that agents expect a different form.
#[test]
fn an_unusual_name_is_accepted_with_a_suggestion() {
    for (typed, note) in [
        (
            "My Skill",
            "'my skill' is an unusual skill name: agents expect a-z, 0-9 and hyphens, for example 'my-skill'",
        ),
        (
            "invoice_checks",
            "'invoice_checks' is an unusual skill name: agents expect a-z, 0-9 and hyphens, for example 'invoice-checks'",
        ),
        (
            "MySkill",
            "'MySkill' was changed to 'myskill': skill names are lower case",
        ),
        (
            "PDF",
            "'PDF' was changed to 'pdf': skill names are lower case",
        ),
        (
            "日本語",
            "'日本語' is an unusual skill name: agents expect a-z, 0-9 and hyphens",
        ),
    ] {
        let world = World::project();
        let run = world.skc(["init", typed]).success();
        assert!(run.text().contains(&format!("\nNote: {note}\n")), "{run:?}");
        let world = World::project();
        let json = world.skc(["init", typed, "-o", "json"]).success().json();
        assert_eq!(json["advice"], note);
    }
    let run = World::project().skc(["init", "pdf-forms"]).success();
    assert!(!run.text().contains("Note:"), "{run:?}");
}

#[test]
fn init_says_what_to_do_next() {
    let world = World::new();
    let run = world.skc(["init"]).success();
    assert!(
        run.text()
            .ends_with("\nNext: create a skill with 'skc init NAME'\n"),
        "{run:?}"
    );
    let run = world.skc(["init", "pdf-forms"]).success();
    let next = "\nNext: edit the file, then 'skc lint pdf-forms' and 'skc build pdf-forms'\n";
    assert!(run.text().ends_with(next), "{run:?}");
}
