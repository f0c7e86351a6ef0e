//! Colours: used on terminals by default; they never change the text.

use std::ffi::OsString;
use std::process::ExitCode;

use skillc::Io;
use skillc_core::{Error, Warning};
use skillc_tests::{World, without_colours as plain};

/// Creates skills of each status, and an invalid one.
fn world() -> World {
    let world = World::built(&[]);
    world.global_skill(
        "fresh",
        &[(
            "SKILL.md",
            "---\nname: fresh\ndescription: D.\n---\n\n# F\n\n### Deep\n",
        )],
    );
    world.project_skill("odd", &[("SKILL.md", "# Odd\n")]);
    world
}

/// Runs `skc` in this process as if both streams were terminals.
fn styled(world: &World, args: &[&str]) -> (ExitCode, String, String) {
    let args: Vec<OsString> = ["skc"].iter().chain(args).map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        out_is_styled: true,
        err_is_styled: true,
    };
    let status = skillc::run(&args, &mut io, world.context_at(&world.cwd));
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status, text(out), text(err))
}

/// C-CODES.6, CL.8.
#[test]
fn the_text_is_the_same_with_and_without_colour() {
    let world = world();
    for args in [
        &["list"][..],
        &["list", "-v"],
        &["outline", "demo"],
        &["lint", "fresh"],
        &["build", "demo"],
        &["open", "demo", "nope"],
        &["list", "--bogus"],
        &["--help"],
        &[],
    ] {
        let usual = world.skc_at(&world.cwd, args);
        let (status, out, err) = styled(&world, args);
        assert_eq!(status == ExitCode::SUCCESS, usual.ok, "{args:?}");
        assert!(
            out.contains('\u{1b}') || err.contains('\u{1b}'),
            "no colour at all: {args:?}"
        );
        let without_time = |text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with("debug: time"));
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(plain(&out), usual.text(), "{args:?}");
        assert_eq!(
            without_time(&plain(&err)),
            without_time(&usual.stderr),
            "{args:?}"
        );
    }
}

/// C-CODES.6: logs and other programs also receive messages, and must not get colour codes.
#[test]
fn messages_contain_no_colour_codes() {
    let skill = "a\u{1b}[31mb".to_owned();
    let error = Error::SkillNotFound {
        skill: skill.clone(),
    }
    .to_string();
    let warning = Warning::StaleLocalLogs { skill }.to_string();
    assert!(
        !error.contains('\u{1b}') && !warning.contains('\u{1b}'),
        "{error} {warning}"
    );
}

/// C-CODES.6, CL.8.
#[test]
fn pipes_get_no_colour() {
    let mut world = world();
    world.set("TERM", "xterm-256color");
    for args in [
        &["list"][..],
        &["lint", "fresh"],
        &["open", "demo", "nope"],
        &["--help"],
        &["tour"],
        &[],
    ] {
        let output = world
            .process(crate::PROGRAM, args)
            .output()
            .expect("should run");
        let bytes = [output.stdout, output.stderr].concat();
        assert!(!bytes.is_empty() && !bytes.contains(&0x1b), "{args:?}");
    }
}

/// A pager or a CI log can show colours.
#[test]
fn pipes_get_colour_on_request() {
    let run = |world: &World, args: &[&str]| {
        let mut run = world.process(crate::PROGRAM, args);
        run.output().expect("should run")
    };
    let is_coloured = |world: &World, args: &[&str]| {
        let output = run(world, args);
        [output.stdout, output.stderr].concat().contains(&0x1b)
    };
    let mut world = world();
    for args in [["list", "--color=always"], ["--color=always", "list"]] {
        assert!(is_coloured(&world, &args), "{args:?}");
    }
    // JSON is never coloured.
    let json = run(&world, &["list", "--color=always", "-o", "json"]).stdout;
    assert!(!json.contains(&0x1b));
    world.set("CLICOLOR_FORCE", "1");
    assert!(is_coloured(&world, &["list"]));
    assert!(is_coloured(&world, &["open", "demo", "nope"]));
    assert!(!is_coloured(&world, &["list", "--color", "never"]));
    world.skc(["list", "--color", "sometimes"]).code("E100");
}

/// Tests on a pseudo-terminal.
#[cfg(target_os = "linux")]
mod terminal {
    use skillc_tests::terminal;

    use super::*;

    /// Runs a command with both streams on a terminal; returns the terminal output.
    fn on_terminal(world: &World, args: &[&str]) -> String {
        terminal::on_terminal(world.process(crate::PROGRAM, args), None).0
    }

    /// CL.8, C-CODES.6.
    #[test]
    fn terminals_get_colour_unless_a_variable_disables_it() {
        let mut world = world();
        world.set("TERM", "xterm-256color");
        let table = on_terminal(&world, &["list"]);
        let error = on_terminal(&world, &["open", "demo", "nope"]);
        assert!(
            table.contains('\u{1b}') && error.contains('\u{1b}'),
            "{table}{error}"
        );
        assert_eq!(plain(&error), "error[E021]: file not found: 'nope'\n");
        assert!(plain(&table).contains("SKILL  SCOPE"), "{table}");
        assert!(!on_terminal(&world, &["list", "--color", "never"]).contains('\u{1b}'));
        for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
            let mut world = self::world();
            world.set("TERM", "xterm-256color");
            world.set(name, value);
            assert!(!on_terminal(&world, &["list"]).contains('\u{1b}'), "{name}");
            assert!(
                !on_terminal(&world, &["open", "demo", "nope"]).contains('\u{1b}'),
                "{name}"
            );
            assert!(
                !on_terminal(&world, &["--help"]).contains('\u{1b}'),
                "{name}"
            );
        }
    }

    /// A progress bar that appears and is erased at once would only flicker.
    #[test]
    fn quick_work_shows_no_progress() {
        let world = world();
        let text = on_terminal(&world, &["lint", "fresh", "--color", "never"]);
        assert!(
            !text.contains('\u{1b}') && !text.contains("Linting"),
            "{text}"
        );
    }
}
