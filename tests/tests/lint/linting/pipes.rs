//! Running in pipes and in CI: quiet output, output to files, limits on warnings.

use std::fs;

use serde_json::Value;
use skillc_tests::World;

use crate::linting::sample::world;
use crate::linting::support::{DEEP, NAMELESS};

/// Returns arguments that lint the sample's skills below the working directory.
fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["lint", ".", "--select", "SKL101,SKL205"], more].concat()
}

#[test]
fn quiet_prints_only_findings_on_standard_output() {
    let world = world();
    let usual = world.skc_at(&world.cwd, &args(&[]));
    let run = world.skc_at(&world.cwd, &args(&["-q"]));
    assert!(!run.ok, "errors fail the run");
    assert_eq!(run.stderr, "");
    let hint = "[*] 3 fixable with --fix\n";
    assert_eq!(usual.stderr.strip_suffix(hint), Some(run.text()));
    for format in ["concise", "github"] {
        let usual = world.skc_at(&world.cwd, &args(&["-o", format]));
        let run = world.skc_at(&world.cwd, &args(&["--quiet", "-o", format]));
        assert_eq!((run.text(), &*run.stderr), (usual.text(), ""), "{format}");
    }
    for format in ["json", "sarif", "gitlab", "junit"] {
        let run = world.skc_at(&world.cwd, &args(&["--quiet", "-o", format]));
        assert!(!run.text().is_empty(), "{format}");
        assert_eq!(run.stderr, "", "{format}");
    }
}

#[test]
fn quiet_omits_clean_and_compiled_skills_fixes_and_baselines() {
    let world = world();
    for format in ["text", "concise", "github"] {
        let args = ["lint", "demo", "-q", "-o", format];
        let run = world.skc_at(&world.cwd, &args).success();
        assert_eq!((run.text(), &*run.stderr), ("", ""), "{format}");
    }
    let compiled = world.demo_runtime();
    let compiled = compiled.to_str().expect("UTF-8");
    let run = world.skc(["lint", compiled, "-q"]).success();
    assert_eq!((run.text(), &*run.stderr), ("", ""));
    world.skc(["lint", "tables", "--write-baseline", "-q"]);
    let list = [".skilllint-baseline.toml"; 1];
    let args = [&["lint", "tables", "-q", "--baseline"], &list[..]].concat();
    let run = world.skc_at(&world.cwd, &args).success();
    assert_eq!((run.text(), &*run.stderr), ("", ""));
    let run = world.skc(["lint", "tables", "-q", "--fix", "--select", "SKL205"]);
    assert_eq!((run.text(), &*run.stderr), ("", ""));
}

#[test]
fn quiet_keeps_errors() {
    let world = world();
    let run = world.skc(["lint", "-q", "nothing"]);
    run.error("error[E001]: skill 'nothing' not found");
    world.skc(["lint", "-q", "--matrix"]).code("E100");
}

/// Clean skills are counted, not listed.
#[test]
fn clean_skills_are_listed_only_on_request() {
    let world = World::project();
    world.project_skill("clean", &[]);
    world.project_skill("deep", &[("SKILL.md", DEEP)]);
    let lines = |run: &skillc_tests::Output| {
        let text = run.text().rsplit_once(" in ").expect("a time").0;
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = world.skc(["lint", "--select", "SKL205"]).success();
    let deep = "deep: 0 errors, 1 warning";
    let all = "2 skills: 0 errors, 1 warning";
    assert_eq!(lines(&run), [deep, all]);
    let run = world.skc(["lint", "--select", "SKL205", "-v"]).success();
    assert_eq!(lines(&run), ["clean: 0 errors, 0 warnings", deep, all]);
    let run = world.skc(["lint", "--select", "SKL101"]).success();
    assert_eq!(lines(&run), ["2 skills: 0 errors, 0 warnings"]);
}

#[test]
fn too_many_warnings_fail_the_run() {
    let world = World::project();
    world.project_skill("deep", &[("SKILL.md", DEEP)]);
    for format in ["text", "concise", "json", "sarif", "github"] {
        let run = |max| {
            let args = [
                "lint",
                "--select",
                "SKL205",
                "--max-warnings",
                max,
                "-o",
                format,
            ];
            world.skc_at(&world.cwd, &args)
        };
        assert!(run("1").ok, "{format}");
        let run = run("0");
        assert!(!run.ok, "{format}");
        let line = "1 warning; --max-warnings allows 0";
        assert_eq!(run.stderr.lines().last(), Some(line), "{format}");
    }
    let run = world.skc(["lint", "deep", "--select", "SKL205", "--max-warnings", "0"]);
    assert!(!run.ok);
    // Neither hidden nor fixed findings count.
    let run = world.skc(["lint", "--write-baseline", "--max-warnings", "0"]);
    assert!(run.ok, "{run:?}");
    let run = world.skc(["lint", "--fix", "--select", "SKL205", "--max-warnings", "0"]);
    assert!(run.ok, "{run:?}");
    world.skc(["lint", "--max-warnings", "-1"]).code("E100");
    world.skc(["lint", "--max-warnings", "few"]).code("E100");
}

#[test]
fn any_format_can_be_written_to_a_file() {
    let world = world();
    for format in [
        "text", "concise", "json", "sarif", "github", "gitlab", "junit",
    ] {
        let usual = world.skc_at(&world.cwd, &args(&["-o", format]));
        let run = world.skc_at(&world.cwd, &args(&["-o", format, "--output", "out"]));
        assert!(!run.ok, "the exit status is unchanged: {format}");
        let file = world.cwd.join("out");
        let written = fs::read_to_string(&file).expect("a file");
        let said = format!("Wrote {}\n", file.canonicalize().unwrap().display());
        let text = usual
            .text()
            .rsplit_once(" in ")
            .map_or(usual.text(), |all| all.0);
        if format == "text" {
            assert!(written.starts_with("error[E300]: SKL101 "), "{written}");
            assert!(written.contains(text), "{written}");
            assert_eq!(run.stderr, "[*] 3 fixable with --fix\n");
            assert!(run.text().len() - said.len() < 80, "{format}: {run:?}");
            assert!(run.text().ends_with(&said), "{format}: {run:?}");
            continue;
        } else if format == "junit" {
            // JUnit output includes the duration, which varies.
            assert!(written.starts_with("<?xml"), "{written}");
        } else {
            assert!(written.starts_with(text), "{format}: {written}");
        }
        // Standard output is machine-readable.
        assert_eq!(run.text(), "", "{format}");
        assert!(run.stderr.ends_with(&said), "{format}: {run:?}");
    }
}

#[test]
fn the_output_file_cannot_overwrite_skills_or_configuration() {
    let world = world();
    let source = world.cwd.join(".skillc/skills/demo");
    for (path, text) in [
        (source.join("data.json"), "{}\n"),
        (world.cwd.join(".skilllint.toml"), "# mine\n"),
        (world.cwd.join(".skillc/config.toml"), "# mine\n"),
    ] {
        fs::write(path, text).expect("a file");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(source.join("SKILL.md"), world.cwd.join("link.md")).expect("a link");
    for path in [
        ".skillc/skills/demo/SKILL.md",
        ".skillc/skills/demo/data.json",
        ".skilllint.toml",
        ".skillc/config.toml",
        #[cfg(unix)]
        "link.md",
    ] {
        let before = fs::read(world.cwd.join(path)).expect("a file");
        for more in [&[][..], &["-o", "json"], &["--matrix"]] {
            let run = [&["lint", "demo", "--output", path], more].concat();
            let run = world.skc_at(&world.cwd, &run);
            run.code("E100");
            assert!(
                run.stderr.contains("Choose a file outside the skill"),
                "{run:?}"
            );
        }
        assert_eq!(fs::read(world.cwd.join(path)).expect("a file"), before);
    }
    // Output files inside the skill are allowed if they replace no file of the skill: one is new, and the other is
    // hidden, so it is not part of the skill.
    for path in ["new.json", ".reports/old.json"] {
        let file = source.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        if path.starts_with('.') {
            fs::write(&file, "").expect("a file");
        }
        let path = file.to_str().expect("UTF-8");
        let run = world.skc(["lint", "demo", "-o", "json", "--output", path]);
        assert!(run.stderr.contains("Wrote "), "{run:?}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let world = world();
    for format in ["concise", "json"] {
        let usual = world.skc(["lint", "demo", "-o", format]);
        let run = world.skc(["lint", "demo", "-o", format, "--output", "-"]);
        assert_eq!(run.text(), usual.text());
    }
    assert!(!world.cwd.join("-").exists());
}

#[test]
fn the_output_file_is_replaced_atomically_and_silently_with_quiet() {
    let world = world();
    let file = world.cwd.join("found.txt");
    fs::write(&file, "x".repeat(1 << 16)).expect("a file");
    let more = ["-q", "-o", "concise", "--output-file", "found.txt"];
    let run = world.skc_at(&world.cwd, &args(&more));
    assert_eq!((run.text(), &*run.stderr, run.ok), ("", "", false));
    let written = fs::read_to_string(&file).expect("a file");
    assert_eq!(written.lines().count(), 4, "{written}");
    assert!(!written.contains('x') || written.contains("wide text"));
    let run = world.skc(["lint", "demo", "--output", "missing/found.txt"]);
    assert!(
        !run.ok && run.stderr.starts_with("error[E999]: writing '"),
        "{run:?}"
    );
    world.skc(["lint", "--watch", "--output", "x"]).code("E100");
    assert!(!world.cwd.join("x").exists());
}

/// D-LINT-JSON: whether the JSON is a list depends on the arguments, not on the number of skills found.
#[test]
fn arguments_that_may_match_several_skills_always_yield_a_list() {
    let world = World::new();
    world.directory("skills/only", &[("SKILL.md", NAMELESS)]);
    let shape = |args: &[&str]| {
        let json = world
            .skc_at(&world.cwd, &[&["lint", "-o", "json"], args].concat())
            .json();
        let mut keys: Vec<String> = json
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect();
        keys.sort();
        (keys.join(" "), json)
    };
    let several = "error_count skills warning_count";
    for args in [
        &["."][..],
        &["skills"],
        &["skills/*"],
        &["skills/only", "skills/only"],
    ] {
        let (keys, json) = shape(args);
        assert_eq!(keys, several, "{args:?}");
        assert_eq!(json["skills"].as_array().map(Vec::len), Some(1), "{args:?}");
        assert_eq!(json["error_count"], Value::from(1));
    }
    for args in [&["skills/only"][..], &["skills/only/SKILL.md"]] {
        let (keys, json) = shape(args);
        assert!(
            keys.contains("diagnostics") && !keys.contains("skills"),
            "{args:?}"
        );
        assert_eq!(json["skill"], "only", "{args:?}");
    }
}

#[test]
fn locations_are_relative_to_the_working_directory() {
    let world = World::project();
    world.project_skill("deep", &[("SKILL.md", DEEP)]);
    world.global_skill("far", &[("SKILL.md", DEEP)]);
    for args in [
        &["deep"][..],
        &[".skillc/skills/deep"],
        &["./.skillc/skills/deep/SKILL.md"],
        &["far"],
    ] {
        let args = [&["lint", "--select", "SKL205"], args].concat();
        let run = world.skc_at(&world.cwd, &args);
        let place = run
            .stderr
            .lines()
            .find_map(|line| line.strip_prefix("  --> "));
        let place = place.expect("a place");
        let path = place.split(':').next().expect("a path");
        assert!(world.cwd.join(path).is_file(), "{args:?}: {place}");
    }
}

#[test]
fn fixable_findings_are_marked_and_counted() {
    let world = world();
    let run = world.skc(["lint", "tables", "--select", "SKL101,SKL205"]);
    let marks = run.stderr.matches("  = [*] fixable with --fix\n").count();
    assert_eq!(marks, 3, "{}", run.stderr);
    assert!(
        run.stderr.ends_with("\n[*] 3 fixable with --fix\n"),
        "{}",
        run.stderr
    );
    let args = [
        "lint",
        "tables",
        "--select",
        "SKL101,SKL205",
        "-o",
        "concise",
    ];
    let run = world.skc_at(&world.cwd, &args);
    let marked = |line: &&str| line.contains(" [*] [SKL205 heading-hierarchy]");
    assert_eq!(run.text().lines().filter(marked).count(), 3, "{run:?}");
    assert!(
        run.text()
            .starts_with(".skillc/skills/tables/SKILL.md:1:1: error: ")
    );
    // A finding with an unsafe fix is not marked, because `--fix` alone does not apply the fix.
    let text = skillc_tests::MINIMAL.replace("name: demo", "name: other");
    let world = World::demo(&[("SKILL.md", &text)]);
    let run = world.skc(["lint", "demo", "--select", "SKL104"]);
    assert!(!run.stderr.contains("[*]"), "{}", run.stderr);
    assert!(
        run.stderr
            .ends_with("1 fixable with --fix --unsafe-fixes\n"),
        "{}",
        run.stderr
    );
}
