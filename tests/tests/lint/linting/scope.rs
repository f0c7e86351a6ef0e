//! Skill selection of a run.

use std::fs;

use skillc_tests::{MINIMAL, World};

use crate::linting::support::{DEEP, NAMELESS, findings, linted, reports};

/// G-VALIDATE.2, D-LINT-ALL.
#[test]
fn without_a_name_all_skills_of_the_project_are_linted_nearest_first() {
    let world = World::project();
    world.project_skill("one", &[]);
    world.project_skill("two", &[]);
    world.global_skill("global", &[]);
    world.directory("elsewhere", &[]);
    fs::create_dir_all(world.cwd.join(".skillc/skills/hollow")).unwrap();
    let stores = [".skillc/skills/one", ".skillc/skills/two"];
    assert_eq!(linted(&world, &[]), stores);
    world.directory("inner/.skillc/skills/zero", &[]);
    let inner = world.cwd.join("inner/deeper");
    fs::create_dir(&inner).unwrap();
    let run = world.skc_at(&inner, &["lint", "-o", "json"]).success();
    let names: Vec<_> = reports(&run).iter().map(|r| r["skill"].clone()).collect();
    assert_eq!(names, ["zero", "one", "two"]);
}

/// D-LINT-ALL.
#[test]
fn outside_a_project_the_skills_of_the_global_store_are_linted() {
    let world = World::new();
    world.global_skill("global", &[]);
    world.directory("elsewhere", &[]);
    assert_eq!(linted(&world, &[]), ["~/.skillc/skills/global"]);
}

/// D-LINT-ALL, G-VALIDATE.1: a run that checks nothing must not succeed.
#[test]
fn nothing_to_lint_is_an_error_that_says_where_it_looked_and_what_to_do() {
    for world in [World::new(), World::project()] {
        for format in ["text", "json"] {
            let run = world.skc(["lint", "-o", format]);
            run.code("E068");
            assert!(!run.ok && run.stdout.is_empty(), "{run:?}");
            for said in [
                "no skills found",
                "Looked in ",
                "~/.skillc/skills",
                "skc init",
            ] {
                assert!(run.stderr.contains(said), "{said}: {run:?}");
            }
        }
    }
}

/// D-LINT-ALL, D-LINT-JSON: a single named skill is reported as an object, anything else as a list.
#[test]
fn only_a_single_named_skill_is_reported_as_an_object() {
    let world = World::demo(&[]);
    let is_list = |args: &[&str]| {
        let args = [&["lint", "-o", "json"], args].concat();
        world.skc_at(&world.cwd, &args).success().json()["skills"].is_array()
    };
    let path = ".skillc/skills/demo";
    for single in [&["demo"][..], &[path], &["./.skillc/skills/demo/SKILL.md"]] {
        assert!(!is_list(single), "{single:?}");
    }
    for several in [&[][..], &["."], &["dem*"], &["demo", "demo"], &[".skillc"]] {
        assert!(is_list(several), "{several:?}");
    }
}

/// D-PATH-ARGS: version control hooks pass file names.
#[test]
fn a_main_file_selects_its_skill() {
    let world = World::project();
    world.directory("a", &[]);
    let low = world.directory("low", &[]);
    fs::rename(low.join("SKILL.md"), low.join("skill.md")).unwrap();
    assert_eq!(linted(&world, &["a/SKILL.md"]), ["a"]);
    assert_eq!(
        linted(&world, &["low/skill.md", "a/SKILL.md"]),
        ["low", "a"]
    );
    let run = world.skc_at(&world.cwd.join("a"), &["lint", "SKILL.md"]);
    assert!(run.success().text().starts_with("a: "));
    fs::write(world.cwd.join("a/other.md"), "# Other\n").unwrap();
    for other in ["a/other.md", "b/SKILL.md"] {
        let line = format!("error[E001]: skill '{other}' not found");
        world.skc(["lint", other]).error(&line);
    }
}

/// D-LINT-ALL, D-WALK.
#[test]
fn a_directory_selects_every_skill_below_it() {
    let world = World::project();
    world.project_skill("own", &[]);
    world.directory("pack", &[("nested/SKILL.md", MINIMAL)]);
    world.directory("pack-b/deep/er", &[]);
    world.directory(".claude/skills/c", &[]);
    world.directory(".cache/d", &[]);
    world.directory("node_modules/e", &[]);
    let all = [
        ".claude/skills/c",
        ".skillc/skills/own",
        "pack",
        "pack/nested",
        "pack-b/deep/er",
    ];
    assert_eq!(linted(&world, &["."]), all);
    assert_eq!(
        linted(&world, &["pack-b", ".cache"]),
        ["pack-b/deep/er", ".cache/d"]
    );
    // The directory of a skill also selects nested skills; its `SKILL.md` or its name selects only the skill itself.
    for dir in ["pack", "pack/", "./pack"] {
        assert_eq!(linted(&world, &[dir]), ["pack", "pack/nested"]);
    }
    assert_eq!(linted(&world, &["pack/SKILL.md"]), ["pack"]);
    world.project_skill("whole", &[("part/SKILL.md", MINIMAL)]);
    assert_eq!(linted(&world, &["whole"]), [".skillc/skills/whole"]);
}

/// D-LINT-ALL.
#[test]
fn globs_match_directories_and_main_files_and_names_in_stores() {
    let world = World::project();
    for name in ["api-a", "api-b", "cli"] {
        world.project_skill(name, &[]);
    }
    world.global_skill("api-b", &[]);
    world.global_skill("api-g", &[]);
    world.directory("api-here", &[]);
    world.directory("skills/x", &[("inner/SKILL.md", MINIMAL)]);
    world.directory("skills/y", &[]);
    assert_eq!(linted(&world, &["skills/*"]), ["skills/x", "skills/y"]);
    let below = ["skills/x", "skills/x/inner", "skills/y"];
    for glob in ["skills/**/SKILL.md", "./skills/**", "{skills,none}/**"] {
        assert_eq!(linted(&world, &[glob]), below, "{glob}");
    }
    assert_eq!(linted(&world, &["skills/{y,z}"]), ["skills/y"]);
    assert_eq!(linted(&world, &["skills/[!x]/"]), ["skills/y"]);
    let stores = [
        "api-here",
        ".skillc/skills/api-a",
        ".skillc/skills/api-b",
        "~/.skillc/skills/api-g",
    ];
    assert_eq!(linted(&world, &["api-*"]), stores);
    let absolute = format!("{}/sk*/y", world.cwd.display());
    assert_eq!(linted(&world, &[&absolute]), ["skills/y"]);
    let run = world.skc_at(&world.cwd.join("skills"), &["lint", "../skills/?"]);
    assert!(run.text().contains("2 skills: "), "{run:?}");
}

/// C-CODES.3, D-LINT-ALL.
#[test]
fn an_argument_that_matches_no_skill_is_refused_verbatim() {
    let world = World::demo(&[]);
    fs::create_dir_all(world.cwd.join("empty/within")).unwrap();
    for nothing in [
        "",
        "nope",
        "./nope",
        "no*",
        "none/**/x",
        "[broken",
        "demo/[",
        "a{b",
    ] {
        let line = format!("error[E001]: skill '{nothing}' not found");
        world.skc(["lint", nothing]).error(&line);
        // One typo stops the run before anything is linted.
        world.skc(["lint", "demo", nothing]).error(&line);
    }
    for hollow in ["empty", "./empty/within"] {
        let line = format!("error[E010]: not a valid skill: '{hollow}' (missing SKILL.md)");
        let run = world.skc(["lint", hollow]);
        run.error(&line);
        let help = "Neither it nor any directory below it has a SKILL.md. Name a skill or a directory that contains skills, \
                    or create one: skc init NAME\n";
        assert!(run.stderr.ends_with(help), "{}", run.stderr);
    }
}

/// D-LINT-ALL.
#[test]
fn a_skill_selected_in_several_ways_is_linted_once() {
    let world = World::demo(&[]);
    world.directory("skills/x", &[("inner/SKILL.md", MINIMAL)]);
    let ways = [
        "skills/x/inner",
        "demo",
        ".",
        "skills/*",
        "./.skillc/skills/demo/",
        "dem?",
    ];
    let all = ["skills/x/inner", ".skillc/skills/demo", "skills/x"];
    assert_eq!(linted(&world, &ways), all);
}

/// D-LINT-ALL, C-DIAGNOSTICS.3: findings in a file shared by two skills are reported for the inner one.
#[test]
fn a_finding_in_a_nested_skill_is_reported_once() {
    let world = World::new();
    let files = [
        ("SKILL.md", NAMELESS),
        ("guide.md", "# Guide\n\n### Low\n"),
        ("inner/SKILL.md", DEEP),
        ("inner/more.md", "# More\n\n### Low\n"),
        ("inner/core/SKILL.md", NAMELESS),
        ("inner/core/last.md", "# Last\n\n### Low\n"),
    ];
    world.directory("outer", &files);
    let select = ["--select", "SKL101,SKL205"];
    let run = |args: &[&str]| {
        let args = [&["lint", "-o", "json"], args, &select].concat();
        world.skc_at(&world.cwd, &args)
    };
    let alone = reports(&run(&["outer/SKILL.md"]));
    let own = ["SKL101 SKILL.md", "SKL205 guide.md"];
    let nested = ["inner/SKILL.md", "inner/core/last.md", "inner/more.md"];
    let nested = nested.map(|file| format!("SKL205 {file}"));
    assert_eq!(findings(&alone[0])[..2], own);
    assert_eq!(findings(&alone[0])[2..], nested);
    assert_eq!(alone[0]["warning_count"], 4);

    let all = run(&["."]);
    let each = reports(&all);
    assert_eq!(findings(&each[0]), own);
    assert_eq!(findings(&each[1]), ["SKL205 SKILL.md", "SKL205 more.md"]);
    assert_eq!(findings(&each[2]), ["SKL101 SKILL.md", "SKL205 last.md"]);
    assert_eq!(
        (&each[0]["error_count"], &each[0]["warning_count"]),
        (&1.into(), &1.into())
    );
    assert_eq!(all.json()["error_count"], 2);
    assert_eq!(all.json()["warning_count"], 4);

    // If the nested skill is not in the run, the outer one reports the finding.
    let two = reports(&run(&["outer/SKILL.md", "outer/inner/core"]));
    assert_eq!(findings(&two[0]).len(), 4);
    assert_eq!(findings(&two[1]).len(), 2);
}

/// C-SCOPE@8.1.
#[test]
fn all_markdown_except_hidden_files_is_linted() {
    let low = "# Title\n\n### Low\n";
    let hidden = [
        ".git/a.md",
        "docs/.hidden/a.md",
        ".a.md",
        "docs/.a.md",
        "notes.txt",
    ];
    let shown = ["a.md", "docs/deep/er/b.md", "docs/c.MD"];
    let files: Vec<(&str, &str)> = [&hidden[..], &shown]
        .concat()
        .iter()
        .map(|path| (*path, low))
        .collect();
    let world = World::demo(&files);
    let run = world.skc(["lint", "demo", "--select", "SKL205", "-o", "json"]);
    let expected = [
        "SKL205 a.md",
        "SKL205 docs/c.MD",
        "SKL205 docs/deep/er/b.md",
    ];
    assert_eq!(findings(&reports(&run)[0]), expected);
}

/// C-REGISTRY.8: the name is compared with the real directory name, no matter how the path was written.
#[test]
fn a_path_is_resolved_before_its_name_is_compared() {
    let world = World::demo(&[]);
    let dir = world.demo_source();
    fs::create_dir(dir.join("sub")).unwrap();
    for (cwd, asked) in [
        (&dir, "."),
        (&dir, "./"),
        (&dir, "SKILL.md"),
        (&dir.join("sub"), ".."),
        (&world.cwd, "./.skillc/skills/demo/sub/../"),
    ] {
        let run = world.skc_at(cwd, &["lint", asked, "--select", "SKL104", "-o", "json"]);
        let report = &reports(&run.success())[0];
        assert_eq!(report["skill"], "demo", "{asked}");
        assert_eq!(findings(report), Vec::<String>::new(), "{asked}");
    }
}

/// C-DIAGNOSTICS.3: the order does not depend on thread scheduling.
#[test]
fn many_skills_are_reported_in_the_same_order_every_time() {
    let world = World::new();
    for n in 0..60 {
        let files = [
            ("SKILL.md", NAMELESS),
            ("a.md", "# A\n\n### B\n"),
            ("b.md", "# A\n\n### B\n"),
        ];
        world.directory(&format!("s{n:02}"), &files);
    }
    let run = || {
        let run = world.skc(["lint", ".", "--select", "SKL101,SKL205", "-o", "json"]);
        assert!(!run.ok, "{run:?}");
        String::from_utf8(run.stdout).expect("text")
    };
    let first = run();
    for _ in 0..3 {
        assert_eq!(run(), first);
    }
    let names: Vec<String> = (0..60).map(|n| format!("s{n:02}")).collect();
    assert_eq!(linted(&world, &["."]), names);
}
