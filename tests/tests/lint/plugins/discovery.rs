//! Where scripts are discovered.

use std::fs;

use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::plugins::support::{PROJECT, TODO, UNDONE, found, listed, rule, world};

/// R5.
#[test]
fn scripts_come_from_home_then_the_project_then_the_command_line() {
    let world = world(&[
        ("b.rhai", &rule("TEAM002", "two")),
        ("deep/er/a.rhai", &rule("TEAM003", "three")),
    ]);
    write_files(
        &world.home,
        &[(".skillc/plugins/a.rhai", &rule("TEAM001", "one"))],
    );
    write_files(
        &world.cwd,
        &[
            ("rules/c.rhai", &rule("TEAM004", "four")),
            ("single.script", &rule("TEAM005", "five")),
        ],
    );
    let home = world
        .home
        .join(".skillc/plugins/a.rhai")
        .display()
        .to_string();
    let args = ["--plugin", "rules", "--plugin", "single.script"];
    assert_eq!(
        listed(&world, &world.cwd, &args),
        [
            &*format!("TEAM001 {home}:2"),
            "TEAM002 .skillc/plugins/b.rhai:2",
            "TEAM003 .skillc/plugins/deep/er/a.rhai:2",
            "TEAM004 rules/c.rhai:2",
            "TEAM005 single.script:2",
        ]
    );
    // The same project applies from a subdirectory.
    let below = world.cwd.join("src");
    fs::create_dir_all(&below).unwrap();
    assert_eq!(listed(&world, &below, &[]).len(), 3);
    // Outside the project, only the user's scripts apply.
    assert_eq!(listed(&world, &world.home, &[]).len(), 1);
}

/// R5: only the nearest project counts.
#[test]
fn a_nested_project_uses_only_its_own_scripts() {
    let world = world(&[("a.rhai", &rule("TEAM001", "one"))]);
    let inner = world.cwd.join("inner");
    write_files(
        &inner,
        &[(".skillc/plugins/b.rhai", &rule("TEAM002", "two"))],
    );
    assert_eq!(
        listed(&world, &inner, &[]),
        ["TEAM002 .skillc/plugins/b.rhai:2"]
    );
}

#[test]
fn hidden_files_non_scripts_and_skills_are_skipped() {
    let world = world(&[
        ("a.rhai", &rule("TEAM001", "one")),
        (".b.rhai", &rule("TEAM002", "two")),
        (".git/c.rhai", &rule("TEAM003", "three")),
        ("README.md", "rule("),
        ("sample/SKILL.md", UNDONE),
        ("sample/d.rhai", &rule("TEAM004", "four")),
    ]);
    assert_eq!(
        listed(&world, &world.cwd, &[]),
        ["TEAM001 .skillc/plugins/a.rhai:2"]
    );
}

/// R5: the author of a skill does not decide which rules lint the skill.
#[test]
fn nothing_is_loaded_from_the_skill_that_is_linted() {
    let world = world(&[]);
    let inner = world.demo_source();
    write_files(&inner, &[(".skillc/plugins/a.rhai", TODO)]);
    let run = world.skc(["lint", "demo", "-o", "json"]);
    assert_eq!(found(&run), [""; 0]);
    assert!(!run.stderr.contains("W029"), "{}", run.stderr);
    // If the working directory is inside the skill, the skill is the nearest project. Even then, its scripts are not
    // loaded; a warning reports this.
    for dir in ["", "references"] {
        let cwd = inner.join(dir);
        fs::create_dir_all(&cwd).unwrap();
        let run = world.skc_at(&cwd, &["lint", "demo", "-o", "json"]);
        assert_eq!(found(&run), [""; 0], "{dir}");
        assert!(
            run.stderr.contains("warning[W029]: skipped plugin: '")
                && run.stderr.contains("is inside a skill"),
            "{}",
            run.stderr
        );
    }
    // The scripts of the enclosing project apply inside the skill.
    write_files(
        &world.cwd.join(PROJECT),
        &[("b.rhai", &rule("TEAM009", "nine"))],
    );
    let listed = listed(&world, &inner, &[]);
    assert!(
        listed[0].starts_with("TEAM009 ") && listed.len() == 1,
        "{listed:?}"
    );
    // The skill's own scripts can be given explicitly.
    let run = world.skc_at(
        &inner,
        &["lint", "demo", "-o", "json", "--plugin", ".skillc/plugins"],
    );
    assert_eq!(found(&run).len(), 1, "{}", run.text());
}

/// R5, R20.
#[cfg(unix)]
#[test]
fn symlinks_are_followed_within_the_folder_without_duplicates() {
    use std::os::unix::fs::symlink;
    let world = world(&[
        ("a.rhai", &rule("TEAM001", "one")),
        (".kept/b.rhai", &rule("TEAM002", "two")),
    ]);
    write_files(&world.cwd, &[("outside/c.rhai", &rule("TEAM003", "three"))]);
    let plugins = world.cwd.join(PROJECT);
    symlink(".kept", plugins.join("current")).unwrap();
    symlink("a.rhai", plugins.join("z.rhai")).unwrap();
    symlink(".", plugins.join("round")).unwrap();
    symlink(world.cwd.join("outside"), plugins.join("dir")).unwrap();
    symlink(world.cwd.join("outside/c.rhai"), plugins.join("file.rhai")).unwrap();
    assert_eq!(
        listed(&world, &world.cwd, &[]),
        [
            "TEAM001 .skillc/plugins/a.rhai:2",
            "TEAM002 .skillc/plugins/current/b.rhai:2"
        ]
    );
    let run = world.skc(["rules"]);
    let out = run.stderr.matches(": a symlink that leads out").count();
    assert_eq!(out, 2, "{}", run.stderr);
    // `check` reports the symlinks out of the folder as errors.
    let check = world.skc(["plugin", "check"]);
    assert!(!check.ok && !check.stderr.contains("W029"), "{check:?}");
    for name in ["dir", "file.rhai"] {
        let said = format!(
            "error: a symlink that leads out of its folder\n  --> .skillc/plugins/{name}\n"
        );
        assert!(check.text().contains(&said), "{said}{}", check.text());
    }
    assert!(!world.skc(["plugin", "check", PROJECT]).ok);
    // A script folder inside a skill belongs to the skill, not to the project.
    fs::rename(&plugins, world.demo_source().join("scripts")).unwrap();
    symlink(world.demo_source().join("scripts"), &plugins).unwrap();
    assert_eq!(listed(&world, &world.cwd, &[]), [""; 0]);
}

/// R20: an oversized folder is skipped entirely and reported.
#[test]
fn folders_are_bounded() {
    let many: Vec<String> = (0..201).map(|at| format!("{at}.rhai")).collect();
    let world = World::project();
    let scripts: Vec<(&str, &str)> = many.iter().map(|name| (&**name, "rule(")).collect();
    write_files(&world.cwd.join(PROJECT), &scripts);
    let run = world.skc(["rules"]);
    assert_eq!(run.stderr.matches("W029").count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("more than 200 scripts"),
        "{}",
        run.stderr
    );

    let many: Vec<String> = (0..1001).map(|at| format!("{at}.txt")).collect();
    let world = World::project();
    let files: Vec<(&str, &str)> = many.iter().map(|name| (&**name, "")).collect();
    write_files(&world.cwd.join(PROJECT), &files);
    let run = world.skc(["rules"]);
    assert!(
        run.stderr.contains("more than 1000 entries"),
        "{}",
        run.stderr
    );

    let world = World::project();
    let deep = "a/".repeat(9) + "a.rhai";
    write_files(&world.cwd.join(PROJECT), &[(&deep, "rule(")]);
    let run = world.skc(["rules"]);
    assert!(run.stderr.contains("more than 8 deep"), "{}", run.stderr);
    world.skc(["rules", "--plugin", PROJECT]).code("E100");
}

#[cfg(unix)]
#[test]
fn special_files_do_not_block() {
    let world = World::project();
    let pipe = world.cwd.join(PROJECT).join("a.rhai");
    fs::create_dir_all(pipe.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is installed").success());
    assert_eq!(listed(&world, &world.cwd, &[]), [""; 0]);
    let named = world.skc(["rules", "--plugin", ".skillc/plugins/a.rhai"]);
    named.code("E100");
    assert!(named.stderr.contains("neither a file nor a folder"));
}

/// R5: if a file looks like a script but is not loaded, this is reported.
#[cfg(unix)]
#[test]
fn entries_that_cannot_be_scripts_are_reported() {
    use std::os::unix::fs::symlink;
    let world = world(&[
        ("a.rhai", &rule("TEAM001", "one")),
        ("folder.rhai/README.md", "rule("),
        ("pack.rhai/b.rhai", &rule("TEAM002", "two")),
    ]);
    let folder = world.cwd.join(PROJECT);
    symlink("nothing.rhai", folder.join("link.rhai")).unwrap();
    symlink("nothing", folder.join("team")).unwrap();
    symlink("nothing.md", folder.join("notes.md")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.join("pipe.rhai"))
        .status();
    assert!(pipe.expect("mkfifo is installed").success());
    assert_eq!(listed(&world, &world.cwd, &[]).len(), 2);
    let left_out = [
        "folder.rhai: a folder, not a script",
        "link.rhai: a dangling symlink",
        "pipe.rhai: neither a file nor a folder",
        "team: a dangling symlink",
    ];
    for args in [&["rules"][..], &["lint", "demo"], &["plugin", "test"]] {
        let run = world.skc_at(&world.cwd, args);
        for left_out in left_out {
            let said = format!("warning[W029]: skipped plugin: .skillc/plugins/{left_out}\n");
            assert_eq!(run.stderr.matches(&said).count(), 1, "{said}{}", run.stderr);
        }
        assert_eq!(run.stderr.matches("W029").count(), 4, "{}", run.stderr);
    }
    for args in [&["plugin", "check"][..], &["plugin", "check", PROJECT]] {
        let check = world.skc_at(&world.cwd, args);
        assert!(!check.ok, "{check:?}");
        let end = "2 scripts loaded with 2 rules and 0 indexers; 4 errors\n";
        assert!(check.text().ends_with(end), "{}", check.text());
    }
}
