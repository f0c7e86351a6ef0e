//! Resolution of the `<skill>` argument to a directory.

use std::fs;

use skillc_tests::{World, snapshot};

use crate::stores::support::{entries, place, skill};

/// The commands that read a skill. The skill is inserted after the first word.
const READERS: [&[&str]; 6] = [
    &["outline"],
    &["sources"],
    &["lint"],
    &["open", "SKILL.md"],
    &["search", "hello"],
    &["show", "--section", "Demo"],
];

fn reader<'a>(command: &[&'a str], asked: &'a str) -> Vec<&'a str> {
    let (name, rest) = command.split_first().expect("a command");
    let mut args = vec![*name, asked];
    args.extend(rest);
    args
}

/// C-RESOLUTION@7.1, D-PATH-ARGS, F-27.
#[test]
fn every_command_accepts_the_path_of_a_skill() {
    let world = World::built(&[]);
    let source = world.demo_source();
    let absolute = source.to_str().unwrap();
    let sub = world.cwd.join("sub");
    fs::create_dir(&sub).unwrap();
    let places = [
        (&world.cwd, ".skillc/skills/demo"),
        (&world.cwd, "./.skillc/skills/demo/"),
        (&world.cwd, "sub/../.skillc/skills/demo"),
        (&sub, "../.skillc/skills/demo"),
        (&source, "."),
        (&sub, absolute),
    ];
    for command in READERS {
        let by_name = world.skc_at(&world.cwd, &reader(command, "demo")).success();
        for (cwd, asked) in places {
            let run = world.skc_at(cwd, &reader(command, asked)).success();
            assert_eq!(run.text(), by_name.text(), "{command:?} {asked}");
        }
    }
    for (cwd, asked) in places {
        world.skc_at(cwd, &["build", asked]).success();
    }
    assert_eq!(entries(&world.cwd.join(".skillc/skills")), ["demo"]);
}

/// C-RESOLUTION@7.1, D-PATH-ARGS.
#[test]
fn a_local_directory_takes_precedence_over_every_store() {
    let world = World::project();
    world.global_skill("demo", &[("SKILL.md", &skill("demo", "global"))]);
    world.project_skill("demo", &[("SKILL.md", &skill("demo", "project"))]);
    let here = world.directory(
        "demo",
        &[("SKILL.md", &skill("demo", "here")), ("a.md", "# Here\n")],
    );
    assert_eq!(place(&world, &world.cwd, "demo"), "here");
    assert!(world.skc(["outline", "demo"]).text().contains("Here"));
    assert!(world.skc(["sources", "demo"]).text().contains("a.md"));
    let lint = world.skc(["lint", "demo", "-o", "json"]).success();
    assert_eq!(lint.json()["path"], here.to_str().unwrap());
    world.skc(["search", "demo", "here"]).code("E002");
    fs::remove_dir_all(here).unwrap();
    assert_eq!(place(&world, &world.cwd, "demo"), "project");
}

/// C-RESOLUTION@7.3, C-RESOLUTION@7.1.
#[test]
fn a_directory_without_skill_md_hides_no_skill() {
    for hollow in ["demo", ".skillc/skills/demo"] {
        let world = World::project();
        fs::create_dir(world.cwd.join(hollow)).unwrap();
        world.global_skill("demo", &[("SKILL.md", &skill("demo", "global"))]);
        assert_eq!(place(&world, &world.cwd, "demo"), "global", "{hollow}");
        world.skc(["build", "demo"]).success();
    }
}

/// C-RESOLUTION@7.3.
#[test]
fn a_directory_without_skill_md_is_reported_if_nothing_else_matches() {
    let world = World::project();
    let hollow = world.cwd.join(".skillc/skills/hollow");
    let far = world.home.join(".skillc/skills/far");
    fs::create_dir(&hollow).unwrap();
    fs::create_dir_all(&far).unwrap();
    fs::create_dir(world.cwd.join("here")).unwrap();
    let line = |path: &str| format!("error[E010]: not a valid skill: '{path}' (missing SKILL.md)");
    for command in READERS.iter().chain(&[&["build"][..]]) {
        let run = |asked| world.skc_at(&world.cwd, &reader(command, asked));
        run("hollow").error(&line(hollow.to_str().unwrap()));
        run("far").error(&line(far.to_str().unwrap()));
        run("here").error(&line("here"));
        run("./here").error(&line("./here"));
    }
}

/// C-RESOLUTION@7.3, F-27.
#[test]
fn a_missing_skill_is_reported_verbatim() {
    let world = World::demo(&[]);
    for asked in [
        "nope",
        "./nope",
        "../nope",
        "/no/such/skill",
        ".skillc/skills/nope",
        "Demo2",
    ] {
        for command in READERS.iter().chain(&[&["build"][..]]) {
            world
                .skc_at(&world.cwd, &reader(command, asked))
                .error(&format!("error[E001]: skill '{asked}' not found"));
        }
    }
}

/// C-RESOLUTION@7.5, D-NAME-SAFETY.
#[test]
fn a_name_cannot_escape_a_store() {
    let world = World::project();
    world.project_skill("demo", &[]);
    world.project_skill("sub/inner", &[]);
    world.global_skill("demo", &[]);
    world.directory(".skillc", &[]);
    world.directory(".skillc/outside", &[]);
    let elsewhere = world.cwd.join("sub");
    fs::create_dir(&elsewhere).unwrap();
    let climbing = [
        "",
        "../outside",
        "../skills/demo",
        "sub/../demo",
        "sub/inner",
        "demo/",
        "./demo",
        "demo/.",
        "../../.skillc/outside",
    ];
    for asked in climbing {
        for command in READERS {
            world
                .skc_at(&elsewhere, &reader(command, asked))
                .error(&format!("error[E001]: skill '{asked}' not found"));
        }
    }
    // As paths, these are directories. If they were used as names, they would be the store and its parent.
    for asked in [".", ".."] {
        world
            .skc_at(&elsewhere, &["outline", asked])
            .error(&format!(
                "error[E010]: not a valid skill: '{asked}' (missing SKILL.md)"
            ));
    }
}

/// D-NAME-SAFETY.
#[test]
fn an_import_cannot_write_outside_the_store() {
    let names = [
        "../../../evil",
        "..",
        ".",
        "a/b",
        "/tmp/evil",
        "\"a\\nb\"",
        ".hidden",
        "'a\\b'",
    ];
    for name in names {
        let world = World::project();
        let text = format!("---\nname: {name}\ndescription: d\n---\n# E\n");
        world.directory("dev/x", &[("SKILL.md", &text)]);
        let before = snapshot(world.cwd.parent().unwrap());
        for flag in ["--copy", "--force"] {
            world.skc(["build", "dev/x", flag]).code("E012");
        }
        assert_eq!(snapshot(world.cwd.parent().unwrap()), before, "{name}");
    }
}

/// D-NAME-SAFETY.
#[test]
fn unusual_but_safe_names_are_accepted() {
    for name in ["with_underscore", "v1.2", "日本語", "a--b", "x y"] {
        let world = World::project();
        world.directory("dev/x", &[("SKILL.md", &skill(name, "here"))]);
        world.skc(["build", "dev/x"]).success();
        assert_eq!(place(&world, &world.cwd, name), "here");
        world.skc(["search", name, "here"]).success();
    }
}

/// D-RUNTIME-FALLBACK, C-RESOLUTION@7.3.
#[test]
fn a_build_without_its_source_is_not_a_skill() {
    let world = World::built(&[]);
    fs::remove_dir_all(world.demo_source()).unwrap();
    assert!(world.demo_runtime().join("SKILL.md").is_file());
    for command in READERS.iter().chain(&[&["build"][..]]) {
        world
            .skc_at(&world.cwd, &reader(command, "demo"))
            .error("error[E001]: skill 'demo' not found");
    }
    assert_eq!(world.skc(["list", "-o", "json"]).json()["total"], 0);
}
