//! `--verbose` and `SKC_VERBOSE`: resolved paths and timings on standard error.

use skillc_tests::{Output, World};

fn debug_lines(output: &Output) -> Vec<&str> {
    let lines = output.stderr.lines();
    lines.filter(|line| line.starts_with("debug: ")).collect()
}

/// CL.3, F-41.
#[test]
fn verbose_prints_paths_and_timings_and_leaves_output_unchanged() {
    let world = World::built(&[]);
    let plain = world.skc(["outline", "demo"]).success();
    let verbose = world.skc(["outline", "demo", "-v"]).success();
    assert_eq!(plain.stdout, verbose.stdout);
    assert_eq!(plain.stderr, "");
    let lines = debug_lines(&verbose);
    let source = world.demo_source().display().to_string();
    assert!(
        lines.iter().any(|line| line.ends_with(&source)),
        "{lines:?}"
    );
    let time = lines.last().expect("a last line");
    assert!(
        time.starts_with("debug: time") && time.ends_with(" ms"),
        "{time}"
    );
    assert_eq!(verbose.stderr.lines().count(), lines.len());
}

/// C-COMMANDS.10.
#[test]
fn every_command_takes_verbose_before_and_after_its_name() {
    let world = World::built(&[]);
    for args in [
        &["init"][..],
        &["lint", "demo"],
        &["build", "demo"],
        &["list"],
        &["outline", "demo"],
        &["search", "demo", "hello"],
        &["show", "demo", "--section", "Demo"],
        &["open", "demo", "SKILL.md"],
        &["sources", "demo"],
    ] {
        for flag in ["-v", "--verbose"] {
            let before = world
                .skc_at(&world.cwd, &[&[flag], args].concat())
                .success();
            let after = world
                .skc_at(&world.cwd, &[args, &[flag]].concat())
                .success();
            assert!(
                !debug_lines(&before).is_empty() && !debug_lines(&after).is_empty(),
                "{args:?}"
            );
        }
    }
    for command in skillc::command().get_subcommands() {
        let name = command.get_name();
        world.skc([name, "-v", "--help"]).success();
        world.skc(["-v", name, "--help"]).success();
    }
}

/// D-VERBOSE, CL.3, F-41.
#[test]
fn skc_verbose_is_off_when_empty_0_or_false_and_on_otherwise() {
    let mut world = World::demo(&[]);
    assert_eq!(world.skc(["outline", "demo"]).success().stderr, "");
    for (value, is_on) in [
        ("", false),
        ("0", false),
        ("false", false),
        ("1", true),
        ("true", true),
        ("yes", true),
        ("2", true),
    ] {
        world.set("SKC_VERBOSE", value);
        let output = world.skc(["outline", "demo"]).success();
        assert_eq!(
            !debug_lines(&output).is_empty(),
            is_on,
            "{value:?}: {output:?}"
        );
    }
}

/// D-VERBOSE.
#[test]
fn a_verbose_list_has_the_source_column_and_debug_lines() {
    let world = World::demo(&[]);
    let output = world.skc(["list", "-v"]).success();
    assert!(
        output
            .text()
            .lines()
            .next()
            .is_some_and(|header| header.ends_with("SOURCE")),
        "{output:?}"
    );
    assert!(output.text().contains(".skillc/skills/demo"), "{output:?}");
    assert!(!debug_lines(&output).is_empty(), "{output:?}");
    let json = world.skc(["list", "-v", "--format", "json"]).success();
    assert_eq!(json.json(), world.skc(["list", "--format", "json"]).json());
}

#[test]
fn verbose_may_be_repeated() {
    let world = World::demo(&[]);
    for args in [
        &["list", "-vv"][..],
        &["-v", "list", "--verbose"],
        &["-v", "-v", "list"],
    ] {
        let output = world.skc_at(&world.cwd, args).success();
        assert!(!debug_lines(&output).is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn verbose_failures_still_print_the_error_line() {
    let world = World::demo(&[]);
    let output = world.skc(["open", "demo", "nope.md", "-v"]);
    assert!(
        output
            .stderr
            .lines()
            .any(|line| line == "error[E021]: file not found: 'nope.md'"),
        "{output:?}"
    );
    assert!(debug_lines(&output).len() >= 2, "{output:?}");
}
