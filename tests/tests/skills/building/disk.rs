//! Full disks, read-only disks, and files of an unexpected type.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use skillc_core::Warning;
use skillc_tests::{Output, World, snapshot};

use crate::building::support::{SKC, leftovers, named, numbered, write};

/// Mounts a separate file system. In each round, fills it until a given amount of space is left, builds, and checks the
/// result; prints two lines per round.
const FILL: &str = r#"
    mount -t tmpfs -o size=8m none "$SKILLC_HOME" || exit 1
    echo mounted
    mkdir -p "$SKILLC_HOME/.skillc/skills"
    cp -r .skillc/skills/demo "$SKILLC_HOME/.skillc/skills"
    errors=$PWD/errors
    cd "$SKILLC_HOME"
    "$1" build demo >/dev/null || exit 1
    for left in 0 4 8 64 512 1024 4096; do
        echo change $left >>.skillc/skills/demo/doc3.md
        head -c 99999999 /dev/zero >fill 2>/dev/null
        truncate -s -${left}k fill
        if "$1" build demo >/dev/null 2>"$errors"; then echo built; else grep -o '^error.E[0-9]*.' "$errors"; fi
        rm fill
        if "$1" search demo "change $left" >/dev/null 2>&1; then echo found; else echo not found; fi
        find . -name '.skc-tmp-*'
        "$1" build demo >/dev/null || exit 1
        "$1" search demo "change $left" >/dev/null || exit 1
    done
"#;

/// C-DEPLOYMENT.10, C-CODES.5, C-ERRORS@1.1.
#[test]
fn a_build_on_a_full_disk_fails_clearly_and_keeps_the_earlier_one() {
    let world = large();
    let old = fs::read_to_string(world.demo_source().join("doc3.md")).expect("a file");
    let before = snapshot(&world.demo_runtime());
    // Edit one file or most files, and use limits that the build reaches early or late.
    for (files, blocks) in [(1, 0), (1, 16), (1, 256), (60, 0), (60, 16), (60, 256)] {
        for number in 0..files {
            write(&world, &format!("doc{}.md", number + 3), "# Changed\n");
        }
        let failed = limited(&world, blocks, &["build", "demo"]);
        failed.code("E999");
        assert!(failed.stderr.contains("search-"), "{failed:?}");
        assert_eq!(snapshot(&world.demo_runtime()), before);
        for number in 0..files {
            write(
                &world,
                &format!("doc{}.md", number + 3),
                &old.replace("word3", &format!("word{}", number + 3)),
            );
        }
        let found = world
            .skc(["search", "demo", "word3", "-o", "json"])
            .success()
            .json();
        assert_eq!(found["results"][0]["file"], "doc3.md");
    }
    world.skc(["build", "demo"]).success();
}

/// C-DEPLOYMENT.10.
#[test]
fn a_stub_that_does_not_fit_on_the_disk_fails_the_build() {
    let world = World::built(&[]);
    fs::remove_file(world.demo_runtime().join("SKILL.md")).expect("removed");
    world.skc(["build", "demo"]).success();
    fs::remove_file(world.demo_runtime().join("SKILL.md")).expect("removed");
    let failed = limited(&world, 0, &["build", "demo"]);
    failed.code("E999");
    assert_eq!(leftovers(&world.cwd), Vec::<PathBuf>::new());
    world.skc(["build", "demo"]).success();
    assert!(world.demo_runtime().join("SKILL.md").is_file());
}

/// C-DEPLOYMENT.10, F-08.
#[test]
fn on_a_disk_that_fills_up_every_build_is_complete_or_fails() {
    let world = large();
    let mut command = world.process("unshare", &["-Urm", "sh", "-c", FILL, "sh", SKC]);
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    let output = command.output().map(Output::new);
    let Some(said) = output
        .ok()
        .filter(|output| output.text().starts_with("mounted"))
    else {
        return skip("a file system of its own is not to be had");
    };
    let said = said.success();
    let rounds: Vec<&str> = said.text().lines().skip(1).collect();
    assert_eq!(rounds.len(), 14, "{said:?}");
    for round in rounds.chunks(2) {
        assert!(
            [["built", "found"], ["error[E999]", "not found"]].contains(&[round[0], round[1]]),
            "{said:?}"
        );
    }
    assert_eq!(rounds[..2], ["error[E999]", "not found"]);
    assert_eq!(rounds[12..], ["built", "found"]);
}

/// C-OUTPUT.2, C-CODES.5.
#[test]
fn a_file_in_place_of_the_runtime_directory_is_an_error_and_stays() {
    for place in [
        ".skillc/runtime",
        ".skillc/runtime/demo",
        ".skillc/runtime/demo/.skillc-meta",
    ] {
        let world = World::demo(&[]);
        let full = world.cwd.join(place);
        fs::create_dir_all(full.parent().expect("a parent")).expect("directories");
        fs::write(&full, "mine").expect("a file");
        let failed = world.skc(["build", "demo"]);
        failed.code("E999");
        assert!(failed.stderr.contains(".skillc/runtime"), "{failed:?}");
        assert_eq!(fs::read_to_string(&full).ok().as_deref(), Some("mine"));
        world.skc(["search", "demo", "hello"]).code("E002");
    }
}

/// ADR2.1, C-CODES.5.
#[test]
fn a_runtime_directory_symlinked_to_another_skill_is_refused() {
    for (link, leads_to) in [
        (".skillc/runtime/demo", "../../mine/demo"),
        (".skillc/runtime", "../mine"),
    ] {
        // Use the user's own store, because symlinks in it are unrestricted. In a project, no symlink may lead out of
        // `.skillc`.
        let mut world = World::demo(&[]);
        world.home.clone_from(&world.cwd);
        let mine = world.directory("mine/demo", &[("SKILL.md", &named("mine"))]);
        let link = world.cwd.join(link);
        fs::create_dir_all(link.parent().expect("a parent")).expect("directories");
        symlink(leads_to, &link).expect("a link");
        let before = snapshot(&mine);
        let failed = world.skc(["build", "demo"]);
        failed.code("E999");
        assert!(failed.stderr.contains("not a build"), "{failed:?}");
        assert_eq!(snapshot(&mine), before);
        fs::remove_file(mine.join("SKILL.md")).expect("removed");
        world.skc(["build", "demo"]).success();
        world.skc(["build", "demo"]).success();
    }
}

/// C-CODES.5: a program that opens a named pipe waits until another program opens the other end, so skc must not open
/// pipes.
#[test]
fn a_pipe_in_place_of_the_lock_or_the_stub_does_not_block() {
    let world = World::built(&[]);
    for (path, builds) in [("SKILL.md", true), (".skillc-meta/build.lock", false)] {
        let full = world.demo_runtime().join(path);
        fs::remove_file(&full).expect("removed");
        let made = Command::new("mkfifo").arg(&full).status();
        assert!(made.expect("a program").success());
        let built = world.skc(["build", "demo"]);
        if builds {
            built.success();
            assert!(full.is_file());
        } else {
            built.code("E999");
            assert!(built.stderr.contains("not a file"), "{built:?}");
        }
    }
}

/// C-DEPLOYMENT.3, C-CODES.5.
#[test]
fn a_file_in_place_of_the_agents_directory_fails_only_deployment() {
    let world = World::demo(&[]);
    fs::write(world.home.join(".claude"), "mine").expect("a file");
    let failed = world.skc(["build", "demo"]);
    failed.code("E999");
    assert!(failed.stderr.contains(".claude"), "{failed:?}");
    assert_eq!(
        fs::read_to_string(world.home.join(".claude"))
            .ok()
            .as_deref(),
        Some("mine")
    );
    world.skc(["search", "demo", "hello"]).success();
}

/// C-DEPLOYMENT.10, C-CODES.5, C-INDEX.14.
#[test]
fn a_read_only_runtime_directory_is_an_error_and_can_still_be_searched() {
    let world = World::built(&[("a.md", "# A\n\nfirst\n")]);
    let runtime = world.demo_runtime();
    let dirs = [
        runtime.join(".skillc-meta"),
        runtime.join(".skillc"),
        runtime.clone(),
    ];
    let set_all = |mode| {
        for dir in &dirs {
            fs::set_permissions(dir, Permissions::from_mode(mode)).expect("a mode");
        }
    };
    set_all(0o555);
    let before = snapshot(&runtime);
    let found = run_without_root(&world, &["search", "demo", "first"]).success();
    assert!(found.text().contains("a.md"));
    write(&world, "a.md", "# A\n\nsecond\n");
    let failed = run_without_root(&world, &["build", "demo"]);
    set_all(0o755);
    failed.code("E999");
    assert!(failed.stderr.contains("ermission denied"), "{failed:?}");
    assert_eq!(snapshot(&runtime), before);
    world.skc(["build", "demo"]).success();
}

/// C-ERRORS@1.1, C-CODES.5: the skill has more files than are processed at once, and the first file cannot be read.
#[test]
fn an_unreadable_file_fails_a_large_build() {
    let text = numbered(1..=100_000, |n| format!("word{n} \n"));
    let world = World::demo(&[("a.md", "# A\n")]);
    for number in 0..16 {
        write(&world, &format!("b{number}.txt"), &text);
    }
    let closed = world.demo_source().join("a.md");
    fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("a mode");
    let mut build = without_root(&world, &["build", "demo"]).expect("a command");
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(build.output().map(Output::new)));
    let ended = receiver.recv_timeout(Duration::from_secs(60));
    let failed = ended.expect("an end").expect("the program runs");
    failed.code("E999");
    assert!(failed.stderr.contains("a.md"), "{failed:?}");
}

/// Creates a built skill whose index is over a megabyte.
fn large() -> World {
    let world = World::demo(&[("SKILL.md", &named("demo"))]);
    for number in 0..70 {
        let text = numbered(1..=800, |n| format!("common{n} "));
        write(
            &world,
            &format!("doc{number}.md"),
            &format!("# Doc\n\nword{number} {text}\n"),
        );
    }
    world.skc(["build", "demo"]).success();
    world
}

/// Runs `skc` with a file size limit in blocks, which behaves like a full disk.
fn limited(world: &World, blocks: u32, args: &[&str]) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let mut command = world.process("/bin/sh", &["-c", &script, "sh", SKC]);
    let mut output = Output::new(command.args(args).output().expect("a shell"));
    // The usage log cannot be written either, so the error may follow a warning about the log.
    let unlogged = format!("{}\n", Warning::LoggingDisabled {});
    if let Some(rest) = output.stderr.strip_prefix(&unlogged) {
        output.stderr = rest.to_string();
    }
    output
}

/// Runs `skc` without root's privilege to bypass file permissions.
fn run_without_root(world: &World, args: &[&str]) -> Output {
    let output = without_root(world, args).and_then(|mut command| command.output());
    Output::new(output.expect("the program runs"))
}

/// Creates a command for `skc` without root's privilege to bypass file permissions.
fn without_root(world: &World, args: &[&str]) -> std::io::Result<Command> {
    let probe = world.cwd.join("probe");
    fs::create_dir(&probe).or_else(|error| if probe.is_dir() { Ok(()) } else { Err(error) })?;
    fs::set_permissions(&probe, Permissions::from_mode(0o555))?;
    let is_superuser = fs::write(probe.join("x"), "x").is_ok();
    let mut command: Command = if is_superuser {
        world.process(setpriv(), &["--bounding-set=-all", "--inh-caps=-all", SKC])
    } else {
        world.process(SKC, &[])
    };
    command.args(args);
    Ok(command)
}

fn setpriv() -> &'static str {
    let places = ["/usr/bin/setpriv", "/bin/setpriv"];
    places
        .into_iter()
        .find(|place| Path::new(place).exists())
        .unwrap_or("setpriv")
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn skip(why: &str) {
    eprintln!("skipped: {why}");
}
