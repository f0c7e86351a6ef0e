//! Concurrent builds, searches and writers.
#![cfg(unix)]

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use skillc_tests::{Output, World, run_in, snapshot};

use crate::building::support::{Dice, SKC, card, leftovers, named, source_hash, stub, write};

/// C-DEPLOYMENT.10, F-07.
#[test]
fn concurrent_builds_and_searches_all_succeed() {
    let world = many_files("round 0");
    world.skc(["build", "demo"]).success();
    for round in 1..=3 {
        let asked = format!("round{round}");
        write(&world, "doc7.md", &format!("# Seven\n\n{asked}\n"));
        let builds: Vec<Child> = (0..2).map(|_| start(&world, &["build", "demo"])).collect();
        let search = ["search", "demo", &asked, "-o", "json"];
        let searches: Vec<Child> = (0..20).map(|_| start(&world, &search)).collect();
        for build in builds {
            end(build).success();
        }
        for search in searches {
            let found = end(search);
            if found.ok {
                assert_eq!(found.json()["results"][0]["file"], "doc7.md", "{found:?}");
            } else {
                found.code("E002");
            }
        }
        let found = world
            .skc(["search", "demo", &asked, "-o", "json"])
            .success()
            .json();
        assert_eq!(found["results"].as_array().map(Vec::len), Some(1));
    }
    assert_eq!(leftovers(&world.cwd), Vec::<PathBuf>::new());
}

/// C-DEPLOYMENT.10, F-07.
#[test]
fn six_concurrent_first_builds_of_one_skill_all_succeed() {
    let world = many_files("words");
    let builds: Vec<Child> = (0..6)
        .map(|_| start(&world, &["build", "demo", "--copy"]))
        .collect();
    for build in builds {
        end(build).success();
    }
    let found = world
        .skc(["search", "demo", "words", "-l", "100", "-o", "json"])
        .success();
    assert_eq!(found.json()["results"].as_array().map(Vec::len), Some(40));
    let alone = source_hash(&world);
    world.skc(["build", "demo"]).success();
    assert_eq!(source_hash(&world), alone);
}

/// C-DEPLOYMENT.7, C-DEPLOYMENT.10.
#[test]
fn skills_with_one_name_can_be_deployed_concurrently() {
    let world = World::demo(&[]);
    let global = world.global_skill("demo", &[]);
    let global = global.to_str().expect("a plain path");
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(start(&world, &["build", "demo"]));
        runs.push(start(&world, &["build", global]));
    }
    for run in runs {
        let built = end(run).success();
        // Either of the two builds may have been first.
        let is_said = |line: &str| line.starts_with("warning[W066]: replaced the stub of ");
        assert!(built.stderr.lines().all(is_said), "{built:?}");
        assert!(built.text().contains("(symlink)"), "{built:?}");
    }
    let agent = world.home.join(".claude/skills");
    let link = fs::read_link(agent.join("demo")).expect("a link");
    assert!(
        [
            world.demo_runtime(),
            world.home.join(".skillc/runtime/demo")
        ]
        .contains(&link)
    );
    assert_eq!(leftovers(&world.home), Vec::<PathBuf>::new());
}

/// C-DEPLOYMENT.10, C-CODES.5.
#[test]
fn a_build_times_out_waiting_for_another_and_readers_never_wait() {
    let world = World::built(&[]);
    let agent = world.home.join(".claude/skills");
    let before = snapshot(&world.demo_runtime());
    for held in [world.demo_runtime().join(".skillc-meta/build.lock"), agent] {
        let lock = File::open(&held).expect("a file");
        lock.lock().expect("a lock");
        let mut context = world.context_at(&world.cwd);
        context.lock_wait = Duration::from_millis(50);
        let failed = run_in(context, &["build", "demo"]);
        failed.error("error[E999]: another build of 'demo' is still running after 0 s");
        world.skc(["search", "demo", "hello"]).success();
        drop(lock);
        world.skc(["build", "demo"]).success();
    }
    assert_eq!(snapshot(&world.demo_runtime()).len(), before.len());
}

/// C-DEPLOYMENT.10.
#[test]
fn a_build_waits_for_another_to_finish() {
    let world = World::built(&[]);
    let lock = File::open(world.demo_runtime().join(".skillc-meta/build.lock")).expect("a file");
    lock.lock().expect("a lock");
    write(&world, "SKILL.md", &named("demo"));
    thread::scope(|scope| {
        let build = scope.spawn(|| world.skc(["build", "demo"]));
        // A waiting build cannot be observed directly, so check that it has written nothing.
        world
            .skc(["show", "demo", "--section", "Title"])
            .code("E002");
        drop(lock);
        build.join().expect("no panic").success();
    });
    world.skc(["show", "demo", "--section", "Title"]).success();
}

/// C-DEPLOYMENT.10, D-STALE.
#[test]
fn readers_never_see_mixed_versions_while_files_change_during_a_build() {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    for at in 0..WRITTEN {
        write(&world, &format!("w{at}.md"), &version(at, 0));
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| keep_writing(&world, &stop));
        // A failed check must also stop the writer, or the test would never end.
        let checks = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..30 {
                let built = world.skc(["build", "demo"]);
                if !built.ok {
                    assert!(
                        built.stderr.starts_with("error[E999]: reading '"),
                        "{built:?}"
                    );
                }
                check_readers(&world);
            }
        }));
        stop.store(true, Ordering::Relaxed);
        if let Err(panic) = checks {
            std::panic::resume_unwind(panic);
        }
    });
    check_readers(&world);
    world.skc(["build", "demo"]).success();
    let main = fs::read_to_string(world.demo_source().join("SKILL.md")).expect("a file");
    let description = main
        .lines()
        .nth(2)
        .and_then(|line| line.strip_prefix("description: "));
    assert_eq!(card(&stub(&world))["description"].as_str(), description);
    let shown = check_readers(&world);
    assert_eq!(
        shown,
        fs::read_dir(world.demo_source())
            .expect("a directory")
            .count()
            - 1
    );
    assert_eq!(leftovers(&world.cwd), Vec::<PathBuf>::new());
}

const WRITTEN: u64 = 6;

/// Returns the text of one version of a file. Every word contains the version number, and the section is on different
/// lines in different versions.
fn version(at: u64, number: u64) -> String {
    let before = format!("line {number}\n\n").repeat(usize::try_from(number % 4).expect("small"));
    format!("{before}# Head {at}\n\nstart{number} middle{number}\n\nstop{number}\n")
}

/// Rewrites, removes and renames files until told to stop.
fn keep_writing(world: &World, stop: &AtomicBool) {
    let mut dice = Dice::new(7);
    let mut number = 0;
    let source = world.demo_source();
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let at = dice.below(WRITTEN);
        let path = source.join(format!("w{at}.md"));
        match dice.below(5) {
            0 => drop(fs::remove_file(&path)),
            4 => {
                let new = source.join(".SKILL.new");
                fs::write(
                    &new,
                    named("demo").replace("A skill.", &format!("Moment {number}.")),
                )
                .expect("a file");
                fs::rename(&new, source.join("SKILL.md")).expect("renamed");
            }
            1 => {
                let new = source.join(format!(".w{at}.new"));
                fs::write(&new, version(at, number)).expect("a file");
                fs::rename(&new, &path).expect("renamed");
            }
            _ => fs::write(&path, version(at, number)).expect("a file"),
        }
    }
}

/// Checks that readers see a single version; returns the number of sections that can be shown.
fn check_readers(world: &World) -> usize {
    let mut count = 0;
    for at in 0..WRITTEN {
        let shown = world.skc(["show", "demo", "--section", &format!("Head {at}")]);
        if shown.ok {
            assert!(is_of_one_version(at, shown.text()), "{shown:?}");
            count += 1;
        } else {
            assert!(
                ["error[E002]", "error[E020]"]
                    .iter()
                    .any(|code| shown.stderr.starts_with(code)),
                "{shown:?}"
            );
        }
    }
    let found = world.skc(["search", "demo", "head", "-o", "json"]);
    if found.ok {
        for hit in found.json()["results"].as_array().expect("a list") {
            let snippet = hit["snippet"]
                .as_str()
                .expect("a text")
                .replace("[MATCH]", "")
                .replace("[/MATCH]", "");
            let file = hit["file"].as_str().expect("a text");
            let at = file
                .trim_start_matches('w')
                .trim_end_matches(".md")
                .parse()
                .expect("a number");
            assert!(is_of_one_version(at, &snippet), "{hit}");
        }
    } else {
        found.code("E002");
    }
    count
}

/// Returns whether a string is a complete section of one version.
fn is_of_one_version(at: u64, text: &str) -> bool {
    let number = text
        .split("start")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let Some(number) = number.and_then(|number| number.parse().ok()) else {
        return false;
    };
    version(at, number).ends_with(text) && text.starts_with(&format!("# Head {at}\n"))
}

fn many_files(text: &str) -> World {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    for number in 0..40 {
        write(
            &world,
            &format!("doc{number}.md"),
            &format!("# Doc {number}\n\n{text}\n"),
        );
    }
    world
}

fn start(world: &World, args: &[&str]) -> Child {
    let mut command: Command = world.process(SKC, args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn end(child: Child) -> Output {
    Output::new(child.wait_with_output().expect("the program ends"))
}
