//! Malformed stores and skills: files in place of directories, pipes in place of files, missing permissions.

use std::fs;

use skillc_tests::{MINIMAL, World, snapshot};

use crate::stores::support::names;

/// C-LIST.8, C-RESOLUTION@7.3, C-INIT.5.
#[test]
fn a_store_that_is_a_file_is_empty_and_hides_nothing() {
    let world = World::new();
    fs::create_dir(world.cwd.join(".skillc")).unwrap();
    fs::write(world.cwd.join(".skillc/skills"), "a file").unwrap();
    world.global_skill("tool", &[]);
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(names(&list), ["tool"]);
    assert!(list.stderr.is_empty(), "{list:?}");
    world.skc(["build", "tool"]).success();
    world
        .skc(["outline", "demo"])
        .error("error[E001]: skill 'demo' not found");
    let before = snapshot(&world.cwd);
    world.skc(["init"]).code("E999");
    world.skc(["init", "demo"]).code("E999");
    assert_eq!(snapshot(&world.cwd), before);
    world.directory("dev/demo", &[]);
    world.skc(["build", "dev/demo"]).code("E999");
}

/// C-INIT.5.
#[test]
fn a_runtime_store_that_is_a_file_fails_only_the_build() {
    let world = World::demo(&[]);
    fs::write(world.cwd.join(".skillc/runtime"), "a file").unwrap();
    world.skc(["build", "demo"]).code("E999");
    world.skc(["outline", "demo"]).success();
    world.skc(["search", "demo", "hello"]).code("E002");
    let list = world
        .skc(["list", "--check-obsolete", "-o", "json"])
        .success();
    assert_eq!(list.json()["skills"][0]["status"], "not-built");
}

/// C-RESOLUTION@7.3, C-LIST.9.
#[test]
fn a_directory_named_skill_md_is_not_a_skill() {
    let world = World::project();
    let dir = world.cwd.join(".skillc/skills/odd");
    fs::create_dir_all(dir.join("SKILL.md")).unwrap();
    let line = format!(
        "error[E010]: not a valid skill: '{}' (missing SKILL.md)",
        dir.display()
    );
    for command in ["outline", "build", "lint", "sources"] {
        world.skc([command, "odd"]).error(&line);
    }
    world.skc(["init", "odd"]).code("E050");
    assert_eq!(world.skc(["list", "-o", "json"]).json()["total"], 0);
}

#[cfg(unix)]
mod pipes {
    use std::process::Command;

    use skillc_tests::Output;

    use super::*;

    #[track_caller]
    fn make_pipe(path: &std::path::Path) {
        let status = Command::new("mkfifo").arg(path).status();
        assert!(status.is_ok_and(|status| status.success()), "mkfifo");
    }

    /// Checks that a run failed with this code, whatever it printed before.
    #[track_caller]
    fn fails(run: &Output, code: &str) {
        assert!(!run.ok, "{run:?}");
        assert!(
            run.stderr.contains(&format!("\nerror[{code}]: ")),
            "{run:?}"
        );
    }

    /// C-RESOLUTION@7.3, C-LIST.9.
    #[test]
    fn a_pipe_named_skill_md_is_not_a_skill_and_does_not_block() {
        let world = World::project();
        let dir = world.cwd.join(".skillc/skills/odd");
        fs::create_dir(&dir).unwrap();
        make_pipe(&dir.join("SKILL.md"));
        for command in ["outline", "build", "lint", "sources"] {
            world.skc([command, "odd"]).code("E010");
        }
        world.skc(["open", "odd", "SKILL.md"]).code("E010");
        let list = world
            .skc(["list", "--check-obsolete", "-o", "json"])
            .success();
        assert_eq!(list.json()["total"], 0);
    }

    /// C-FILES.5, C-LIST.2, C-COMPAT-FORMAT.1.
    #[test]
    fn other_pipes_do_not_block() {
        let world = World::built(&[]);
        make_pipe(&world.demo_source().join("pipe.md"));
        make_pipe(&world.cwd.join(".skillc/config.toml"));
        let manifest = world.demo_runtime().join(".skillc-meta/manifest.json");
        fs::remove_file(&manifest).unwrap();
        make_pipe(&manifest);
        let list = world
            .skc(["list", "--check-obsolete", "-o", "json"])
            .success();
        assert_eq!(list.json()["skills"][0]["status"], "not-built");
        assert!(list.stderr.starts_with("warning[W020]: "), "{list:?}");
        fails(&world.skc(["search", "demo", "hello"]), "E002");
        world.skc(["outline", "demo"]).success();
        fails(&world.skc(["open", "demo", "pipe.md"]), "E021");
        world.skc(["build", "demo"]).success();
        world.skc(["search", "demo", "hello"]).success();
    }
}

/// These tests need a process that is subject to file permissions (not root).
#[cfg(target_os = "linux")]
mod file_permissions {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use skillc_tests::Output;
    use skillc_tests::unreadable::{Unreadable, run_without_privilege};

    use super::*;

    const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

    fn skc(world: &World, args: &[&str]) -> Option<Output> {
        run_without_privilege(world, PROGRAM, args)
    }

    /// C-LIST.9, C-LIST.1.
    #[test]
    fn an_unreadable_store_is_reported_and_the_others_are_listed() {
        let world = World::demo(&[]);
        world.global_skill("tool", &[]);
        let store = world.cwd.join(".skillc/skills");
        let _closed = Unreadable::new(store.clone());
        let Some(list) = skc(&world, &["list", "-o", "json"]) else {
            return;
        };
        assert_eq!(names(&list.success()), ["tool"]);
        let list = skc(&world, &["list"]).unwrap();
        let line = format!(
            "warning[W021]: skipped '{}': permission denied\n",
            store.display()
        );
        assert_eq!(list.stderr, line);
    }

    /// C-LIST.9.
    #[test]
    fn an_unreadable_skill_md_is_skipped_with_a_warning() {
        let world = World::demo(&[]);
        world.project_skill("other", &[]);
        let _closed = Unreadable::new(world.demo_source().join("SKILL.md"));
        let Some(list) = skc(&world, &["list", "-o", "json"]) else {
            return;
        };
        assert!(
            list.stderr.starts_with("warning[W021]: skipped 'demo': "),
            "{list:?}"
        );
        assert_eq!(names(&list.success()), ["other"]);
        let outline = skc(&world, &["outline", "demo"]).unwrap();
        outline.code("E999");
        assert!(outline.stderr.contains("permission denied"), "{outline:?}");
        assert!(outline.stderr.contains("Check the owner"), "{outline:?}");
    }

    /// C-LIST.3.
    #[test]
    fn an_unreadable_directory_in_a_skill_does_not_fail_the_list() {
        let world = World::built(&[("docs/a.md", "# A\n")]);
        world.project_skill("other", &[]);
        let _closed = Unreadable::new(world.demo_source().join("docs"));
        let Some(list) = skc(&world, &["list", "--check-obsolete", "-o", "json"]) else {
            return;
        };
        assert!(
            list.stderr.starts_with("warning[W021]: skipped 'demo': "),
            "{list:?}"
        );
        assert_eq!(names(&list.success()), ["other"]);
        skc(&world, &["build", "demo"]).unwrap().code("E999");
    }

    /// C-FILES.5, D-CONFIG-ERRORS.
    #[test]
    fn an_unreadable_configuration_file_is_ignored_with_a_warning() {
        let world = World::demo(&[]);
        let path = world.cwd.join(".skillc/config.toml");
        fs::write(&path, "").unwrap();
        let _closed = Unreadable::new(path);
        let Some(list) = skc(&world, &["list", "-o", "json"]) else {
            return;
        };
        assert!(list.stderr.starts_with("warning[W020]: "), "{list:?}");
        assert_eq!(names(&list.success()), ["demo"]);
    }

    /// C-INIT.5.
    #[test]
    fn a_read_only_directory_is_an_error() {
        let world = World::new();
        let _closed = Unreadable::new(world.cwd.clone());
        fs::set_permissions(&world.cwd, Permissions::from_mode(0o500)).unwrap();
        let Some(run) = skc(&world, &["init"]) else {
            return;
        };
        run.code("E999");
        assert!(run.stderr.contains("permission denied"), "{run:?}");
        skc(&world, &["init", "x"]).unwrap().code("E999");
    }
}

/// C-LIST.1.
#[test]
fn a_store_may_contain_a_skill_md() {
    let world = World::demo(&[]);
    fs::write(world.cwd.join(".skillc/skills/SKILL.md"), MINIMAL).unwrap();
    assert_eq!(names(&world.skc(["list", "-o", "json"])), ["demo"]);
}
