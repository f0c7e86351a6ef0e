//! Hostile names and paths.

use std::fs;

use skillc_tests::{World, snapshot};

/// C-RESOLUTION@7.5, D-NAME-SAFETY, C-CODES.6.
#[test]
fn control_characters_in_a_name_are_escaped_and_match_nothing() {
    let world = World::demo(&[]);
    for (asked, shown) in [
        ("demo\n", "demo\\n"),
        ("\u{1b}[31mdemo", "\\u{1b}[31mdemo"),
        ("de\u{7f}mo", "de\\u{7f}mo"),
        ("demo\r", "demo\\r"),
    ] {
        for command in ["outline", "sources", "lint", "build"] {
            world
                .skc([command, asked])
                .error(&format!("error[E001]: skill '{shown}' not found"));
        }
    }
}

/// C-RESOLUTION@7.5, D-NAME-SAFETY.
#[test]
fn overlong_names_and_paths_match_nothing() {
    let world = World::demo(&[]);
    let long = [
        "x".repeat(256),
        "x".repeat(300),
        "x".repeat(100_000),
        "x/".repeat(50_000),
        "../".repeat(5_000) + "x",
        "é".repeat(128),
    ];
    for asked in &long {
        for command in ["outline", "build", "sources"] {
            world
                .skc([command, asked])
                .error(&format!("error[E001]: skill '{asked}' not found"));
        }
    }
}

/// C-RESOLUTION@7.5, D-NAME-SAFETY.
#[test]
fn shell_expansions_are_literal() {
    let world = World::demo(&[]);
    world.global_skill("tool", &[]);
    let words = [
        "*",
        "dem?",
        "~",
        "~/.skillc/skills/tool",
        "$HOME",
        "%s",
        "demo;ls",
        "{demo}",
        "-",
    ];
    let before = snapshot(&world.cwd);
    for asked in words {
        world
            .skc(["outline", asked])
            .error(&format!("error[E001]: skill '{asked}' not found"));
    }
    assert_eq!(snapshot(&world.cwd), before);
}

/// C-RESOLUTION@7.3.
#[test]
fn a_file_is_not_a_skill_directory() {
    let world = World::demo(&[]);
    fs::write(world.cwd.join("file"), "").unwrap();
    fs::write(world.cwd.join(".skillc/skills/plain"), "").unwrap();
    for asked in ["file", "plain", "file/", ".skillc/skills/demo/SKILL.md"] {
        world
            .skc(["outline", asked])
            .error(&format!("error[E001]: skill '{asked}' not found"));
    }
}

/// C-RESOLUTION@7.5.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_an_invalid_argument() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use skillc_tests::Output;

    let world = World::demo(&[]);
    let program = env!("CARGO_BIN_EXE_skc-under-test");
    for command in ["outline", "build", "init"] {
        let mut process = world.process(program, &[command]);
        process.arg(OsStr::from_bytes(b"de\xffmo"));
        Output::new(process.output().unwrap()).code("E100");
    }
}
