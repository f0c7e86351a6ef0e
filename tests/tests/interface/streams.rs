//! Closed pipes, full disks, and hostile output.

use std::io;
use std::process::{Output, Stdio};

use skillc_tests::World;

use crate::PROGRAM;

/// Runs a command whose standard output is a closed pipe.
fn run_unread(world: &World, args: &[&str]) -> Output {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let mut command = world.process(PROGRAM, args);
    command.stdout(writer).stderr(Stdio::piped());
    command.output().expect("should run")
}

/// F-26: covers small results, results larger than any buffer, and commands that are not operations.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let long = "many words in a row\n".repeat(20_000);
    let world = World::built(&[("long.txt", &long)]);
    for args in [
        &["list"][..],
        &["list", "--format", "json"],
        &["outline", "demo"],
        &["sources", "demo"],
        &["search", "demo", "hello"],
        &["open", "demo", "long.txt"],
        &["open", "demo", "long.txt", "--format", "json"],
        &["lint", ".", "--format", "jsonl"],
        &["--help"],
        &["completions", "zsh"],
        &["man"],
        &["tour"],
    ] {
        let output = run_unread(&world, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
    }
}

/// F-26, C-CODES.1.
#[test]
fn a_failure_keeps_its_exit_status_on_a_closed_pipe() {
    let world = World::demo(&[("SKILL.md", "---\ndescription: No name.\n---\n")]);
    for args in [&["open", "demo", "nope"][..], &["lint", "demo"], &[]] {
        assert_eq!(run_unread(&world, args).status.code(), Some(1), "{args:?}");
    }
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let mut command = world.process(PROGRAM, &["open", "demo", "nope"]);
    let output = command
        .stdout(Stdio::piped())
        .stderr(writer)
        .output()
        .expect("should run");
    assert_eq!(output.status.code(), Some(1));
}

/// C-CODES.5: a full disk is not a user error.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_an_internal_error() {
    let world = World::demo(&[]);
    for args in [
        &["list"][..],
        &["open", "demo", "SKILL.md"],
        &["lint", "demo", "--format", "jsonl"],
        &["--help"],
        &["completions", "bash"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("the device");
        let mut command = world.process(PROGRAM, args);
        let output = command
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .expect("should run");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(
            output.stderr.starts_with(b"error[E999]: writing output: "),
            "{output:?}"
        );
    }
}

/// CI runners execute the workflow commands that they find in a log, and a log contains names and text of untrusted
/// skills.
#[test]
fn text_of_a_skill_cannot_inject_ci_workflow_commands() {
    let text = "---\nname: ok\ndescription: |-\n  ::error::a ##[add-mask]b\n---\n\n# ::error::c\n\n::error::d \
        ##vso[task.setvariable]e\n\n## ##[stop-commands]f\n\n[a](REF.md)\n";
    let file = "::error::dir/##[error]::f.md";
    let files = [
        ("SKILL.md", text),
        ("ref.md", "::error::g\n"),
        (file, "# a"),
    ];
    let world = World::project();
    world.project_skill("ok", &files);
    world.directory(".claude/skills/::stop-commands::x", &[("SKILL.md", text)]);
    let config =
        "\"##vso[task.prependpath]/tmp/evil \" = 1\n[search]\ntokenizer = \"##[error]x\"\n";
    world.directory(".skillc", &[("config.toml", config)]);
    world.skc(["build", "--all"]).success();
    let is_command = |line: &str| {
        line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
    };
    for args in [
        &["lint"][..],
        &["lint", "."],
        &["lint", ".", "--format", "concise"],
        &["lint", ".", "--format", "github"],
        &["lint", ".", "--matrix"],
        &["lint", ".", "--statistics"],
        &["doctor", "--all"],
        &["budget"],
        &["list"],
        &["build", "--force", "--all"],
        &["outline", "ok"],
        &["sources", "ok"],
        &["search", "ok", "error"],
        &["stats"],
        &["catalog", "list"],
        &["catalog", "search", "error"],
        &["registry", "list"],
        &["open", "ok", "::error::none ##[error]"],
    ] {
        let output = world.skc_at(&world.cwd, args);
        let obeyed = |line: &&str| {
            let is_ours = line.starts_with("::") && line.contains(",title=");
            is_command(if is_ours { &line[2..] } else { line })
        };
        let all = [output.text(), &output.stderr].join("\n");
        assert_eq!(all.lines().find(obeyed), None, "{args:?}");
        assert_ne!(all, "\n", "{args:?}");
    }
    for args in [&["open", "ok", "ref.md"][..], &["show", "ok", "::error::c"]] {
        let output = world.skc_at(&world.cwd, args).success();
        assert!(output.text().lines().any(is_command), "{args:?}");
    }
    let diff = ["lint", ".", "--diff", "--unsafe-fixes"];
    let diff = world.skc_at(&world.cwd, &diff);
    assert!(diff.text().contains("##"), "{diff:?}");
}
