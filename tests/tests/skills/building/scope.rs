//! Deployment scope of a project's stubs: the user's agent folders or the project's.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use skillc_tests::{World, snapshot, write_config};

use crate::building::support::{files_below, named, stub, write};

const PROJECT: &str = "[deploy]\nscope = \"project\"\n";

/// Creates a project with the skill `demo` whose stubs go to the project's own folders.
fn world() -> World {
    let world = World::demo(&[]);
    write_config(&world.cwd, PROJECT);
    world
}

fn place(world: &World) -> PathBuf {
    world.cwd.join(".claude/skills/demo")
}

/// The stub is a copy, because a symlink would lead to the runtime directory, which is not committed. The copy contains
/// no machine-specific path and no timestamp.
#[test]
fn project_scope_writes_a_committable_copy_into_the_project() {
    let world = world();
    let built = world.skc(["build", "demo"]).success();
    let line = format!("  Deploy:  {} (copy)\n", place(&world).display());
    assert!(built.text().ends_with(&line), "{built:?}");
    assert_eq!(built.stderr, "");
    let mut files = files_below(&place(&world));
    files.sort();
    assert_eq!(files, [".skillc-meta/manifest.json", "SKILL.md"]);
    assert_eq!(
        fs::read_to_string(place(&world).join("SKILL.md")).ok(),
        Some(stub(&world))
    );
    for file in files {
        let text = fs::read_to_string(place(&world).join(&file)).expect("a file");
        for other in [world.cwd.to_str().expect("a path"), "built_at", "2026"] {
            assert!(!text.contains(other), "{file}: {text}");
        }
    }
    assert!(!world.home.join(".claude").exists());
}

#[test]
fn the_option_overrides_the_setting_and_user_is_the_default() {
    let user = |world: &World| world.home.join(".claude/skills/demo").is_symlink();
    for (config, options, is_project) in [
        ("", &[][..], false),
        ("", &["--scope", "project"], true),
        ("", &["--scope", "repo"], true),
        (PROJECT, &["--scope", "user"], false),
        (PROJECT, &["--scope=global"], false),
        (PROJECT, &["-g"], false),
        ("[deploy]\nscope = \"user\"\n", &[], false),
    ] {
        let world = World::demo(&[]);
        write_config(&world.cwd, config);
        let args = [&["build", "demo"][..], options].concat();
        world.skc_at(&world.cwd, &args).success();
        assert_eq!(place(&world).is_dir(), is_project, "{config} {options:?}");
        assert_eq!(user(&world), !is_project, "{config} {options:?}");
    }
    let world = world();
    write_config(&world.home, "[deploy]\nscope = \"user\"\n");
    world.skc(["build", "demo"]).success();
    assert!(!user(&world), "the project's file takes precedence");
}

/// D24.
#[test]
fn only_a_trusted_project_deploys_to_the_user_if_the_user_selects_the_project() {
    for is_trusted in [false, true] {
        let world = World::demo(&[]);
        write_config(&world.cwd, "[deploy]\nscope = \"user\"\n");
        let trust = format!("[permissions]\ntrust_projects = [{:?}]\n", world.cwd);
        let trust = if is_trusted { trust } else { String::new() };
        write_config(&world.home, &format!("{PROJECT}{trust}"));
        world.skc(["build", "demo"]).success();
        assert_eq!(place(&world).is_dir(), !is_trusted);
        let of_user = world.home.join(".claude/skills/demo");
        assert_eq!(of_user.is_symlink(), is_trusted);
    }
}

#[test]
fn every_target_has_a_project_folder_and_directories_are_unchanged() {
    let world = world();
    let targets = "copilot,opencode,agents,codex,./other,~/mine";
    world.skc(["build", "demo", "-t", targets]).success();
    for dir in [".github", ".opencode", ".agents", ".codex"] {
        let place = world.cwd.join(dir).join("skills/demo");
        assert!(
            place.join("SKILL.md").is_file() && !place.is_symlink(),
            "{dir}"
        );
    }
    let other = world.cwd.join("other/demo");
    assert!(
        other.is_dir() && !other.is_symlink(),
        "it is in the project"
    );
    assert!(world.home.join("mine/demo").is_symlink());
}

#[test]
fn a_user_skill_is_deployed_to_the_user_regardless_of_the_project() {
    let world = world();
    world.global_skill("wide", &[("SKILL.md", &named("wide"))]);
    world.skc(["build", "wide"]).success();
    assert!(world.home.join(".claude/skills/wide").is_symlink());
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    world.skc(["build", "wide", "--scope", "project"]).error(
        "error[E100]: invalid option: '--scope project: \"wide\" does not belong to a project'",
    );
    world
        .skc(["build", "demo", "--scope", "project", "-g"])
        .error("error[E100]: invalid option: '--scope project cannot be used with --global'");
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
}

/// The setting of the skill's own project applies, wherever the command runs.
#[test]
fn a_skill_given_by_path_follows_the_setting_of_its_project() {
    let world = world();
    let source = world.demo_source();
    let source = source.to_str().expect("a path");
    let elsewhere = world.home.join("elsewhere");
    fs::create_dir_all(elsewhere.join(".skillc/skills")).expect("a project");
    world.skc_at(&elsewhere, &["build", source]).success();
    assert!(place(&world).join("SKILL.md").is_file());
    assert!(!elsewhere.join(".claude").exists() && !world.home.join(".claude").exists());
}

/// The stub works in a clone: its commands find the skill by name. A build in the clone makes the skill searchable and
/// leaves nothing to commit.
#[test]
fn a_fresh_clone_has_a_working_stub_and_a_build_does_not_change_it() {
    let world = world();
    write(&world, "guide.md", "# Guide\n\nzeppelin\n");
    fs::write(world.cwd.join(".skillc/.gitignore"), "/runtime/\n").expect("a file");
    world
        .skc(["build", "demo", "-t", "claude,agents"])
        .success();
    let clone = world.home.join("clone");
    let git = |dir: &Path, args: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(dir)
            .args(["-c", "user.name=x", "-c", "user.email=x@y"]);
        git.args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
    };
    let Ok(_) = git(&world.cwd, &["init", "-q"]) else {
        return;
    };
    for args in [&["add", "-A"][..], &["commit", "-qm", "x"]] {
        let run = git(&world.cwd, args).expect("git");
        assert!(run.status.success(), "{run:?}");
    }
    let to = clone.to_str().expect("a path");
    let run = git(&world.cwd, &["clone", "-q", ".", to]).expect("git");
    assert!(run.status.success(), "{run:?}");
    assert!(!clone.join(".skillc/runtime").exists());
    let text = fs::read_to_string(clone.join(".claude/skills/demo/SKILL.md")).expect("a stub");
    assert!(text.contains("skc outline demo"), "{text}");
    let outline = world.skc_at(&clone, &["outline", "demo"]).success();
    assert!(outline.text().contains("Guide"), "{outline:?}");

    world
        .skc_at(&clone, &["build", "--all", "-t", "claude,agents"])
        .success();
    let found = world
        .skc_at(&clone, &["search", "demo", "zeppelin"])
        .success();
    assert!(found.text().contains("guide.md"), "{found:?}");
    let status = git(&clone, &["status", "--porcelain"]).expect("git");
    assert_eq!(String::from_utf8_lossy(&status.stdout), "");
}

#[test]
fn our_own_copy_is_replaced_and_foreign_files_are_not() {
    let world = world();
    world.skc(["build", "demo"]).success();
    write(
        &world,
        "SKILL.md",
        &named("demo").replace("A skill.", "Newer."),
    );
    world.skc(["build", "demo"]).success();
    let file = place(&world).join("SKILL.md");
    assert!(fs::read_to_string(&file).is_ok_and(|text| text.contains("Newer.")));

    let edited = fs::read_to_string(&file).expect("a stub") + "\nMy own line.\n";
    fs::write(&file, &edited).expect("a file");
    let failed = world.skc(["build", "demo"]);
    failed.code("E999");
    assert!(
        failed.stderr.contains("an edited copy already exists"),
        "{failed:?}"
    );
    assert_eq!(fs::read_to_string(&file).ok(), Some(edited));
    world.skc(["build", "demo", "--force"]).success();

    fs::write(place(&world).join("notes.md"), "mine").expect("a file");
    world.skc(["build", "demo"]).code("E999");
    assert!(place(&world).join("notes.md").is_file());

    fs::remove_dir_all(place(&world)).expect("removed");
    let hand = named("demo");
    fs::create_dir_all(place(&world)).expect("a directory");
    fs::write(&file, &hand).expect("a file");
    world.skc(["build", "demo"]).code("E999");
    assert_eq!(fs::read_to_string(&file).ok(), Some(hand));
}

/// A cloned project must not be able to make skc write stubs outside the project.
#[test]
fn a_symlink_out_of_the_project_is_not_followed() {
    let world = world();
    let outside = world.home.join("outside");
    fs::create_dir_all(&outside).expect("a directory");
    std::os::unix::fs::symlink(&outside, world.cwd.join(".claude")).expect("a link");
    let failed = world.skc(["build", "demo", "--force"]);
    failed.code("E999");
    assert!(failed.stderr.contains("out of the project"), "{failed:?}");
    assert!(snapshot(&outside).is_empty());

    // A symlink inside the project is allowed.
    fs::remove_file(world.cwd.join(".claude")).expect("removed");
    fs::create_dir_all(world.cwd.join(".agents")).expect("a directory");
    std::os::unix::fs::symlink(".agents", world.cwd.join(".claude")).expect("a link");
    world.skc(["build", "demo"]).success();
    assert!(world.cwd.join(".agents/skills/demo/SKILL.md").is_file());
}

#[test]
fn an_invalid_scope_is_ignored_with_a_warning() {
    for (text, message) in [
        (
            "[deploy]\nscope = \"all\"\n",
            "deploy.scope: \"all\" is neither \"project\" nor \"user\"; ignored",
        ),
        (
            "[deploy]\nwhere = 1\n",
            "unknown key 'deploy.where'; ignored",
        ),
        ("deploy = 1\n", "'deploy' is not a table; ignored"),
    ] {
        let world = World::demo(&[]);
        write_config(&world.cwd, text);
        let built = world.skc(["build", "demo"]).success();
        assert!(built.stderr.contains(message), "{built:?}");
        assert!(world.home.join(".claude/skills/demo").is_symlink());
    }
}

/// The second build replaces the stub, and warns with the path of the source to which the replaced stub belonged.
#[test]
fn a_stub_of_another_project_is_replaced_with_a_warning() {
    let world = World::demo(&[]);
    world.directory("../other/.skillc/skills/demo", &[]);
    let other = world.cwd.with_file_name("other");
    let replaced = |run: &skillc_tests::Output, root: &Path| {
        let line = format!(
            "warning[W066]: replaced the stub of '{}/.skillc/skills/demo': '{}/.claude/skills/demo' now has this skill\n",
            root.display(),
            world.home.display()
        );
        run.stderr == line
    };
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
    let second = world.skc_at(&other, &["build", "demo"]).success();
    assert!(replaced(&second, &world.cwd), "{second:?}");
    let third = world.skc(["build", "demo", "--copy"]).success();
    assert!(replaced(&third, &other), "{third:?}");
}

/// Neither case needs a warning: the stub of a user-level build belongs to the same skill, and a dangling symlink is
/// useless.
#[test]
fn a_stub_of_the_same_skill_or_a_dangling_one_is_replaced_silently() {
    let world = World::demo(&[]);
    for options in [&["-g"][..], &[], &["-g"]] {
        let args = [&["build", "demo"][..], options].concat();
        assert_eq!(world.skc_at(&world.cwd, &args).success().stderr, "");
    }
    world.directory("../other/.skillc/skills/demo", &[]);
    let other = world.cwd.with_file_name("other");
    world.skc_at(&other, &["build", "demo"]).success();
    fs::remove_dir_all(&other).expect("removed");
    assert_eq!(world.skc(["build", "demo"]).success().stderr, "");
}

/// The existing stub may be a copy or a symlink, and so may the new one.
#[test]
fn a_copied_stub_of_another_project_is_replaced_with_a_warning_too() {
    let world = World::demo(&[]);
    world.directory("../other/.skillc/skills/demo", &[]);
    let other = world.cwd.with_file_name("other");
    let said = |root: &Path, options: &[&str]| {
        let args = [&["build", "demo"], options].concat();
        world.skc_at(root, &args).success().stderr
    };
    let is_replaced = |said: &str, root: &Path| {
        let begin = format!(
            "warning[W066]: replaced the stub of '{}/.skillc/skills/demo': ",
            root.display()
        );
        said.starts_with(&begin)
    };
    assert_eq!(said(&world.cwd, &["--copy"]), "");
    assert_eq!(said(&world.cwd, &["--copy"]), "");
    for options in [&["--copy"][..], &[]] {
        assert_eq!(said(&world.cwd, &["--copy", "-f"]), "", "{options:?}");
        let second = said(&other, options);
        assert!(is_replaced(&second, &world.cwd), "{second}");
        let back = said(&world.cwd, options);
        assert!(is_replaced(&back, &other), "{back}");
    }
    assert_eq!(said(&world.cwd, &["--copy"]), "");
    assert_eq!(said(&world.cwd, &["-g"]), "");
    assert_eq!(said(&world.cwd, &["--copy"]), "");
    fs::remove_dir_all(world.demo_source()).expect("removed");
    assert_eq!(said(&other, &[]), "", "the source is missing");
}
