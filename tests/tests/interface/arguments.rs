//! Invalid command lines: always E100, exit status 1, nothing on standard output.

use skillc_tests::World;

use crate::PROGRAM;

/// Valid arguments of each command, so that only the error under test remains.
const GOOD: [(&str, &[&str]); 30] = [
    ("init", &[]),
    ("lint", &["demo"]),
    ("scan", &["demo"]),
    ("explain", &["SKL101"]),
    ("rules", &[]),
    ("schema", &["config"]),
    ("budget", &[]),
    ("doctor", &[]),
    ("build", &["demo"]),
    ("remove", &["demo"]),
    ("clean", &[]),
    ("list", &[]),
    ("outline", &["demo"]),
    ("search", &["demo", "x"]),
    ("show", &["demo", "--section", "Demo"]),
    ("open", &["demo", "SKILL.md"]),
    ("sources", &["demo"]),
    ("path", &["demo"]),
    ("stats", &["demo"]),
    ("sync", &["demo"]),
    ("audit", &[]),
    ("mcp", &[]),
    ("catalog", &["list"]),
    ("plugin", &["list"]),
    ("registry", &["list"]),
    ("self", &["check"]),
    ("lsp", &[]),
    ("tour", &[]),
    ("completions", &["bash"]),
    ("man", &[]),
];

#[test]
fn good_arguments_cover_all_commands() {
    let command = skillc::command();
    let names: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    assert_eq!(GOOD.map(|(name, _)| name), *names);
    for (name, good) in GOOD {
        let args = [&["skc", name], good].concat();
        assert!(
            skillc::command().try_get_matches_from(args).is_ok(),
            "{name}"
        );
    }
}

/// C-CODES.4, F-38.
#[test]
fn unknown_options_and_surplus_arguments_are_e100_for_every_command() {
    let world = World::new();
    for (name, good) in GOOD {
        let unknown = world.skc_at(&world.cwd, &[&[name], good, &["--bogus"]].concat());
        unknown.error("error[E100]: invalid option: 'unknown option --bogus'");
        // These commands accept any number of skills or words.
        if matches!(
            name,
            "lint" | "scan" | "budget" | "build" | "remove" | "search"
        ) {
            continue;
        }
        let surplus = world.skc_at(
            &world.cwd,
            &[&[name], good, &["one", "two", "three"]].concat(),
        );
        surplus.code("E100");
        assert!(surplus.stdout.is_empty(), "{name}");
    }
}

/// C-CODES.4, D-CLI-EXIT, F-38: cases are a missing command, argument or value, an unknown command, a bad number and a
/// bad choice.
#[test]
fn other_command_line_errors_are_e100_too() {
    let world = World::new();
    for (args, message) in [
        (&[][..], "no command given"),
        (&["nonsense"], "unknown command \"nonsense\""),
        (&["help", "nonsense"], "unknown command \"nonsense\""),
        (&["search", "demo"], "missing argument <QUERY>"),
        (
            &["show", "demo"],
            "section: is required unless line is given",
        ),
        (&["list", "--limit"], "missing value for --limit <N>"),
        (
            &["list", "--limit", "many"],
            "--limit <N>: \"many\" is not a non-negative integer",
        ),
        (
            &["list", "--limit=-1"],
            "--limit <N>: \"-1\" is not a non-negative integer",
        ),
        (
            &["search", "demo", "x", "--limit", "-1"],
            "--limit <N>: \"-1\" is not a non-negative integer",
        ),
        (
            &["list", "--limit", "99999999999999999999"],
            "--limit <N>: \"99999999999999999999\" is too large",
        ),
        (
            &["outline", "demo", "--level", "1", "--level", "2"],
            "--level <N> is given more than once",
        ),
        (
            &["lint", "--fix", "--diff"],
            "--fix cannot be used with --diff",
        ),
        (&["lint", "--unsafe-fixes"], "missing option <--fix|--diff>"),
        (
            &["outline", "demo", "--level", "300"],
            "level 300 is out of range; use 1 to 6",
        ),
        (
            &["list", "--status", "old"],
            "--status <STATUS>: unknown value \"old\"; expected one of normal, not-built, obsolete, all",
        ),
        (
            &["list", "-o", "yaml"],
            "--format <FORMAT>: unknown value \"yaml\"; expected one of text, json",
        ),
        (
            &["completions", "dos"],
            "<SHELL>: unknown value \"dos\"; expected one of bash, elvish, fish, powershell, zsh",
        ),
    ] {
        world
            .skc_at(&world.cwd, args)
            .error(&format!("error[E100]: invalid option: '{message}'"));
    }
}

/// D-CLI-EXIT, C-CODES.4: runs the real process, to see the numeric status.
#[test]
fn exit_status_is_1_for_invalid_arguments_and_0_for_help() {
    let world = World::new();
    for (args, status) in [
        (&[][..], 1),
        (&["--bogus"], 1),
        (&["show", "demo"], 1),
        (&["--help"], 0),
        (&["--version"], 0),
        (&["help", "build"], 0),
        (&["build", "-h"], 0),
    ] {
        let output = world.process(PROGRAM, args).output().expect("should run");
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        assert_eq!(output.stdout.is_empty(), status == 1, "{args:?}");
        assert_eq!(output.stderr.is_empty(), status == 0, "{args:?}");
    }
}

/// D-CLI-EXIT.
#[test]
fn skc_without_arguments_prints_the_error_and_then_help() {
    let output = World::new().skc([]);
    let mut lines = output.stderr.lines();
    assert_eq!(
        lines.next(),
        Some("error[E100]: invalid option: 'no command given'")
    );
    let help: Vec<&str> = lines.collect();
    for line in ["Usage: skc [OPTIONS] <COMMAND>", "Examples:"] {
        assert!(help.contains(&line), "{output:?}");
    }
}

#[test]
fn hints_follow_the_error_line() {
    let world = World::new();
    let hints = |args: &[&str]| {
        let output = world.skc_at(&world.cwd, args);
        output.stderr.lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    assert!(hints(&["buidl", "demo"]).contains("'build'"));
    assert!(hints(&["list", "--pattren", "x"]).contains("'--pattern'"));
    assert!(
        hints(&["list", "--scope", "globl"])
            .ends_with("For more information, try 'skc list --help'.")
    );
    assert!(hints(&["--bogus"]).ends_with("For more information, try 'skc --help'."));
    for (args, help) in [
        (&["catalog", "load"][..], "skc catalog load --help"),
        (&["skills", "load", "--bogus"], "skc catalog load --help"),
        (&["plugin", "new", "thing", "x"], "skc plugin new --help"),
        (&["catalog", "lod"], "skc catalog --help"),
    ] {
        let end = format!("For more information, try '{help}'.");
        assert!(hints(args).ends_with(&end), "{args:?}: {}", hints(args));
    }
}

/// C-CODES.4: invalid UTF-8 does not crash.
#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_e100() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = World::new();
    let mut command = world.process(PROGRAM, &["outline"]);
    let output = command
        .arg(OsStr::from_bytes(b"a\xff"))
        .output()
        .expect("should run");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.starts_with(b"error[E100]: "), "{output:?}");
}

/// Suggestions contain only skills and files that exist.
#[test]
fn misspelt_names_and_paths_to_skill_md_get_suggestions() {
    let world = World::demo(&[]);
    world.global_skill("pdf-forms", &[("SKILL.md", "---\nname: pdf-forms\n---\n")]);
    std::fs::write(world.cwd.join("notes.txt"), "").unwrap();
    for (asked, hint) in [
        ("deno", "Did you mean 'demo'?"),
        ("Demo", "Did you mean 'demo'?"),
        ("pdf-fomrs", "Did you mean 'pdf-forms'?"),
        (
            ".skillc/skills/demo/SKILL.md",
            "A skill is a folder: use '.skillc/skills/demo'",
        ),
        (".skillc/skills/demp", "Did you mean '.skillc/skills/demo'?"),
        (
            "notes.txt",
            "A skill is a folder with a SKILL.md: 'notes.txt' is a file",
        ),
        ("AGS101", "Select rules with --select, separated by commas"),
        ("pdf", "Did you mean 'pdf-forms'?"),
        (
            "cuda",
            "Looked in .skillc/skills, ~/.skillc/skills; found demo, pdf-forms",
        ),
    ] {
        let output = world.skc(["outline", asked]);
        output.code("E001");
        let hints: Vec<&str> = output.stderr.lines().skip(1).collect();
        assert_eq!(hints.join("\n"), hint, "{asked}");
    }
}

#[cfg(unix)]
#[test]
fn a_skill_md_that_is_not_a_file_is_described() {
    use std::fs;
    use std::os::unix::fs::symlink;

    let world = World::new();
    let at = |name: &str| world.cwd.join(name).join("SKILL.md");
    for name in ["none", "dir", "dangling", "linked"] {
        fs::create_dir(world.cwd.join(name)).unwrap();
    }
    fs::create_dir(at("dir")).unwrap();
    symlink("gone", at("dangling")).unwrap();
    symlink("../dir", at("linked")).unwrap();
    for (name, hint) in [
        ("none", ""),
        ("dir", "SKILL.md exists, but it is a directory"),
        ("dangling", "SKILL.md exists, but it is a dangling symlink"),
        (
            "linked",
            "SKILL.md exists, but it is a symlink to a directory",
        ),
    ] {
        let output = world.skc(["outline", &format!("./{name}")]);
        output.code("E010");
        let hints: Vec<&str> = output.stderr.lines().skip(1).collect();
        assert_eq!(hints.join("\n"), hint, "{name}");
    }
}
