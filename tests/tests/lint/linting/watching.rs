//! `--watch` lints again after every edit. The tests run the command in a separate process, and end it with a signal.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use skillc_tests::World;
use skillc_tests::watching::{PATIENCE, Watching};

use crate::linting::support::{DEEP, NAMELESS};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

#[test]
fn edits_new_skills_and_configuration_trigger_runs_until_ctrl_c() {
    let world = World::new();
    world.directory("skills/deep", &[("SKILL.md", DEEP)]);
    let watching = Watching::start(PROGRAM, &world, &["skills"]);
    watching.finds("SKL205");
    watching.says("0 errors, 1 warning");
    world.directory("skills/deep", &[("SKILL.md", &DEEP.replace("###", "##"))]);
    watching.says("--------");
    watching.says("0 errors, 0 warnings");
    world.directory("skills/new", &[("SKILL.md", NAMELESS)]);
    watching.finds("SKL101");
    watching.says("2 skills: 1 error, ");
    // A configuration fault is shown, and disappears once fixed.
    fs::write(world.cwd.join(".skilllint.toml"), "rulse = 3\n").unwrap();
    watching.says("unknown key \"rulse\"");
    fs::write(
        world.cwd.join(".skilllint.toml"),
        "[rules]\nSKL101 = \"off\"\n",
    )
    .unwrap();
    watching.says("2 skills: 0 errors, ");
    world.directory("skills/new", &[("SKILL.md", "# None\n")]);
    watching.finds("SKL100");
    watching.says("2 skills: 1 error, ");
    assert_eq!(watching.interrupt(), Some(1));
}

#[test]
fn files_written_by_fixes_do_not_trigger_a_run() {
    let world = World::new();
    world.directory("deep", &[("SKILL.md", DEEP)]);
    let watching = Watching::start(PROGRAM, &world, &["deep", "--fix", "--unsafe-fixes"]);
    watching.says("Fixed 1 finding in 1 file.");
    // The fix itself starts no run; only the next edit does.
    let text = fs::read_to_string(world.cwd.join("deep/SKILL.md")).unwrap();
    assert_ne!(text, DEEP);
    let quiet = watching.out.recv_timeout(Duration::from_secs(1));
    assert!(quiet.is_err(), "{quiet:?}");
    world.directory("deep", &[("SKILL.md", DEEP)]);
    watching.says("Fixed 1 finding in 1 file.");
    assert_eq!(watching.interrupt(), Some(0));
}

/// Asserts that no further run starts within a second.
#[track_caller]
fn stays_quiet(watching: &Watching) {
    let line = watching.err.recv_timeout(Duration::from_secs(1));
    assert!(line.is_err(), "{line:?}");
}

#[test]
fn files_written_by_skc_do_not_trigger_a_run() {
    let world = World::new();
    world.directory("skills/deep", &[("SKILL.md", DEEP), ("data.csv", "1")]);
    let log = world.cwd.join("skills/deep/out.md");
    let out = fs::File::create(&log).unwrap();
    let command = world.process(PROGRAM, &["lint", "--watch", "-o", "concise", "skills"]);
    let watching = Watching::new(command, out.into());
    watching.says("1 fixable with --fix");
    fs::write(world.cwd.join("skills/build.log"), "x").unwrap();
    fs::write(world.cwd.join("skills/deep/data.csv"), "2").unwrap();
    stays_quiet(&watching);
    fs::write(world.cwd.join("skills/deep/new.csv"), "x").unwrap();
    watching.says("1 skill: ");
    assert!(watching.interrupt().is_some());
}

#[test]
fn a_removed_and_restored_skill_is_linted_again() {
    for asked in ["demo", "./demo", "demo/SKILL.md"] {
        let world = World::new();
        world.directory("demo", &[("SKILL.md", DEEP)]);
        let watching = Watching::start(PROGRAM, &world, &[asked]);
        watching.finds("SKL205");
        fs::rename(world.cwd.join("demo"), world.cwd.join("away")).unwrap();
        watching.says("E0");
        fs::rename(world.cwd.join("away"), world.cwd.join("demo")).unwrap();
        watching.finds("SKL205");
        assert_eq!(watching.interrupt(), Some(0), "{asked}");
    }
}

#[test]
fn only_errors_that_no_edit_can_fix_end_the_watch() {
    let world = World::new();
    world.directory("demo", &[("SKILL.md", DEEP)]);
    for args in [
        &["nowhere"][..],
        &["demo", "--select", "NONE9"],
        &["demo", "--changed-since", "HEAD"],
        &["demo", "-o", "sarif"],
        &["demo", "-o", "gitlab"],
        &["demo", "-o", "junit"],
    ] {
        let args = [&["lint", "--watch"], args].concat();
        let mut command = world.process("timeout", &[&["30", PROGRAM], &args[..]].concat());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        let output = command
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
    }
    fs::write(world.cwd.join("more.toml"), "rulse = 3\n").unwrap();
    fs::write(
        world.cwd.join(".skilllint.toml"),
        "extends = \"more.toml\"\n",
    )
    .unwrap();
    let watching = Watching::start(PROGRAM, &world, &["demo"]);
    watching.says("unknown key \"rulse\"");
    fs::write(world.cwd.join("more.toml"), "").unwrap();
    watching.finds("SKL205");
    assert_eq!(watching.interrupt(), Some(0));
}

#[test]
fn as_json_each_run_is_a_line() {
    let world = World::new();
    world.directory("demo", &[("SKILL.md", DEEP)]);
    let command = world.process(PROGRAM, &["lint", "--watch", "-o", "json", "demo"]);
    let watching = Watching::new(command, Stdio::piped());
    for text in [NAMELESS, DEEP] {
        let line = watching.out.recv_timeout(PATIENCE).expect("a line");
        let found: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert!(found["diagnostics"].is_array(), "{line}");
        world.directory("demo", &[("SKILL.md", text)]);
    }
    assert!(watching.interrupt().is_some());
}

#[test]
fn a_second_ctrl_c_kills_a_hanging_run() {
    let world = World::new();
    let many = (0..3000).fold(DEEP.to_owned(), |text, _| text + "\n# A\n\n### B\n");
    world.directory("demo", &[("SKILL.md", &many)]);
    let mut command = world.process(PROGRAM, &["lint", "--watch", "-o", "concise", "demo"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    // Nothing reads the output: the program blocks once the pipe is full.
    let begun = std::time::Instant::now();
    let mut status = None;
    thread::sleep(Duration::from_secs(2));
    while status.is_none() && begun.elapsed() < PATIENCE {
        let id = child.id().to_string();
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill is installed");
        thread::sleep(Duration::from_millis(200));
        status = child.try_wait().expect("a status");
    }
    child.kill().unwrap_or_default();
    child.wait().expect("it has exited");
    assert_eq!(status.and_then(|status| status.code()), Some(130));
}
