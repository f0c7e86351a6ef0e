//! Builds killed or interrupted at any moment.
//!
//! Each moment is random, but the seed is fixed. The moments are within the measured duration of a build, or shortly
//! after its end.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use skillc_core::layout::TEMPORARY;
use skillc_tests::{World, snapshot};

use crate::building::support::{Dice, SKC, leftovers, named, sleep, stub, write};

/// A function that stops a process.
type Strike = fn(&mut Child);

/// C-DEPLOYMENT.10.
#[test]
fn readers_and_the_next_build_work_after_a_kill_at_any_moment() {
    stop_at_random_moments(50, kill);
}

/// C-DEPLOYMENT.10.
#[test]
fn readers_and_the_next_build_work_after_ctrl_c_at_any_moment() {
    stop_at_random_moments(25, interrupt);
}

/// Unlike a kill, SIGTERM leaves time to clean up.
#[test]
fn a_terminated_build_leaves_no_temporary_file() {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    for number in 0..400 {
        let text = format!(
            "# Part {number}\n\n{}\n",
            "some words of a text ".repeat(800)
        );
        write(&world, &format!("references/{number}.md"), &text);
    }
    let meta = world.demo_runtime().join(".skillc-meta");
    let is_writing = || {
        let entries = fs::read_dir(&meta).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).any(|name| {
            let name = name.to_string_lossy();
            name.starts_with(TEMPORARY)
        })
    };
    for signal in ["-INT", "-TERM"] {
        let mut child = start(&world, &["build", "demo"]);
        while !is_writing() {
            assert!(
                child.try_wait().expect("owned by this test").is_none(),
                "the process ended too soon"
            );
        }
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.expect("kill is installed").success());
        assert_eq!(
            child.wait().expect("the process exits").code(),
            Some(130),
            "{signal}"
        );
        assert!(!is_writing(), "{signal}");
        assert!(!world.demo_index().exists(), "{signal}");
    }
}

/// If a build is killed after it was recorded, but before its files are moved into place, the old files stay valid.
#[test]
fn a_build_killed_after_recording_leaves_the_earlier_one_valid() {
    let world = World::demo(&[
        ("SKILL.md", &named("demo")),
        ("a.md", "# Alpha\n\nold words\n"),
    ]);
    world.skc(["build", "demo"]).success();
    let (source, meta) = (
        world.demo_source(),
        world.demo_runtime().join(".skillc-meta"),
    );
    let (before, kept) = (snapshot(&source), world.directory("kept", &[]));
    let built = || {
        fs::read_dir(&meta)
            .expect("a directory")
            .flatten()
            .map(|entry| entry.file_name())
    };
    for name in built() {
        fs::hard_link(meta.join(&name), kept.join(&name)).expect("a second name");
    }
    write(&world, "a.md", "# Alpha\n\nnew words\n");
    world.skc(["build", "demo"]).success();
    let names: Vec<OsString> = built().collect();
    for name in names.iter().filter(|name| kept.join(name).exists()) {
        fs::rename(kept.join(name), meta.join(name)).expect("unchanged");
    }
    fs::write(source.join("a.md"), &before[&PathBuf::from("a.md")]).expect("unchanged");
    let found = world.skc(["search", "demo", "old", "-o", "json"]).success();
    assert_eq!(found.json()["results"][0]["file"], "a.md");
    assert!(world.skc(["list"]).success().text().contains("normal"));
}

/// F-04, D-IMPORT-CONFLICT.
#[test]
fn a_kill_during_an_import_leaves_the_old_or_the_new_skill_complete() {
    let world = World::project();
    let versions = ["v1", "v2"].map(|version| {
        let dir = world.directory(version, &[("SKILL.md", &named("tool"))]);
        for number in 0..60 {
            fs::write(
                dir.join(format!("{version}-{number}.md")),
                "# T\n".repeat(50),
            )
            .expect("a file");
        }
        snapshot(&dir)
    });
    world.skc(["build", "./v1"]).success();
    let stored = world.cwd.join(".skillc/skills/tool");
    let args = ["build", "./v2", "--force"];
    let duration = measure(&world, &args);
    let mut dice = Dice::new(3);
    for round in 0..20 {
        let from = ["./v1", "./v2"][round % 2];
        let mut child = start(&world, &["build", from, "--force"]);
        sleep(moment(&mut dice, duration));
        kill(&mut child);
        assert!(versions.contains(&snapshot(&stored)), "round {round}");
        let list = world.skc(["list", "-o", "json"]).success();
        assert_eq!(
            (list.json()["total"].as_u64(), list.stderr.as_str()),
            (Some(1), "")
        );
    }
    world.skc(["build", "./v2", "--force"]).success();
    assert_eq!(snapshot(&stored), versions[1]);
    assert_eq!(leftovers(&world.cwd), Vec::<PathBuf>::new());
}

fn stop_at_random_moments(times: usize, strike: Strike) {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    for number in 0..80 {
        let text = format!(
            "# Doc {number}\n\n{}\n",
            format!("common word{number} ").repeat(200)
        );
        write(&world, &format!("doc{number}.md"), &text);
    }
    world.skc(["build", "demo", "--copy"]).success();
    let mut state = State {
        world,
        round: 0,
        written: 0,
    };
    state.disturb();
    let duration = measure(&state.world, &["build", "demo", "--copy"]);
    let mut dice = Dice::new(1);
    for _ in 0..times {
        let is_as_before = state.disturb();
        let mut child = start(&state.world, &["build", "demo", "--copy"]);
        sleep(moment(&mut dice, duration));
        strike(&mut child);
        state.check(is_as_before);
        state.world.skc(["build", "demo", "--copy"]).success();
        assert_eq!(leftovers(&state.world.cwd), Vec::<PathBuf>::new());
        assert_eq!(leftovers(&state.world.home), Vec::<PathBuf>::new());
        state.check(true);
    }
}

/// A skill that changes from round to round.
struct State {
    world: World,
    round: usize,
    /// The round in which the requested file was last written.
    written: usize,
}

impl State {
    /// Changes the skill or its build output, so that the next build has work to do. Returns true if the skill's files
    /// still match the last build, which means that readers must answer.
    fn disturb(&mut self) -> bool {
        self.round += 1;
        match self.round % 3 {
            0 => {
                self.forget_outputs();
                return true;
            }
            1 => {}
            _ => self.rewrite_most_files(),
        }
        self.written = self.round;
        let intro = "intro\n\n".repeat(self.round % 5);
        let text = format!("{intro}# Zero\n\nround{} first\n", self.round);
        write(&self.world, "doc0.md", &text);
        false
    }

    /// Deletes outputs of the build, so that the next build recreates everything from unchanged files.
    fn forget_outputs(&self) {
        let runtime = self.world.demo_runtime();
        fs::remove_file(runtime.join("SKILL.md")).expect("removed");
        let meta = fs::read_dir(runtime.join(".skillc-meta")).expect("a directory");
        let is_stamps = |name: &OsStr| name.to_string_lossy().starts_with("stamps-");
        for entry in meta.flatten().filter(|entry| is_stamps(&entry.file_name())) {
            fs::remove_file(entry.path()).expect("removed");
        }
    }

    fn rewrite_most_files(&self) {
        for number in 1..60 {
            let text = format!("# Doc {number}\n\nagain {}\n", self.round);
            write(&self.world, &format!("doc{number}.md"), &text);
        }
    }

    /// Checks that readers answer from the current files, or with E002 where that is allowed.
    fn check(&self, must_answer: bool) {
        let word = format!("round{}", self.written);
        let shown = self.world.skc(["show", "demo", "--section", "Zero"]);
        let found = self.world.skc(["search", "demo", &word, "-o", "json"]);
        if must_answer || shown.ok {
            assert_eq!(shown.success().text(), format!("# Zero\n\n{word} first\n"));
        } else {
            shown.code("E002");
        }
        if must_answer || found.ok {
            assert_eq!(found.success().json()["results"][0]["file"], "doc0.md");
        } else {
            found.code("E002");
        }
        let place = self.world.home.join(".claude/skills/demo/SKILL.md");
        let deployed = fs::read_to_string(place).expect("the deployed stub always exists");
        assert!(deployed.starts_with("---\nname: demo\n") && deployed.contains("## Top Sections"));
        if self.world.demo_runtime().join("SKILL.md").is_file() {
            assert_eq!(stub(&self.world), deployed);
        }
    }
}

/// Returns the duration of a build.
fn measure(world: &World, args: &[&str]) -> Duration {
    let begun = Instant::now();
    assert!(start(world, args).wait().expect("the build ends").success());
    begun.elapsed()
}

/// Returns a random delay that ends during a build or shortly after it.
fn moment(dice: &mut Dice, duration: Duration) -> Duration {
    let us = u64::try_from(duration.as_micros()).expect("the duration is in range");
    Duration::from_micros(dice.below(us * 11 / 10))
}

fn start(world: &World, args: &[&str]) -> Child {
    let mut command = world.process(SKC, args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

fn kill(child: &mut Child) {
    child.kill().expect("owned by this test");
    child.wait().expect("the process exits");
}

fn interrupt(child: &mut Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    sent.expect("kill is installed");
    child.wait().expect("the process exits");
}
