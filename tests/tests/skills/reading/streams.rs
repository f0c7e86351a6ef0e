//! Pipes: inside a skill, and as the output. Design: requirements-reading, C-CODES.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use skillc_tests::World;

/// Creates a built skill for which the output of every command exceeds a pipe's buffer.
fn big() -> World {
    let line = "common words on a line of some length, again and again\n";
    let world = World::demo(&[("big.md", &format!("# Big\n\n{}", line.repeat(6000)))]);
    for n in 0..2500 {
        let name = format!("part-with-a-rather-long-name-that-fills-pipes-{n:04}.md");
        let text =
            format!("# A heading that is long enough to fill a pipe, number {n}\n\ncommon\n");
        fs::write(world.demo_source().join(name), text).expect("written");
    }
    world.skc(["build", "demo"]).success();
    world
}

/// C-OPEN.1, C-SOURCES.1.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let world = big();
    for args in [
        ["outline", "demo"].as_slice(),
        &["outline", "demo", "-o", "json"],
        &["sources", "demo", "--limit", "9999"],
        &["sources", "demo", "--limit", "9999", "-o", "json"],
        &["search", "demo", "common", "--limit", "9999"],
        &["show", "demo", "--section", "big"],
        &["open", "demo", "big.md"],
        &["open", "demo", "big.md", "--max-lines", "5000"],
    ] {
        let mut child = world
            .process(env!("CARGO_BIN_EXE_skc-under-test"), args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut first = String::new();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().expect("a pipe"));
        reader.read_line(&mut first).expect("a line");
        drop(reader);
        let out = child.wait_with_output().expect("the process exits");
        assert!(!first.is_empty());
        assert_eq!(out.status.code(), Some(0), "{args:?}: {out:?}");
        assert!(out.stderr.is_empty(), "{args:?}: {out:?}");
    }
}

/// C-SOURCES.8, C-OPEN.4.
#[test]
fn pipes_and_sockets_in_a_skill_are_not_files_and_do_not_block() {
    let world = World::demo(&[("a.md", "# A\n")]);
    let at = |name| world.demo_source().join(name);
    let made = Command::new("mkfifo")
        .arg(at("pipe.md"))
        .arg(at(".pipe"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    let _socket = UnixListener::bind(at("socket.md")).expect("a socket");
    std::os::unix::fs::symlink("pipe.md", at("link.md")).expect("a link");
    // A command that opened the pipe would block forever.
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let commands = ["outline", "sources", "lint", "build"];
        let ran = commands.map(|command| world.skc([command, "demo"]).success());
        let opened = ["pipe.md", ".pipe", "socket.md", "link.md"]
            .map(|path| world.skc(["open", "demo", path]));
        sender.send((ran, opened)).expect("a command blocks");
    });
    let (ran, opened) = receiver
        .recv_timeout(Duration::from_secs(60))
        .expect("nothing blocks");
    assert_eq!(ran[0].text(), "SKILL.md\n  # Demo\na.md\n  # A\n");
    assert_eq!(ran[1].text(), "demo/\n├── SKILL.md\n└── a.md\n");
    for out in opened {
        out.code("E021");
    }
}

/// C-OUTLINE.1, C-SOURCES.1.
#[test]
fn files_that_appear_and_disappear_meanwhile_cause_no_failure() {
    let world = World::demo(&[("stays.md", "# Stays\n")]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let at = |name: String| world.demo_source().join(name);
            let mut n = 0;
            while !done.load(Ordering::Relaxed) {
                n = (n + 1) % 20;
                fs::create_dir_all(at(format!("dir{n}"))).expect("made");
                fs::write(at(format!("dir{n}/x.md")), "# X\n".repeat(n)).expect("written");
                fs::write(at(format!("file{n}.md")), "# F\n").expect("written");
                fs::remove_dir_all(at(format!("dir{n}"))).expect("removed");
                fs::remove_file(at(format!("file{n}.md"))).expect("removed");
            }
        });
        // Check the outputs only after the other thread has been told to stop: a check that fails earlier would leave
        // it running.
        let outs: Vec<_> = (0..40)
            .flat_map(|_| {
                ["outline", "sources", "lint"].map(|command| world.skc([command, "demo"]))
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        for out in outs {
            assert!(out.ok, "{out:?}");
        }
    });
    assert!(
        world
            .skc(["outline", "demo"])
            .success()
            .text()
            .contains("# Stays")
    );
}
