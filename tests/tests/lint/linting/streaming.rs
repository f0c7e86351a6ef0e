//! `--format jsonl`: one line per skill, parts of a run, and continuing an interrupted run.

use std::fs;

use serde_json::Value;
use skillc_tests::{Output, World};

use crate::linting::support::{DEEP, NAMELESS};

/// The folder that contains the skills.
const REGISTRY: &str = "registry";

/// Creates a folder with 12 skills. Some have findings, one is nested, and one cannot be read.
fn registry() -> World {
    let world = World::new();
    for author in ["a", "b", "c"] {
        for (name, text) in [("clean", ""), ("deep", DEEP), ("nameless", NAMELESS)] {
            let dir = format!("{REGISTRY}/{author}/{name}");
            let files = [("SKILL.md", text)];
            world.directory(&dir, if text.is_empty() { &[] } else { &files });
        }
    }
    world.directory(
        &format!("{REGISTRY}/a/deep/inner"),
        &[("SKILL.md", NAMELESS)],
    );
    world.directory(&format!("{REGISTRY}/a-flat"), &[("SKILL.md", DEEP)]);
    world.directory(&format!("{REGISTRY}/d/.hidden/skill"), &[]);
    fs::create_dir_all(world.cwd.join(REGISTRY).join("broken/SKILL.md")).expect("a folder");
    world
}

fn stream(world: &World, more: &[&str]) -> Output {
    // Ignore the rules that compare skills with each other.
    let args = ["lint", REGISTRY, "--ignore", "SET", "-o", "jsonl"];
    world.skc_at(&world.cwd, &[&args, more].concat())
}

#[track_caller]
fn lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    let read = |line| serde_json::from_str(line).expect("JSON");
    text.lines().map(read).collect()
}

/// Returns the lines that describe skills.
#[track_caller]
fn skills(text: &str) -> Vec<Value> {
    let mut lines = lines(text);
    lines.retain(|line| line["path"].is_string());
    lines
}

fn paths(text: &str) -> Vec<String> {
    let skills = skills(text);
    let path = |line: &Value| line["path"].as_str().expect("a path").to_owned();
    skills.iter().map(path).collect()
}

#[test]
fn the_lines_have_the_findings_of_the_json_report_in_the_same_order() {
    let world = registry();
    let json = world.skc(["lint", REGISTRY, "--ignore", "SET", "-o", "json"]);
    let run = stream(&world, &[]);
    assert!(!run.ok, "errors fail the run");
    assert_eq!(run.stderr, "");
    let all = lines(run.text());
    assert_eq!(all[0]["run"]["version"], env!("CARGO_PKG_VERSION"));
    let reports = json.json();
    let expected = reports["skills"].as_array().expect("a list");
    let found = skills(run.text());
    assert_eq!(found.len(), all.len() - 2);
    assert_eq!(found.len(), expected.len());
    assert_eq!(found.len(), 12);
    for (line, report) in found.iter().zip(expected) {
        for key in [
            "skill",
            "path",
            "diagnostics",
            "error_count",
            "warning_count",
        ] {
            assert_eq!(line[key], report[key], "{key}");
        }
        assert_eq!(line["error"], report["failure"], "{line}");
        assert_eq!(line["digest"].is_string(), line["error"].is_null());
    }
    let summary = &all[all.len() - 1]["summary"];
    assert_eq!(summary["skills"], found.len());
    assert_eq!(summary["failed"], 1);
    assert_eq!(summary["unchanged"], 0);
    for key in ["error_count", "warning_count"] {
        assert_eq!(summary[key], reports[key], "{key}");
    }
}

#[test]
fn named_skills_and_stores_are_lines_too() {
    let world = World::project();
    world.project_skill("deep", &[("SKILL.md", DEEP)]);
    world.project_skill("other", &[("SKILL.md", DEEP)]);
    let count = |args: &[&str]| {
        let run = world.skc_at(&world.cwd, &[&["lint", "-o", "jsonl"], args].concat());
        paths(run.success().text()).len()
    };
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&["deep"]), 1);
    assert_eq!(count(&["deep", "other", "deep", "."]), 2);
    assert_eq!(count(&["*"]), 2);
    world.skc(["lint", "none", "-o", "jsonl"]).code("E001");
    fs::create_dir(world.cwd.join("empty")).expect("a folder");
    let run = world.skc(["lint", "empty", "-o", "jsonl"]);
    assert!(run.stderr.starts_with("error[E010]: "), "{run:?}");
    assert_eq!(run.text(), "");
}

#[test]
fn the_parts_are_disjoint_and_together_all_skills() {
    let world = registry();
    let mut all = paths(stream(&world, &[]).text());
    all.sort();
    for count in [1, 2, 5] {
        let mut found = Vec::new();
        for index in 1..=count {
            let run = stream(&world, &["--shard", &format!("{index}/{count}")]);
            found.extend(skills(run.text()));
        }
        let mut places: Vec<&str> = found
            .iter()
            .filter_map(|line| line["path"].as_str())
            .collect();
        places.sort_unstable();
        assert_eq!(places, all, "{count}");
        // The outer skill does not repeat the findings of the nested one.
        let outer = found.iter().find(|line| {
            line["path"]
                .as_str()
                .is_some_and(|path| path.ends_with("/a/deep"))
        });
        assert_eq!(outer.expect("a line")["error_count"], 0);
    }
}

/// The run is cut at the end of each line and within each line, as if it had been killed there.
#[test]
fn a_killed_run_is_continued_without_losing_or_repeating_a_line() {
    let world = registry();
    let whole = world.cwd.join("whole.jsonl");
    let run = stream(&world, &["--resume", "whole.jsonl"]);
    assert_eq!((run.text(), &*run.stderr, run.ok), ("", "", false));
    let text = fs::read_to_string(&whole).expect("a file");
    assert_eq!(skills(&text), skills(stream(&world, &[]).text()));
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let cuts: Vec<usize> = [0, 7]
        .into_iter()
        .chain(ends.flat_map(|end| [end, end + 9]))
        .collect();
    let part = world.cwd.join("part.jsonl");
    for cut in cuts.into_iter().filter(|cut| *cut <= text.len()) {
        fs::write(&part, &text[..cut]).expect("a file");
        let run = stream(&world, &["--resume", "part.jsonl"]);
        assert_eq!((run.text(), &*run.stderr, run.ok), ("", "", false), "{cut}");
        let continued = fs::read_to_string(&part).expect("a file");
        let (mut expected, mut found) = (lines(&text), lines(&continued));
        let (last, end) = (expected.pop().expect("one"), found.pop().expect("one"));
        assert_eq!(found, expected, "{cut}");
        for key in ["skills", "failed", "error_count", "warning_count"] {
            assert_eq!(end["summary"][key], last["summary"][key], "{cut}: {key}");
        }
    }
}

#[test]
fn a_skill_that_has_changed_is_linted_again() {
    let world = registry();
    stream(&world, &["--resume", "found.jsonl"]);
    let file = world.cwd.join("found.jsonl");
    let before = skills(&fs::read_to_string(&file).expect("a file"));
    let changed = world.cwd.join(REGISTRY).join("b/nameless");
    fs::write(changed.join("notes.txt"), "New.").expect("a file");
    world.directory(&format!("{REGISTRY}/e"), &[]);
    stream(&world, &["--resume", "found.jsonl"]);
    let text = fs::read_to_string(&file).expect("a file");
    let after = skills(&text);
    assert_eq!(after[..before.len()], before);
    let new = paths(&text).split_off(before.len());
    let new: Vec<&str> = new
        .iter()
        .map(|path| &path[world.cwd.as_os_str().len() + 1..])
        .collect();
    assert_eq!(new, ["registry/b/nameless", "registry/e"]);
    let all = lines(&text);
    let summary = &all[all.len() - 1]["summary"];
    assert_eq!(summary["skills"], before.len() + 1);
    // The broken skill cannot be compared with its earlier state, so it is linted again.
    assert_eq!(summary["unchanged"], before.len() - 2);
}

/// The settings of one folder may change between two runs, and so may the files that they extend.
#[test]
fn a_skill_whose_settings_have_changed_is_linted_again() {
    let world = registry();
    let folder = world.cwd.join(REGISTRY).join("b");
    let (config, team) = (folder.join(".skilllint.toml"), folder.join("team.toml"));
    let totals = |text: &str| lines(text).pop().expect("a line")["summary"].clone();
    let resumed = || {
        stream(&world, &["--resume", "found.jsonl"]);
        let text = fs::read_to_string(world.cwd.join("found.jsonl"));
        totals(&text.expect("a file"))
    };
    let check = || {
        let (found, fresh) = (resumed(), totals(stream(&world, &[]).text()));
        for key in ["skills", "failed", "error_count", "warning_count"] {
            assert_eq!(found[key], fresh[key], "{key}");
        }
        // Only the skill that cannot be read is linted again.
        let all = fresh["skills"].as_u64().expect("a number");
        assert_eq!(resumed()["unchanged"], all - 1);
        fresh
    };
    fs::write(&config, "extends = [\"team.toml\"]\n").expect("a file");
    fs::write(&team, "[rules]\nSKL = \"off\"\n").expect("a file");
    let mild = check();
    fs::write(&team, "[rules]\nSKL = \"error\"\n").expect("a file");
    let strict = check();
    fs::remove_file(&config).expect("a file");
    let usual = check();
    let errors = |totals: &Value| totals["error_count"].as_u64().expect("a number");
    assert!(errors(&mild) < errors(&usual), "{mild} {usual}");
    assert!(errors(&mild) < errors(&strict), "{mild} {strict}");
}

/// Scripts are loaded from nested folders too, so a change there changes the settings of the run.
#[test]
fn results_of_other_scripts_are_not_continued() {
    let world = registry();
    let dir = world.home.join(".skillc/plugins/team/rules");
    fs::create_dir_all(&dir).expect("a folder");
    let write = |check: &str| {
        let text = format!(
            "/// Reports.\nrule(#{{ code: \"TEAM001\", name: \"reports\", check_skill: |skill, out| {{ {check} }} }});\n"
        );
        fs::write(dir.join("reports.rhai"), text).expect("a file");
    };
    write("");
    let resumed = || stream(&world, &["--resume", "found.jsonl"]);
    resumed();
    resumed();
    let text = fs::read_to_string(world.cwd.join("found.jsonl")).expect("a file");
    let summary = lines(&text).pop().expect("a line")["summary"].take();
    assert!(summary["unchanged"].as_u64() > Some(0), "{summary}");
    write("1;");
    resumed().code("E100");
}

#[test]
fn parts_are_continued_too() {
    let world = registry();
    let all = paths(stream(&world, &[]).text());
    for part in ["1/2", "2/2"] {
        stream(
            &world,
            &["--shard", part, "--resume", &part.replace('/', "-")],
        );
    }
    let read = |name| fs::read_to_string(world.cwd.join(name)).expect("a file");
    let mut found = [paths(&read("1-2")), paths(&read("2-2"))].concat();
    found.sort();
    let mut sorted = all;
    sorted.sort();
    assert_eq!(found, sorted);
    let run = stream(&world, &["--shard", "2/2", "--resume", "1-2"]);
    run.code("E100");
}

#[test]
fn a_file_of_another_run_is_refused_and_unchanged() {
    let world = registry();
    stream(&world, &["--resume", "found.jsonl"]);
    let file = world.cwd.join("found.jsonl");
    let text = fs::read_to_string(&file).expect("a file");
    let (first, rest) = text.split_once('\n').expect("lines");
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let old = first.replace(&version, "\"version\":\"0.0.1\"");
    for (content, more, says) in [
        (
            text.clone(),
            &["--select", "SKL1"][..],
            "with other options",
        ),
        (text.clone(), &["--client", "codex"], "with other options"),
        (format!("{old}\n{rest}"), &[], "by version 0.0.1, not"),
        ("notes\n".to_owned(), &[], "is not a result of"),
        ("notes".to_owned(), &[], "is not a result of"),
        (format!("{first}\nnotes\n"), &[], "is damaged in line 2"),
    ] {
        fs::write(&file, &content).expect("a file");
        let run = stream(&world, &[more, &["--resume", "found.jsonl"]].concat());
        run.code("E100");
        assert!(run.stderr.contains(says), "{says}: {run:?}");
        assert!(run.stderr.contains("Nothing was changed"), "{run:?}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), content);
    }
    fs::write(&file, &text).expect("a file");
    let config = "[rules]\nSKL205 = \"off\"\n";
    fs::write(world.cwd.join(".skilllint.toml"), config).expect("a file");
    stream(&world, &["--resume", "found.jsonl"]).code("E100");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let world = registry();
    for (args, says) in [
        (&["--shard", "0/3"][..], "in I/N, I must be from 1 to N"),
        (&["--shard", "4/3"], "in I/N, I must be from 1 to N"),
        (&["--shard", "x"], "expected two numbers"),
        (&["--fix"], "--fix does not support format"),
        (&["--matrix"], "--matrix does not support format"),
        (&["--watch"], "--watch does not support format"),
        (&["--statistics"], "--statistics does not support format"),
        (
            &["--write-baseline"],
            "--write-baseline does not support format",
        ),
        (&["--output", "x"], "--output does not support format"),
    ] {
        let run = stream(&world, args);
        run.code("E100");
        assert!(run.stderr.contains(says), "{says}: {run:?}");
    }
    for format in ["text", "json", "sarif"] {
        for args in [["--shard", "1/2"], ["--resume", "x"]] {
            let run = world.skc_at(
                &world.cwd,
                &[&["lint", REGISTRY, "-o", format], &args[..]].concat(),
            );
            run.code("E100");
            assert!(run.stderr.contains("Use --format jsonl."), "{run:?}");
        }
    }
    assert!(!world.cwd.join("x").exists());
}

#[test]
fn a_baseline_hides_findings() {
    let world = registry();
    world.skc(["lint", REGISTRY, "--write-baseline"]);
    let list = ["--baseline", ".skilllint-baseline.toml"];
    let run = stream(&world, &list);
    let all = lines(run.text());
    assert_eq!(all[all.len() - 1]["summary"]["warning_count"], 0, "{run:?}");
    assert_eq!(all[all.len() - 1]["summary"]["error_count"], 1, "{run:?}");
}

#[test]
fn a_fault_in_one_configuration_file_concerns_its_skills_only() {
    let world = registry();
    let file = world.cwd.join(REGISTRY).join("b/.skilllint.toml");
    fs::write(file, "nonsense = [").expect("a file");
    let found = skills(stream(&world, &[]).text());
    let failed = found.iter().filter(|line| line["error"].is_string());
    assert_eq!(failed.count(), 4);
    let file = world.cwd.join(REGISTRY).join(".skilllint.toml");
    fs::write(file, "nonsense = [").expect("a file");
    stream(&world, &[]).code("E100");
}

#[cfg(unix)]
#[test]
fn a_symlink_is_not_written_to() {
    let world = registry();
    let target = world.cwd.join("target");
    fs::write(&target, "").expect("a file");
    std::os::unix::fs::symlink(&target, world.cwd.join("link")).expect("a link");
    for name in ["link", REGISTRY] {
        stream(&world, &["--resume", name]).code(if name == "link" { "E100" } else { "E999" });
    }
    assert_eq!(fs::read(&target).expect("a file"), b"");
}

/// The reader stops reading, so that the program is blocked in a write when it is interrupted.
#[cfg(unix)]
#[test]
fn the_lines_before_an_interruption_remain() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let world = World::new();
    for number in 0..2_000 {
        world.directory(&format!("{REGISTRY}/s{number:04}"), &[("SKILL.md", DEEP)]);
    }
    let args = ["lint", REGISTRY, "-o", "jsonl"];
    let mut command = world.process(env!("CARGO_BIN_EXE_skc-under-test"), &args);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    for _ in 0..2 {
        reader.read_line(&mut text).expect("a line");
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("a signal").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    reader.read_to_string(&mut text).expect("text");
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let found = paths(&text[..whole]);
    assert!(!found.is_empty() && found.len() < 2_000);
    assert!(!text.contains("\"summary\""));
    assert!(found.is_sorted());
}
