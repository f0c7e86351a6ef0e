//! `skc remove` and `skc clean`: only build output is removed.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use skillc_core::context::Asker;
use skillc_tests::{Output, World, run_in, snapshot, snapshot_with_logs, write_config};

use crate::building::support::{Dice, SKC, leftovers, named, sleep};

fn claude(world: &World, name: &str) -> PathBuf {
    world.home.join(".claude/skills").join(name)
}

fn is_present(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn hand_written(place: &Path) {
    fs::create_dir_all(place).expect("a directory");
    fs::write(place.join("SKILL.md"), named("demo")).expect("a file");
}

#[test]
fn remove_deletes_build_and_deployments_and_keeps_the_source() {
    let world = World::demo(&[]);
    let source = snapshot(&world.demo_source());
    let targets = ["build", "demo", "-t", "claude,copilot,opencode,cursor"];
    world.skc(targets).success();
    world.skc(["build", "demo", "--scope", "project"]).success();
    world
        .skc(["build", "demo", "--copy", "-t", "kiro"])
        .success();
    let run = world.skc(["remove", "demo"]).success();
    let (home, cwd) = (world.home.display(), world.cwd.display());
    for line in [
        "Removed demo (project)".to_owned(),
        format!("  {cwd}/.claude/skills/demo (copy)"),
        format!("  {home}/.claude/skills/demo (link)"),
        format!("  {home}/.github/skills/demo (link)"),
        format!("  {home}/.copilot/skills/demo (link)"),
        format!("  {home}/.config/opencode/skills/demo (link)"),
        format!("  {home}/.kiro/skills/demo (copy)"),
        format!("  {cwd}/.skillc/runtime/demo (runtime)"),
        format!(
            "  Kept: {cwd}/.skillc/runtime/demo/.skillc-meta/logs.db (usage log; use --logs to delete it)"
        ),
    ] {
        assert!(
            run.text().lines().any(|found| found == line),
            "{line}: {run:?}"
        );
    }
    assert_eq!(snapshot(&world.demo_source()), source);
    let left: Vec<PathBuf> = snapshot_with_logs(&world.home).into_keys().collect();
    assert!(left.iter().all(|path| !path.ends_with("demo")), "{left:?}");
    assert!(world.demo_runtime().join(".skillc-meta/logs.db").is_file());
    assert!(!world.demo_runtime().join("SKILL.md").exists());

    // Running the command again removes nothing, and a build restores everything.
    let again = world.skc(["remove", "demo"]).success();
    assert!(
        again
            .text()
            .starts_with("Nothing to remove for demo (project)\n"),
        "{again:?}"
    );
    world.skc(["remove", "demo", "--logs"]).success();
    assert!(!world.demo_runtime().exists());
    world.skc(["build", "demo"]).success();
    assert!(claude(&world, "demo").join("SKILL.md").is_file());
}

#[test]
fn foreign_files_and_symlinks_to_elsewhere_are_kept() {
    let world = World::built(&[]);
    world.directory("../other/.skillc/skills/demo", &[]);
    let other = world.cwd.with_file_name("other");
    world
        .skc_at(&other, &["build", "demo", "-t", "codex"])
        .success();
    world
        .skc_at(&other, &["build", "demo", "--copy", "-t", "kiro"])
        .success();
    fs::write(world.home.join(".kiro/skills/demo/notes.md"), "mine").expect("a file");
    hand_written(&world.home.join(".cursor/skills/demo"));
    hand_written(&world.cwd.join(".agents/skills/demo"));
    fs::create_dir_all(world.home.join(".trae/skills")).expect("a directory");
    symlink(&other, world.home.join(".trae/skills/demo")).expect("a link");
    let before: Vec<_> = [".codex", ".kiro", ".cursor", ".trae"]
        .map(|dir| snapshot(&world.home.join(dir)))
        .into();
    let run = world.skc(["remove", "demo"]).success();
    assert!(!is_present(&claude(&world, "demo")));
    let after: Vec<_> = [".codex", ".kiro", ".cursor", ".trae"]
        .map(|dir| snapshot(&world.home.join(dir)))
        .into();
    assert_eq!(before, after);
    assert!(world.cwd.join(".agents/skills/demo/SKILL.md").is_file());
    for reason in [
        format!("(belongs to '{}/.skillc/skills/demo')", other.display()),
        "(an edited copy)".to_owned(),
        "(a directory not created by skc)".to_owned(),
        "(a link not created by skc)".to_owned(),
    ] {
        assert!(run.text().contains(&reason), "{reason}: {run:?}");
    }
}

#[test]
fn a_dry_run_lists_everything_and_changes_nothing() {
    let world = World::built(&[]);
    let before = (
        snapshot_with_logs(&world.cwd),
        snapshot_with_logs(&world.home),
    );
    let run = world
        .skc(["remove", "demo", "--source", "--dry-run"])
        .success();
    assert!(
        run.text().starts_with("Would remove demo (project)\n"),
        "{run:?}"
    );
    for kind in ["(link)", "(runtime)", "(source)"] {
        assert!(run.text().contains(kind), "{run:?}");
    }
    let clean = world.skc(["clean", "--dry-run"]).success();
    assert_eq!(clean.text(), "Nothing to clean.\n");
    assert_eq!(
        (
            snapshot_with_logs(&world.cwd),
            snapshot_with_logs(&world.home)
        ),
        before
    );
}

/// A fake user: gives the same answer to every question, and records the questions.
struct FakeUser(bool, Mutex<Vec<String>>);

impl Asker for FakeUser {
    fn confirm(&self, question: &str) -> Option<bool> {
        self.1.lock().expect("one thread").push(question.to_owned());
        Some(self.0)
    }
}

fn answered(world: &World, answer: bool) -> (Output, Vec<String>) {
    let person = Arc::new(FakeUser(answer, Mutex::default()));
    let mut context = world.context_at(&world.cwd);
    context.asker = person.clone();
    let output = run_in(context, &["remove", "demo", "--source"]);
    let questions = person.1.lock().expect("one thread").clone();
    (output, questions)
}

#[test]
fn a_source_is_deleted_only_after_confirmation() {
    let world = World::built(&[]);
    let before = (snapshot(&world.cwd), snapshot(&world.home));
    let run = world.skc(["remove", "demo", "--source"]);
    run.error(
        "error[E100]: invalid option: '--source requires --yes in a non-interactive session'",
    );
    let (run, questions) = answered(&world, false);
    assert_eq!(run.success().text(), "Nothing was removed.\n");
    let question = format!("Delete the source '{}'?", world.demo_source().display());
    assert_eq!(questions, std::slice::from_ref(&question));
    assert_eq!((snapshot(&world.cwd), snapshot(&world.home)), before);
    let (run, questions) = answered(&world, true);
    run.success();
    assert_eq!(questions, [question]);
    assert!(!world.demo_source().exists() && !is_present(&claude(&world, "demo")));

    let world = World::built(&[]);
    world
        .skc(["remove", "demo", "--source", "--yes", "--logs"])
        .success();
    assert!(!world.demo_source().exists() && !world.demo_runtime().exists());
    world
        .skc(["remove", "demo"])
        .error("error[E001]: skill 'demo' not found");
}

/// A store entry that is a symlink to a skill is removed; its target, the user's own folder, is kept.
#[test]
fn a_symlinked_source_is_removed_without_its_target() {
    let world = World::project();
    let developed = world.directory("develop/demo", &[]);
    symlink(&developed, world.demo_source()).expect("a link");
    world.skc(["build", "demo"]).success();
    world.skc(["remove", "demo", "--source", "--yes"]).success();
    assert!(!is_present(&world.demo_source()) && developed.join("SKILL.md").is_file());
}

#[test]
fn a_skill_without_its_source_is_removed_by_name() {
    let world = World::built(&[]);
    fs::remove_dir_all(world.demo_source()).expect("removed");
    world.skc(["remove", "demo"]).success();
    assert!(!is_present(&claude(&world, "demo")));
    // The skill is also removed if only the symlink is left.
    let world = World::built(&[]);
    fs::remove_dir_all(world.demo_source()).expect("removed");
    fs::remove_dir_all(world.demo_runtime()).expect("removed");
    world.skc(["remove", "demo"]).success();
    assert!(!is_present(&claude(&world, "demo")));
}

#[test]
fn of_two_skills_with_one_name_scope_selects_the_one_to_remove() {
    let world = World::built(&[]);
    let global = world.global_skill("demo", &[]);
    let by_path = global.to_str().expect("a path");
    world.skc(["build", by_path, "-t", "codex"]).success();
    let place = world.home.join(".codex/skills/demo");
    world.skc(["remove", "demo"]).success();
    assert!(!is_present(&claude(&world, "demo")) && place.join("SKILL.md").is_file());
    world.skc(["remove", "demo", "-g"]).success();
    assert!(!is_present(&place) && global.is_dir());
    assert!(!world.home.join(".skillc/runtime/demo/SKILL.md").exists());

    // A build of a project's skill belongs to the project, even if the build is at user level.
    let world = World::demo(&[]);
    world.skc(["build", "demo", "-g"]).success();
    world.skc(["remove", "demo"]).success();
    assert!(!is_present(&claude(&world, "demo")));
    assert!(!world.home.join(".skillc/runtime/demo/SKILL.md").exists());
}

#[test]
fn several_are_removed_and_a_failure_is_reported() {
    let world = World::project();
    for name in ["a", "b"] {
        world.project_skill(name, &[("SKILL.md", &named(name))]);
    }
    world.skc(["build", "--all"]).success();
    let run = world.skc(["remove", "a", "nope", "b"]);
    assert!(!run.ok);
    let failure = "nope: error[E001]: skill 'nope' not found";
    assert_eq!(run.stderr.lines().next(), Some(failure));
    assert!(!is_present(&claude(&world, "a")) && !is_present(&claude(&world, "b")));
    for name in ["..", "", "../x", "a/../../x"] {
        world.skc(["remove", name]).code("E001");
    }
}

#[test]
fn a_custom_target_folder_is_searched_if_named() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "-t", "~/agents/own"]).success();
    let place = world.home.join("agents/own/demo");
    world.skc(["remove", "demo"]).success();
    assert!(is_present(&place));
    world
        .skc(["remove", "demo", "-t", "~/agents/own"])
        .success();
    assert!(!is_present(&place));
}

/// The folders of the other project are searched as well.
#[test]
fn a_skill_of_another_project_is_removed_by_path_with_its_committed_stub() {
    let world = World::demo(&[]);
    write_config(&world.cwd, "[deploy]\nscope = \"project\"\n");
    world.skc(["build", "demo"]).success();
    let place = world.cwd.join(".claude/skills/demo");
    assert!(is_present(&place));
    let source = world.demo_source();
    let run = world.skc_at(&world.home, &["remove", source.to_str().expect("a path")]);
    let line = format!("  {} (copy)", place.display());
    let run = run.success();
    assert!(run.text().lines().any(|found| found == line), "{run:?}");
    assert!(!is_present(&place) && source.is_dir());
}

/// From any directory, a stub can be given by its name or by its path, and the stub identifies the build.
#[test]
fn a_skill_is_removed_from_anywhere_by_its_stub() {
    let world = World::demo(&[]);
    let place = claude(&world, "demo");
    let elsewhere = world.home.join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a directory");
    let by_path = place.to_str().expect("a path").to_owned();
    for (asked, options) in [
        ("demo", &[][..]),
        ("demo", &["--copy", "--force"]),
        (&by_path, &[]),
        (&by_path, &["--copy", "--force"]),
    ] {
        let args = [&["build", "demo"], options].concat();
        world.skc_at(&world.cwd, &args).success();
        let refused = world.skc_at(&elsewhere, &["remove", asked, "--source", "--yes"]);
        refused.code("E100");
        let hint = format!("skc remove {} --source", world.demo_source().display());
        assert!(refused.stderr.contains(&hint), "{refused:?}");
        assert!(is_present(&place) && world.demo_runtime().join("SKILL.md").is_file());
        let run = world.skc_at(&elsewhere, &["remove", asked]).success();
        let head = "Removed demo (project)\n";
        assert!(run.text().starts_with(head), "{asked} {options:?}: {run:?}");
        assert!(!is_present(&place) && !world.demo_runtime().join("SKILL.md").exists());
        assert!(world.demo_source().is_dir());
    }
    let again = world.skc_at(&elsewhere, &["remove", "demo"]);
    again.error("error[E001]: skill 'demo' not found");
}

#[test]
fn a_stub_without_its_source_is_removed_from_anywhere() {
    let world = World::built(&[]);
    fs::remove_dir_all(world.demo_source()).expect("removed");
    world
        .skc_at(&world.home, &["remove", "demo", "-g"])
        .code("E001");
    world.skc_at(&world.home, &["remove", "demo"]).success();
    assert!(!is_present(&claude(&world, "demo")));
    assert!(!world.demo_runtime().join("SKILL.md").exists());
}

/// A skill built in place outside any project has its build in the user's store.
#[test]
fn a_build_in_place_is_removed_from_anywhere_and_its_source_stays() {
    let world = World::project();
    let draft = world.directory("../home/dev/demo", &[("SKILL.md", &named("demo"))]);
    let path = fs::canonicalize(&draft).expect("exists");
    let path = path.to_str().expect("a path").to_owned();
    let place = claude(&world, "demo");
    let elsewhere = world.home.join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a directory");
    for asked in ["demo", &path, place.to_str().expect("a path")] {
        for copy in [&[][..], &["--copy", "-f"]] {
            let build = ["build", &path, "--in-place", "-t", "claude"];
            let args = [&build[..], copy].concat();
            world.skc_at(&world.cwd, &args).success();
            let args = ["remove", asked, "--source", "--yes"];
            let run = world.skc_at(&elsewhere, &args).success();
            assert!(!is_present(&place) && draft.is_dir(), "{asked}: {run:?}");
            assert!(!world.home.join(".skillc/runtime/demo/SKILL.md").exists());
            let kept = "dev/demo (its source is outside the stores; delete it manually)";
            assert!(run.text().contains(kept), "{asked}: {run:?}");
        }
    }
}

/// A symlink from a cloned repository may point to any project's build, so only the user's own links are followed.
#[test]
fn a_dangling_symlink_in_a_repository_does_not_affect_other_projects() {
    let world = World::built(&[]);
    fs::remove_dir_all(world.demo_source()).expect("removed");
    fs::remove_file(claude(&world, "demo")).expect("removed");
    let other = world.home.join("other");
    fs::create_dir_all(other.join(".claude/skills")).expect("directories");
    fs::create_dir(other.join(".git")).expect("a directory");
    symlink(world.demo_runtime(), other.join(".claude/skills/demo")).expect("a link");
    let before = snapshot(&world.cwd);
    world.skc_at(&other, &["remove", "demo"]).code("E001");
    assert_eq!(snapshot(&world.cwd), before);
}

/// A copy records its source, so it is recognised even after later builds. An edited copy is kept.
#[test]
fn a_copy_of_an_earlier_build_is_removed() {
    let world = World::demo(&[]);
    let codex = world.home.join(".codex/skills/demo");
    for is_edited in [false, true] {
        let copy = ["build", "demo", "--copy", "-f", "-t", "claude,codex"];
        world.skc(copy).success();
        if is_edited {
            fs::write(codex.join("notes.md"), "mine").expect("a file");
        }
        let newer = format!("{}\n## Newer {is_edited}\n", named("demo"));
        fs::write(world.demo_source().join("SKILL.md"), newer).expect("a file");
        world.skc(["build", "demo", "-t", "claude"]).success();
        world.skc(["remove", "demo"]).success();
        assert_eq!(is_present(&codex), is_edited);
        assert!(!is_present(&claude(&world, "demo")));
    }
}

/// A cloned project cannot cause the deletion of files outside the project.
#[test]
fn a_runtime_symlink_out_of_the_project_is_not_followed() {
    for link in [
        ".skillc/runtime",
        ".skillc/runtime/demo",
        ".skillc/runtime/demo/.skillc-meta",
    ] {
        let world = World::demo(&[]);
        let outside = world.home.join("outside");
        for path in [
            "demo/SKILL.md",
            "demo/.skillc-meta/manifest.json",
            "SKILL.md",
            "manifest.json",
            "x.md",
        ] {
            fs::create_dir_all(outside.join(path).parent().expect("a parent"))
                .expect("directories");
            fs::write(outside.join(path), "mine").expect("a file");
        }
        let place = world.cwd.join(link);
        fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
        symlink(&outside, &place).expect("a link");
        let before = snapshot(&outside);
        world.skc(["remove", "demo", "--logs"]);
        world.skc(["clean", "--logs"]);
        assert_eq!(snapshot(&outside), before, "{link}");
    }
}

/// If a removal is killed just before its end, it leaves empty directories behind.
#[test]
fn empty_directories_of_a_killed_removal_are_removed() {
    let world = World::project();
    for (command, left) in [
        (&["remove", "demo"][..], ".skillc-meta"),
        (&["remove", "demo"], ""),
        (&["clean"], ".skillc-meta"),
    ] {
        fs::create_dir_all(world.demo_runtime().join(left)).expect("directories");
        world.skc_at(&world.cwd, command).success();
        assert!(!is_present(&world.demo_runtime()), "{command:?} {left}");
    }
}

/// After a kill at any moment, rerunning the command finishes the removal; in the meantime, no source is partially
/// deleted.
#[test]
fn a_removal_killed_at_any_moment_can_be_resumed() {
    let world = World::project();
    let files: Vec<(String, String)> = (0..80)
        .map(|number| (format!("doc{number}.md"), "# T\n\ntext\n".repeat(50)))
        .collect();
    let source = world.demo_source();
    let make = || {
        world.project_skill("demo", &[]);
        for (name, text) in &files {
            fs::write(source.join(name), text).expect("a file");
        }
        world
            .skc(["build", "demo", "-t", "claude,copilot,codex"])
            .success();
        world
            .skc(["build", "demo", "--scope", "project", "-t", "claude,agents"])
            .success();
        snapshot(&source)
    };
    let remove = || {
        let args = ["remove", "demo", "--source", "--yes", "--logs"];
        let mut process = world.process(SKC, &args);
        process.stdout(Stdio::null()).stderr(Stdio::null());
        process.spawn().expect("the program starts")
    };
    make();
    let begun = Instant::now();
    assert!(remove().wait().expect("the process exits").success());
    let whole = begun.elapsed();
    let mut dice = Dice::new(7);
    for round in 0..20 {
        let built = make();
        let mut child = remove();
        sleep(whole.mul_f64(f64::from(u32::try_from(dice.below(110)).expect("small")) / 100.0));
        child.kill().expect("killed");
        child.wait().expect("the process exited");
        let left = snapshot(&source);
        assert!(left.is_empty() || left == built, "round {round}");
        let again = world.skc(["remove", "demo", "--source", "--yes", "--logs"]);
        assert!(again.ok || again.stderr.contains("E001"), "{again:?}");
        for root in [&world.cwd, &world.home] {
            assert_eq!(leftovers(root), Vec::<PathBuf>::new(), "round {round}");
            let all: Vec<PathBuf> = snapshot_with_logs(root).into_keys().collect();
            assert!(
                all.iter().all(|path| !path.ends_with("demo")),
                "round {round}: {all:?}"
            );
        }
    }
}

#[test]
fn clean_removes_orphaned_builds_dangling_symlinks_and_leftovers() {
    let world = World::project();
    for name in ["gone", "kept"] {
        world.project_skill(name, &[("SKILL.md", &named(name))]);
        world.skc(["build", name]).success();
        world.skc(["build", name, "--scope", "project"]).success();
    }
    fs::remove_dir_all(world.cwd.join(".skillc/skills/gone")).expect("removed");
    symlink("/nowhere/.skillc/runtime/old", claude(&world, "old")).expect("a link");
    symlink("/nowhere/else", claude(&world, "foreign")).expect("a link");
    hand_written(&claude(&world, "hand"));
    let runtimes = world.cwd.join(".skillc/runtime");
    fs::write(runtimes.join("kept/.skc-tmp-SKILL.md"), "x").expect("a file");
    fs::create_dir_all(claude(&world, ".skc-tmp-old-x")).expect("a directory");
    fs::create_dir_all(world.cwd.join(".skillc/skills/.skc-tmp-new-x")).expect("a directory");
    let dry = world
        .skc(["clean", "--dry-run", "-o", "json"])
        .success()
        .json();
    assert!(is_present(&runtimes.join("gone/SKILL.md")));
    let run = world.skc(["clean", "-o", "json"]).success().json();
    assert_eq!(dry["removed"], run["removed"]);
    assert_eq!(run["removed"].as_array().map(Vec::len), Some(7), "{run}");
    assert!(!is_present(&claude(&world, "gone")) && !is_present(&claude(&world, "old")));
    assert!(!is_present(&world.cwd.join(".claude/skills/gone")));
    assert!(!runtimes.join("gone/SKILL.md").exists());
    assert!(
        runtimes.join("gone/.skillc-meta/logs.db").is_file(),
        "{run}"
    );
    for root in [&world.cwd, &world.home] {
        assert_eq!(leftovers(root), Vec::<PathBuf>::new());
    }
    assert!(claude(&world, "kept").join("SKILL.md").is_file());
    assert!(world.cwd.join(".claude/skills/kept/SKILL.md").is_file());
    assert!(is_present(&claude(&world, "foreign")) && is_present(&claude(&world, "hand")));
    assert_eq!(world.skc(["clean"]).success().text(), "Nothing to clean.\n");
    world.skc(["clean", "--logs"]).success();
    assert!(
        !runtimes.join("gone").exists() && runtimes.join("kept/.skillc-meta/logs.db").is_file()
    );
}

/// The user's store also contains builds of project skills, whose sources are not in that store.
#[test]
fn clean_keeps_builds_of_project_skills_in_the_users_store() {
    let world = World::demo(&[]);
    world.skc(["build", "demo", "-g"]).success();
    let runtime = world.home.join(".skillc/runtime/demo/SKILL.md");
    let elsewhere = world.home.join("elsewhere");
    fs::create_dir(&elsewhere).expect("a directory");
    assert_eq!(
        world.skc_at(&elsewhere, &["clean"]).success().text(),
        "Nothing to clean.\n"
    );
    assert!(runtime.is_file());
    fs::remove_dir_all(world.demo_source()).expect("removed");
    world.skc_at(&elsewhere, &["clean"]).success();
    assert!(!runtime.exists() && !is_present(&claude(&world, "demo")));
}

#[test]
fn an_edited_copy_of_a_removed_skill_is_kept_and_reported() {
    let world = World::demo(&[]);
    write_config(&world.cwd, "[deploy]\nscope = \"project\"\n");
    world.skc(["build", "demo"]).success();
    fs::remove_dir_all(world.demo_source()).expect("removed");
    let stub = world.cwd.join(".claude/skills/demo/SKILL.md");
    fs::write(&stub, "mine").expect("a file");
    let run = world.skc(["clean"]).success();
    assert!(run.text().contains("edited copy"), "{run:?}");
    assert_eq!(fs::read_to_string(stub).ok().as_deref(), Some("mine"));
}

/// A folder in a repository may have control characters in its name. These characters must not erase the question on
/// the terminal.
#[cfg(unix)]
#[test]
fn the_question_has_no_control_characters() {
    let mut world = World::new();
    world.cwd.push("sub\u{1b}[2K\r");
    world.project_skill("demo", &[]);
    let (_, questions) = answered(&world, false);
    assert_eq!(questions.len(), 1);
    assert!(!questions[0].contains(char::is_control), "{questions:?}");
}
