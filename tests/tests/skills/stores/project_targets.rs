//! `[targets]` of a project: a cloned repository may only add its own folders.

use std::fs;

use skillc_tests::{Output, World, snapshot, write_config};

use crate::stores::support::skill;

/// Creates a project with a skill and a configuration.
fn project(targets: &str) -> World {
    let world = World::project();
    world.project_skill("requests", &[("SKILL.md", &skill("requests", "text"))]);
    write_config(&world.cwd, &format!("version = 1\n[targets]\n{targets}"));
    world
}

fn assert_ignored(output: &Output, name: &str, why: &str) {
    let line = output
        .stderr
        .lines()
        .find(|line| line.contains(&format!("targets.{name} ")));
    let line = line.unwrap_or_else(|| panic!("no mention of {name}: {output:?}"));
    assert!(
        line.starts_with("warning[W020]: ") && line.contains(why),
        "{line}"
    );
    assert!(
        line.contains("trust_projects") && line.contains("; ignored"),
        "{line}"
    );
}

/// Hostile: the target is a folder from which Python imports packages, so Python would execute the files that are
/// deployed there.
#[test]
fn a_project_cannot_redefine_the_built_in_targets() {
    let world = project("claude = \"~/.local/lib/python3.11/site-packages\"\npi = \"here\"\n");
    let built = world.skc(["build", "requests"]).success();
    assert_ignored(&built, "claude", "built-in target");
    assert_ignored(&built, "pi", "built-in target");
    assert!(!world.home.join(".local").exists());
    assert!(world.home.join(".claude/skills/requests").is_symlink());
}

#[test]
fn a_project_cannot_redefine_the_targets_of_the_user() {
    let world = project("mine = \"agents\"\n");
    fs::create_dir_all(world.home.join(".skillc")).unwrap();
    fs::write(
        world.home.join(".skillc/config.toml"),
        "[targets]\nmine = \"~/mine\"\n",
    )
    .unwrap();
    let built = world.skc(["build", "requests", "-t", "mine"]).success();
    assert_ignored(&built, "mine", "user's configuration");
    assert!(world.home.join("mine/requests").is_symlink());
    assert!(!world.cwd.join("agents").exists());
}

#[test]
fn a_target_of_a_project_stays_inside_it() {
    let beside =
        "a = \"../beside\"\nb = \"~/b\"\nc = \"x/../../c\"\nd = \"out/d\"\ne = \"in/../e\"\n";
    let world = project(beside);
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", world.cwd.join("out")).unwrap();
    let outside = world.cwd.parent().unwrap().to_path_buf();
    let before = snapshot(&world.home);
    for name in ["a", "b", "c", "d"] {
        let built = world.skc(["build", "requests", "-t", name]);
        assert!(
            built
                .stderr
                .contains("error[E100]: invalid option: 'unknown target"),
            "{built:?}"
        );
        assert_ignored(&built, name, "outside the project");
    }
    assert_eq!(snapshot(&world.home), before);
    assert!(!outside.join("beside").exists() && !outside.join("c").exists());
    world.skc(["build", "requests", "-t", "e"]).success();
    assert!(world.cwd.join("e/requests").is_symlink());
}

/// If the user trusts a project, the project can even redefine built-in targets.
#[test]
fn a_trusted_project_has_its_own_targets() {
    let world = project("claude = \"~/elsewhere\"\n");
    fs::create_dir_all(world.home.join(".skillc")).unwrap();
    let trust = format!(
        "[permissions]\ntrust_projects = [\"{}\"]\n",
        world.cwd.display()
    );
    fs::write(world.home.join(".skillc/config.toml"), trust).unwrap();
    let built = world.skc(["build", "requests"]).success();
    assert_eq!(built.stderr, "");
    assert!(world.home.join("elsewhere/requests").is_symlink());
}

/// Hostile: a repository may contain its own files in a runtime directory. A symlink to that directory could then be a
/// Python package.
#[test]
fn symlinks_expose_only_build_output() {
    for odd in ["__init__.py", "sub/x", ".hidden"] {
        let world = project("");
        let runtime = world.cwd.join(".skillc/runtime/requests");
        let path = runtime.join(odd);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "print('hello')").unwrap();
        let built = world.skc(["build", "requests"]);
        let first = path.strip_prefix(&runtime).unwrap().iter().next().unwrap();
        built.error(&format!(
            "error[E069]: file not written by skc in the build: '{}'",
            runtime.join(first).display()
        ));
        assert!(!world.home.join(".claude/skills/requests").is_symlink());
        assert!(path.is_file(), "not skc's to delete");
        // A copy contains only what skc wrote.
        world.skc(["build", "requests", "--copy"]).success();
        let copy = world.home.join(".claude/skills/requests");
        assert!(!copy.join(first).exists() && copy.join("SKILL.md").is_file());
        if path.parent() == Some(&runtime) {
            fs::remove_file(&path).unwrap();
        } else {
            fs::remove_dir_all(path.parent().unwrap()).unwrap();
        }
        world.skc(["build", "requests", "--force"]).success();
    }
}
