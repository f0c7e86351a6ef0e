//! Deployment targets of a build.
#![cfg(unix)]

use std::fs;

use skillc_core::clients::{Clients, STANDARD};
use skillc_tests::{World, snapshot};

/// G-INTRO.6, G-INTRO.7, D-AGENT-DIR, C-DEPLOYMENT.3.
///
/// A target has a second folder if its client does not read the first folder in the home directory.
#[test]
fn every_known_target_has_its_own_directory_in_the_home_directory() {
    for (target, dirs) in [
        ("claude", &[".claude/skills"][..]),
        ("codex", &[".codex/skills"]),
        ("copilot", &[".github/skills", ".copilot/skills"]),
        ("cursor", &[".cursor/skills"]),
        ("gemini", &[".gemini/skills"]),
        ("kiro", &[".kiro/skills"]),
        ("opencode", &[".opencode/skills", ".config/opencode/skills"]),
        ("trae", &[".trae/skills"]),
    ] {
        let world = World::demo(&[]);
        let json = ["build", "demo", "--target", target, "-o", "json"];
        let built = world.skc(json).success().json();
        let deploys = built["deploys"].as_array().expect("a list");
        assert_eq!(deploys.len(), dirs.len(), "{target}");
        for (dir, deploy) in dirs.iter().zip(deploys) {
            let place = world.home.join(dir).join("demo");
            assert_eq!(
                fs::read_link(&place).ok(),
                Some(world.demo_runtime()),
                "{target}"
            );
            assert_eq!(deploy["target"], target);
            assert_eq!(deploy["path"], place.to_str().expect("a plain path"));
        }
        let entries = fs::read_dir(&world.home).expect("a directory").count();
        // The additional entry is `.skillc`.
        assert_eq!(entries, dirs.len() + 1, "{target}");
    }
}

/// `doctor` finds deployed stubs, since it searches the same folders as the client.
#[test]
fn a_stub_of_every_target_and_scope_is_found_by_doctor_in_its_client() {
    let clients = Clients::builtin();
    let short = clients.targets.iter().map(|target| &target.name);
    let programs = clients.clients.iter().filter(|client| client.is_program());
    for target in short.chain(programs.map(|client| &client.id)) {
        for scope in ["user", "project"] {
            let world = World::demo(&[]);
            let built = ["build", "demo", "--target", target, "--scope", scope];
            world.skc(built).success();
            let client = &clients.client(target).expect("a client").id;
            // The target of the standard has no client of its own. Codelia implements the standard.
            let client = if client == STANDARD {
                "codelia"
            } else {
                client
            };
            let doctor = ["doctor", "--client", client, "-o", "json"];
            let seen = world.skc(doctor).json();
            let view = &seen["clients"][0];
            let skills = view["skills"].as_array().expect("a list");
            let found: Vec<&str> = skills
                .iter()
                .filter_map(|skill| skill["path"].as_str())
                .collect();
            let base = if scope == "user" {
                &world.home
            } else {
                &world.cwd
            };
            let is_deployed = |path: &&str| path.starts_with(base.to_str().expect("a path"));
            assert!(found.iter().any(is_deployed), "{target} {scope}: {view}");
            assert!(skills.iter().all(|skill| skill["name"] == "demo"), "{view}");
        }
    }
}

/// G-TEST.2, C-DEPLOYMENT.4.
#[test]
fn targets_may_be_comma_separated_or_repeated_without_duplicates() {
    for (options, dirs) in [
        (
            &["--target", "claude,cursor,codex"][..],
            &[".claude", ".cursor", ".codex"][..],
        ),
        (&["-t", "codex", "-t", "cursor"], &[".codex", ".cursor"]),
        (&["-t", "codex,codex", "--target", "codex"], &[".codex"]),
        (&["-t", "codex, cursor,"], &[".codex", ".cursor"]),
        (&["-t", "codex,~/.codex/./skills/"], &[".codex"]),
    ] {
        let world = World::demo(&[]);
        let args: Vec<&str> = ["build", "demo"].iter().chain(options).copied().collect();
        let built = world.skc_at(&world.cwd, &args).success();
        let deployed = built
            .text()
            .lines()
            .filter(|line| line.starts_with("  Deploy:"));
        assert_eq!(deployed.count(), dirs.len(), "{options:?}");
        for dir in dirs {
            assert!(
                world.home.join(dir).join("skills/demo/SKILL.md").is_file(),
                "{dir}"
            );
        }
        assert_eq!(
            fs::read_dir(&world.home).expect("a directory").count(),
            dirs.len() + 1
        );
    }
}

/// D-TARGETS, ADR2.2, F-36.
#[test]
fn an_unknown_target_is_e100_before_anything_is_written() {
    let world = World::demo(&[]);
    world.directory("outside", &[]);
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    for skill in ["demo", "./outside"] {
        let failed = world.skc(["build", skill, "--target", "claude,nope"]);
        failed.error("error[E100]: invalid option: 'unknown target \"nope\"'");
    }
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
}

/// D-TARGETS, ADR2.2, C-FILES.2.
#[test]
fn targets_of_both_configuration_files_are_accepted() {
    let world = World::demo(&[]);
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    let global =
        "[targets]\nmine = \"~/agents/mine\"\nboth = \"~/global\"\ncodex = \"~/own-codex\"\n";
    fs::write(world.home.join(".skillc/config.toml"), global).expect("a file");
    let project = "[targets]\nours = \"agents\"\n";
    fs::write(world.cwd.join(".skillc/config.toml"), project).expect("a file");
    let built = world
        .skc(["build", "demo", "-t", "mine,both,codex,ours"])
        .success();
    assert_eq!(built.stderr, "");
    for dir in ["agents/mine", "global", "own-codex"] {
        assert!(world.home.join(dir).join("demo").is_symlink(), "{dir}");
    }
    assert!(world.cwd.join("agents/demo").is_symlink());
}

/// D-TARGETS.
#[test]
fn a_value_with_a_separator_or_a_leading_dot_or_tilde_is_a_directory() {
    let world = World::demo(&[]);
    let absolute = world.home.join("abs");
    let absolute = absolute.to_str().expect("a plain path");
    let targets = format!("./here,sub/dir,~/there,.dot,{absolute}");
    world.skc(["build", "demo", "--target", &targets]).success();
    let (cwd, home) = (&world.cwd, &world.home);
    for dir in [
        cwd.join("here"),
        cwd.join("sub/dir"),
        home.join("there"),
        cwd.join(".dot"),
        home.join("abs"),
    ] {
        assert_eq!(
            fs::read_link(dir.join("demo")).ok(),
            Some(world.demo_runtime())
        );
    }
}
