//! A build that is killed or interrupted at any moment.
//!
//! The moments come from a fixed seed and the measured duration of a build, a little beyond its end included.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use skillc_core::layout::TEMPORARY;
use skillc_tests::{World, snapshot};

use crate::building::support::{Dice, SKC, leftovers, named, pass, stub, write};

/// How a process is struck.
type Strike = fn(&mut Child);

/// C-DEPLOYMENT.10.
#[test]
fn after_a_kill_at_any_moment_readers_are_right_and_the_next_build_clears_up() {
    strike_at_random_moments(50, kill);
}

/// C-DEPLOYMENT.10.
#[test]
fn after_ctrl_c_at_any_moment_readers_are_right_and_the_next_build_clears_up() {
    strike_at_random_moments(25, interrupt);
}

/// A signal that asks to end, unlike a kill, leaves time to clear up.
#[test]
fn a_build_that_is_asked_to_end_leaves_no_temporary_file() {
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
                child.try_wait().expect("it is ours").is_none(),
                "it was too fast"
            );
        }
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.expect("there is a program 'kill'").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{signal}");
        assert!(!is_writing(), "{signal}");
        assert!(!world.demo_index().exists(), "{signal}");
    }
}

/// A build that is killed after it was recorded, and before its files took their places, leaves the old ones valid.
#[test]
fn a_build_that_was_recorded_and_killed_leaves_the_one_before_it() {
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
        fs::rename(kept.join(name), meta.join(name)).expect("as it was");
    }
    fs::write(source.join("a.md"), &before[&PathBuf::from("a.md")]).expect("as it was");
    let found = world.skc(["search", "demo", "old", "-o", "json"]).success();
    assert_eq!(found.json()["results"][0]["file"], "a.md");
    assert!(world.skc(["list"]).success().text().contains("normal"));
}

/// F-04, D-IMPORT-CONFLICT.
#[test]
fn a_kill_during_an_import_leaves_the_old_skill_or_the_new_one_whole() {
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
        pass(moment(&mut dice, duration));
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

fn strike_at_random_moments(times: usize, strike: Strike) {
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
        pass(moment(&mut dice, duration));
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
    /// The round in which the file that is asked for was last written.
    written: usize,
}

impl State {
    /// Gives the next build something to do. Returns whether readers can still answer: the files are as they were built.
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

    /// Leaves the build to make everything again, from the same files.
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

    /// Makes sure that readers answer from the files as they are, or with E002 if they need not.
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
        let deployed = fs::read_to_string(place).expect("the deployed stub is always there");
        assert!(deployed.starts_with("---\nname: demo\n") && deployed.contains("## Top Sections"));
        if self.world.demo_runtime().join("SKILL.md").is_file() {
            assert_eq!(stub(&self.world), deployed);
        }
    }
}

/// Returns how long a build takes.
fn measure(world: &World, args: &[&str]) -> Duration {
    let begun = Instant::now();
    assert!(start(world, args).wait().expect("it ends").success());
    begun.elapsed()
}

/// Returns a moment of a build, or shortly after its end.
fn moment(dice: &mut Dice, duration: Duration) -> Duration {
    let us = u64::try_from(duration.as_micros()).expect("not that long");
    Duration::from_micros(dice.below(us * 11 / 10))
}

fn start(world: &World, args: &[&str]) -> Child {
    let mut command = world.process(SKC, args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

fn kill(child: &mut Child) {
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
}

fn interrupt(child: &mut Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    sent.expect("there is a program 'kill'");
    child.wait().expect("it ends");
}
