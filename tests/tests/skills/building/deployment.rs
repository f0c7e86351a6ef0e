//! The location of build output, and its deployment to agents.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use skillc_tests::{World, index_in, snapshot};

use crate::building::support::{named, stub};

/// Returns the path of a skill's stub in Claude's user folder.
fn claude(world: &World, skill: &str) -> PathBuf {
    world.home.join(".claude/skills").join(skill)
}

/// Returns the target of a symlink.
fn link(path: &Path) -> PathBuf {
    fs::read_link(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// C-DEPLOYMENT.1, D-RUNTIME-STORE.
#[test]
fn a_skill_is_built_in_the_store_of_its_source() {
    let world = World::demo(&[]);
    let global = world.global_skill("wide", &[("SKILL.md", &named("wide"))]);
    world.skc(["build", "demo"]).success();
    world.skc(["build", "wide"]).success();
    assert!(world.demo_runtime().join("SKILL.md").is_file());
    let wide = world.home.join(".skillc/runtime/wide");
    assert!(index_in(&wide, &global).is_file());
    assert!(!world.cwd.join(".skillc/runtime/wide").exists());
    assert!(!world.home.join(".skillc/runtime/demo").exists());
}

/// C-DEPLOYMENT.2, D-GLOBAL-LOOKUP, F-13.
#[test]
fn global_builds_a_project_skill_into_the_users_store() {
    for flag in ["--global", "-g"] {
        let world = World::demo(&[]);
        let built = world.skc(["build", "demo", flag]).success();
        assert!(
            built.text().starts_with("Built demo (global)\n"),
            "{built:?}"
        );
        let runtime = world.home.join(".skillc/runtime/demo");
        assert!(runtime.join("SKILL.md").is_file());
        assert!(snapshot(&world.demo_runtime()).is_empty());
        assert_eq!(link(&claude(&world, "demo")), runtime);
        world.skc(["search", "demo", "hello"]).success();
        world.skc(["show", "demo", "--section", "Demo"]).success();
    }
}

/// C-DEPLOYMENT.3, C-DEPLOYMENT.7, D-AGENT-DIR, G-TEST.1, F-36.
#[test]
fn without_a_target_claude_gets_a_symlink_in_the_home_directory() {
    let world = World::demo(&[]);
    let built = world.skc(["build", "demo"]).success();
    let place = claude(&world, "demo");
    let line = format!("  Deploy:  {} (symlink)", place.display());
    assert_eq!(built.text().lines().last(), Some(line.as_str()));
    let deployed = fs::read_to_string(place.join("SKILL.md")).expect("a stub");
    assert_eq!(deployed, stub(&world));
    assert!(deployed.contains("skc outline demo"));
    assert!(!world.cwd.join(".claude").exists());
}

/// C-DEPLOYMENT.5.
#[test]
fn the_symlink_target_is_the_absolute_runtime_directory() {
    let world = World::demo(&[]);
    let deep = world.cwd.join("a/b");
    fs::create_dir_all(&deep).expect("directories");
    world.skc_at(&deep, &["build", "demo"]).success();
    assert_eq!(link(&claude(&world, "demo")), world.demo_runtime());
    assert!(world.demo_runtime().is_absolute());
}

/// C-DEPLOYMENT.7, F-36.
#[test]
fn an_existing_symlink_is_replaced_even_if_dangling() {
    let world = World::demo(&[]);
    let place = claude(&world, "demo");
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    let other = world.directory("other", &[]);
    let file = world.cwd.join("file");
    fs::write(&file, "kept").expect("a file");
    for target in [
        Path::new("/nowhere/at/all"),
        Path::new("../loop"),
        &other,
        &file,
        &place,
    ] {
        for options in [&["build", "demo"][..], &["build", "demo", "--copy"]] {
            if place
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_dir())
            {
                fs::remove_dir_all(&place).expect("removed");
            } else if place.is_symlink() {
                fs::remove_file(&place).expect("removed");
            }
            std::os::unix::fs::symlink(target, &place).expect("a link");
            world.skc_at(&world.cwd, options).success();
            assert_eq!(
                fs::read_to_string(place.join("SKILL.md")).ok(),
                Some(stub(&world))
            );
        }
    }
    assert!(
        other.join("SKILL.md").is_file(),
        "the symlink's old target stays"
    );
    assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("kept"));
}

/// C-DEPLOYMENT.7.
#[test]
fn the_report_names_every_deployed_path_and_its_method() {
    let world = World::demo(&[]);
    let built = world
        .skc(["build", "demo", "--copy", "--target", "cursor,codex"])
        .success();
    let (home, cwd) = (world.home.display(), world.cwd.display());
    let expected = format!(
        "Built demo (project)\n  \
           Source:  {cwd}/.skillc/skills/demo\n  \
           Runtime: {cwd}/.skillc/runtime/demo\n  \
           Deploy:  {home}/.cursor/skills/demo (copy)\n  \
           Deploy:  {home}/.codex/skills/demo (copy)\n"
    );
    assert_eq!(built.text(), expected);
}

/// C-DEPLOYMENT.8, D-DEPLOY-CONFLICT, F-02, ADR2.1.
#[test]
fn foreign_entries_are_not_replaced_without_force() {
    for options in [&["build", "demo"][..], &["build", "demo", "--copy"]] {
        let world = World::demo(&[]);
        let place = claude(&world, "demo");
        let hand = world.directory("hand", &[("notes/a.md", "mine\n")]);
        fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
        fs::rename(hand, &place).expect("moved");
        let before = snapshot(&world.home);
        let failed = world.skc_at(&world.cwd, options);
        failed.code("E999");
        let line = failed.stderr.lines().next().expect("a line");
        assert!(
            line.contains(place.to_str().expect("a plain path")),
            "{line}"
        );
        assert!(line.contains("--force"), "{line}");
        assert_eq!(snapshot(&world.home), before);

        // The build itself is complete, and `--force` deploys it.
        world.skc(["search", "demo", "hello"]).success();
        let forced: Vec<&str> = options.iter().copied().chain(["--force"]).collect();
        world.skc_at(&world.cwd, &forced).success();
        assert!(!place.join("notes").exists());
        assert_eq!(
            fs::read_to_string(place.join("SKILL.md")).ok(),
            Some(stub(&world))
        );
    }
}

/// C-DEPLOYMENT.8.
#[test]
fn a_foreign_file_is_not_replaced_without_force() {
    let world = World::demo(&[]);
    let place = claude(&world, "demo");
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    fs::write(&place, "mine").expect("a file");
    world.skc(["build", "demo"]).code("E999");
    assert_eq!(fs::read_to_string(&place).ok().as_deref(), Some("mine"));
    world.skc(["build", "demo", "-f"]).success();
    assert_eq!(link(&place), world.demo_runtime());
}

/// D-DEPLOY-CONFLICT.
#[test]
fn a_conflict_does_not_stop_deployment_to_other_targets() {
    let world = World::demo(&[]);
    world.directory("../home/.claude/skills/demo", &[]);
    world.directory("../home/.kiro/skills/demo", &[]);
    let failed = world.skc(["build", "demo", "--target", "codex,claude,kiro,cursor"]);
    failed.code("E999");
    for agent in [".codex", ".cursor"] {
        let place = world.home.join(agent).join("skills/demo");
        assert_eq!(link(&place), world.demo_runtime(), "{agent}");
        let deployed = failed
            .stderr
            .lines()
            .last()
            .expect("the completed steps are reported");
        assert!(
            deployed.contains(&place.display().to_string()),
            "{deployed}"
        );
    }
    for agent in [".claude", ".kiro"] {
        let conflict = format!("{agent}/skills/demo': a directory already exists");
        assert!(failed.stderr.contains(&conflict), "{failed:?}");
    }
}

/// G-PUBLISH.2, D-DEPLOY-CONFLICT.
#[test]
fn no_target_and_no_option_destroys_the_source_or_the_build() {
    for target in [
        ".skillc/runtime/",
        ".skillc/skills/",
        ".skillc/skills/demo/agents",
        ".skillc/runtime/demo/agents",
        ".skillc/../.skillc/skills",
        "linked/",
    ] {
        for options in [&["--force"][..], &["--force", "--copy"]] {
            let world = World::built(&[("a.md", "# A\n")]);
            std::os::unix::fs::symlink(".skillc/skills", world.cwd.join("linked")).expect("a link");
            let before = snapshot(&world.cwd);
            let args = ["build", "demo", "--target", target];
            let args: Vec<&str> = args.iter().chain(options).copied().collect();
            let failed = world.skc_at(&world.cwd, &args);
            failed.code("E999");
            assert_eq!(
                without_freshness(&world),
                without_freshness_of(before),
                "{target} {options:?}"
            );
            world.skc(["build", "demo"]).success();
        }
    }
}

/// G-PUBLISH.2, D-DEPLOY-CONFLICT.
#[test]
fn a_target_whose_entry_would_be_the_store_itself_is_refused() {
    for name in ["skills", "runtime"] {
        let world = World::project();
        world.project_skill(name, &[("SKILL.md", &named(name))]);
        world.skc(["build", name]).success();
        let before = without_freshness(&world);
        world
            .skc(["build", name, "--force", "--target", "./.skillc"])
            .code("E999");
        assert_eq!(without_freshness(&world), before);
    }
}

/// D-SYMLINKED-SKILL, D-DEPLOY-CONFLICT.
#[test]
fn a_symlinked_skill_in_a_store_is_not_replaced() {
    let world = World::project();
    let developed = world.directory("develop/tool", &[("SKILL.md", &named("tool"))]);
    let entry = world.cwd.join(".skillc/skills/tool");
    std::os::unix::fs::symlink(&developed, &entry).expect("a link");
    world.skc(["build", "tool"]).success();
    world
        .skc(["build", "tool", "--target", "./.skillc/skills"])
        .code("E999");
    world
        .skc(["build", "tool", "--target", "./develop", "--force"])
        .code("E999");
    assert_eq!(link(&entry), developed);
    assert!(developed.join("SKILL.md").is_file());
}

/// C-OUTPUT.3, G-PUBLISH.2.
#[test]
fn a_runtime_directory_symlinked_to_the_source_is_refused() {
    for runtime in [".skillc/runtime", ".skillc/runtime/demo"] {
        let world = World::demo(&[]);
        let (place, target) = match runtime {
            ".skillc/runtime" => (world.cwd.join(runtime), world.cwd.join(".skillc/skills")),
            _ => (world.cwd.join(runtime), world.demo_source()),
        };
        fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
        std::os::unix::fs::symlink(target, place).expect("a link");
        let before = snapshot(&world.demo_source());
        world.skc(["build", "demo"]).code("E999");
        assert_eq!(snapshot(&world.demo_source()), before);
    }
}

fn without_freshness(world: &World) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    without_freshness_of(snapshot(&world.cwd))
}

/// Returns a snapshot without the freshness table. The table contains file times, so a build may rewrite it.
fn without_freshness_of(
    all: std::collections::BTreeMap<PathBuf, Vec<u8>>,
) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let is_stamps = |path: &Path| path.to_string_lossy().contains("/stamps-");
    all.into_iter()
        .filter(|(path, _)| !is_stamps(path))
        .collect()
}
