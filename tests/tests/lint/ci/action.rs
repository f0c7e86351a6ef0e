//! The GitHub action: runs its script as the runner does, with inputs that attempt code injection.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use serde::Deserialize;
use skillc_tests::World;

use crate::ci::{NAMELESS, PROGRAM, read};

#[derive(Deserialize)]
struct Action {
    name: String,
    description: String,
    inputs: BTreeMap<String, Input>,
    runs: Runs,
}

#[derive(Deserialize)]
struct Input {
    description: String,
    default: String,
}

#[derive(Deserialize)]
struct Runs {
    using: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    shell: String,
    env: BTreeMap<String, String>,
    run: String,
}

fn action() -> Action {
    serde_yaml::from_str(&read(".github/actions/skc-lint/action.yml")).expect("an action")
}

/// The exit status of a step, and the combined output of both streams, as in a log.
pub(super) struct Ran {
    pub(super) status: Option<i32>,
    pub(super) log: String,
}

/// Runs the steps of the action with these inputs in the world's working directory; `skc` is in the `PATH`.
pub(super) fn run(world: &World, inputs: &[(&str, &str)]) -> Ran {
    let bin = world.home.join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    let _ = symlink(PROGRAM, bin.join("skc"));
    run_in(world, inputs, &format!("{}:/usr/bin:/bin", bin.display()))
}

fn run_in(world: &World, inputs: &[(&str, &str)], path: &str) -> Ran {
    let action = action();
    let given: BTreeMap<&str, &str> = inputs.iter().copied().collect();
    let value = |expression: &str| {
        let name = expression.strip_prefix("${{ inputs.");
        let name = name.and_then(|rest| rest.strip_suffix(" }}"));
        let name = name.unwrap_or_else(|| panic!("no input: {expression}"));
        let default = &action.inputs[name].default;
        given
            .get(name)
            .map_or(default.clone(), |text| (*text).to_owned())
    };
    let (mut log, mut status) = (String::new(), Some(0));
    for (at, step) in action.runs.steps.iter().enumerate() {
        let script = world.home.join(format!("{at}.sh"));
        fs::write(&script, &step.run).expect("a script");
        // Both streams go to one log, in the order written.
        let shell = "exec bash --noprofile --norc -eo pipefail \"$0\" 2>&1";
        let mut command = world.process("/bin/sh", &["-c", shell]);
        command
            .arg(&script)
            .env("PATH", path)
            .stdout(Stdio::piped());
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_WORKSPACE", &world.cwd)
            .env_remove("GITHUB_ACTION_PATH");
        command.envs(step.env.iter().map(|(name, of)| (name, value(of))));
        let output = command.output().expect("a shell");
        log += &String::from_utf8(output.stdout).expect("text");
        status = output.status.code();
        if status != Some(0) {
            break;
        }
    }
    Ran { status, log }
}

/// Returns the lines that the runner interprets: all but those between `::stop-commands::` and its token.
pub(super) fn interpreted_lines(log: &str) -> Vec<&str> {
    let mut token: Option<String> = None;
    let is_obeyed = |line: &&str| {
        if let Some(wanted) = &token {
            if line == wanted {
                token = None;
            }
            return false;
        }
        token = line
            .strip_prefix("::stop-commands::")
            .map(|token| format!("::{token}::"));
        token.is_none() && (line.trim_start().starts_with("::") || line.contains("##["))
    };
    log.lines().filter(is_obeyed).collect()
}

#[test]
fn the_action_is_valid_for_github() {
    let action = action();
    assert!(!action.name.is_empty() && !action.description.is_empty());
    assert_eq!(action.runs.using, "composite");
    assert!(
        action
            .inputs
            .values()
            .all(|input| !input.description.is_empty())
    );
    for step in &action.runs.steps {
        assert_eq!(step.shell, "bash");
        assert!(
            !step.run.contains("${{"),
            "an input in a script runs as code: {}",
            step.run
        );
    }
}

#[test]
fn findings_become_annotations_and_the_exit_status_is_preserved() {
    let world = World::new();
    world.directory("skills/demo", &[]);
    let ran = run(&world, &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.log);
    assert!(ran.log.contains("1 skill: 0 errors, "), "{}", ran.log);
    world.directory("skills/bad", &[("SKILL.md", NAMELESS)]);
    let ran = run(&world, &[("args", "--select\nSKL101")]);
    assert_eq!(ran.status, Some(1), "{}", ran.log);
    assert_eq!(
        interpreted_lines(&ran.log),
        [
            "::error file=skills/bad/SKILL.md,line=1,endLine=1,col=1,endColumn=4,title=SKL101 name-required::\
          skills/bad/SKILL.md:1:1: missing required field 'name'%0Ahelp: add 'name: bad', the directory's name"
        ]
    );
    let ran = run(&world, &[("skills", "skills/demo\n\nskills/d*")]);
    assert_eq!(ran.status, Some(0), "{}", ran.log);
}

#[test]
fn inputs_cannot_inject_code_or_options() {
    let world = World::new();
    let odd = "a $(touch pwned) `touch pwned` '\"; touch pwned; #&|>pwned";
    world.directory(odd, &[("SKILL.md", NAMELESS)]);
    let ran = run(&world, &[("skills", odd), ("args", "--select\nSKL101")]);
    assert_eq!(
        (ran.status, interpreted_lines(&ran.log).len()),
        (Some(1), 1),
        "{}",
        ran.log
    );
    for (name, value) in [
        ("skills", "$(touch pwned)\n\"; touch pwned; \""),
        ("skills", "--fix"),
        ("args", "$(touch pwned)\n; touch pwned"),
        ("skc", "skc; touch pwned"),
        ("skc", "$(touch pwned)"),
        ("version", "\" = x ] || touch pwned; [ \""),
        ("version", "$(touch pwned)"),
    ] {
        let ran = run(&world, &[(name, value)]);
        assert_ne!(ran.status, Some(0), "{name}={value}: {}", ran.log);
        assert!(
            !world.cwd.join("pwned").exists(),
            "{name}={value}: {}",
            ran.log
        );
    }
    let text = fs::read_to_string(world.cwd.join(odd).join("SKILL.md")).expect("a file");
    assert_eq!(text, NAMELESS);
}

/// Warnings and errors print a skill's name on standard error, which the runner also parses.
#[test]
fn names_cannot_inject_workflow_commands() {
    let world = World::new();
    let odd = "::warning::x ##[add-mask]a";
    world.directory(odd, &[("SKILL.md", NAMELESS)]);
    let ran = run(&world, &[("skills", &format!("{odd}\n##[error]\nnowhere"))]);
    assert_ne!(ran.status, Some(0));
    assert!(ran.log.contains("## [error]"), "{}", ran.log);
    assert_eq!(interpreted_lines(&ran.log), [""; 0]);
    let ran = run(&world, &[("args", "--select\nSKL101")]);
    assert_eq!(interpreted_lines(&ran.log).len(), 1, "{}", ran.log);
    assert!(
        interpreted_lines(&ran.log)[0].starts_with("::error file=%3A%3Awarning%3A%3Ax "),
        "{}",
        ran.log
    );
}

#[test]
fn a_missing_or_unrelated_skc_is_reported() {
    let world = World::new();
    world.directory("demo", &[]);
    let ran = run_in(&world, &[], "/usr/bin:/bin");
    assert_eq!(ran.status, Some(127));
    assert!(
        interpreted_lines(&ran.log)[0].contains("skc is not installed"),
        "{}",
        ran.log
    );
    // Without its own files, the action cannot install skc; and it never installs a program other than skc.
    let ran = run_in(&world, &[("skc", "skc-of-ours")], "/usr/bin:/bin");
    assert_eq!(ran.status, Some(127), "{}", ran.log);
    let ran = run_in(&world, &[("skc", PROGRAM)], "/usr/bin:/bin");
    assert_eq!(ran.status, Some(0), "{}", ran.log);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&world, &[("version", version)]).status, Some(0));
    let ran = run(&world, &[("version", "0.0.1")]);
    assert_eq!(ran.status, Some(1));
    assert!(
        interpreted_lines(&ran.log)[0].contains("another version"),
        "{}",
        ran.log
    );
}
