//! `skc catalog pick` in a terminal, and without one.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use skillc_tests::tmux::Tmux;
use skillc_tests::{Output, World};

const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Text on the screen before and after the picker.
const BEFORE: &str = "what was here before";

/// Creates a project with two skills, and a user skill.
fn world() -> World {
    let world = World::project();
    let text = |name: &str, about: &str| {
        format!("---\nname: {name}\ndescription: {about}\n---\n\n# About {name}\n")
    };
    for (name, about) in [
        ("draft-release", "Draft release notes"),
        ("old-helper", "Help with what is old"),
    ] {
        world.project_skill(name, &[("SKILL.md", &text(name, about))]);
    }
    let about = "Look at a change before it is merged";
    world.global_skill("review", &[("SKILL.md", &text("review", about))]);
    world
}

/// Opens the picker in a terminal. The picker's output goes to the file `chosen`, and its exit status is shown on the
/// screen.
fn open(world: &World, args: &str) -> Option<Tmux> {
    let terminal = Tmux::open(world, SKC)?;
    terminal.line(&format!("echo {BEFORE}"));
    terminal.wait_for(&format!("\n{BEFORE}"));
    terminal.line(&format!(
        "sh -c 'echo $$ > pid; exec $SKC catalog pick {args}' > chosen; echo \"ended: $?\""
    ));
    terminal.wait_for("Esc leave");
    Some(terminal)
}

/// Waits for a screen that contains all of `texts` but not `gone`. A screen is drawn in pieces, so waiting for a single
/// string would not be enough.
fn shows(terminal: &Tmux, texts: &[&str], gone: &str) {
    terminal.wait(&format!("{texts:?} without {gone}"), |screen| {
        texts.iter().all(|text| screen.contains(text)) && !screen.contains(gone)
    });
}

/// Asserts that the picker exited with this status and restored the terminal. Returns its output.
fn ended(world: &World, terminal: &Tmux, status: &str) -> String {
    let screen = terminal.wait_for(&format!("\nended: {status}\n"));
    assert!(screen.contains(&format!("\n{BEFORE}\n")), "{screen}");
    assert!(!screen.contains("scope=all"), "{screen}");
    terminal.line("stty -a > modes; echo \"modes: $((40 + 2))\"");
    terminal.wait_for("\nmodes: 42\n");
    let modes = fs::read_to_string(world.cwd.join("modes")).expect("should exist");
    let modes = modes.replace(';', " ");
    let is_on = |mode: &str| modes.split_whitespace().any(|word| word == mode);
    assert!(is_on("icanon") && is_on("echo") && is_on("isig"), "{modes}");
    fs::read_to_string(world.cwd.join("chosen")).expect("should exist")
}

/// CAT-PICK.2, CAT-PICK.6.
#[test]
fn typing_filters_and_enter_prints_the_path() {
    let world = world();
    let Some(terminal) = open(&world, "") else {
        return;
    };
    let lines = [
        "> * repo  draft-release  Draft release notes",
        "  * repo  old-helper     Help with what is old",
        "  * user  review         Look at a change before it is merged",
        "# About draft-release",
    ];
    shows(&terminal, &lines, "no skills matched");
    terminal.keys(&["M", "e", "r", "g", "x", "BSpace"]);
    shows(
        &terminal,
        &["query=Merg_", "> * user  review"],
        "old-helper",
    );
    terminal.keys(&["Enter"]);
    let chosen = ended(&world, &terminal, "0");
    let path = world.home.join(".skillc/skills/review/SKILL.md");
    assert_eq!(chosen, format!("{}\n", path.display()));
}

/// CAT-PICK.3, CAT-PICK.5, CAT-PICK.8.
#[test]
fn tab_cycles_through_scopes_and_the_initial_query_is_shown() {
    let world = world();
    let Some(terminal) = open(&world, "--query e") else {
        return;
    };
    terminal.wait_for("scope=all  enabled=3/3  query=e_");
    terminal.keys(&["Tab"]);
    shows(&terminal, &["scope=repo", "old-helper"], "review");
    terminal.keys(&["Tab"]);
    shows(&terminal, &["scope=user", "review"], "old-helper");
    terminal.keys(&["Tab", "z"]);
    terminal.wait_for("(no skills matched)");
    terminal.keys(&["Enter", "Space"]);
    terminal.keys(&["C-u"]);
    terminal.wait_for("scope=all  enabled=3/3  query=_");
    terminal.keys(&["Escape"]);
    assert_eq!(ended(&world, &terminal, "1"), "");
}

/// CAT-PICK.4, CAT-PICK.5.
#[test]
fn space_enables_and_disables_a_skill_at_once() {
    let world = world();
    let Some(terminal) = open(&world, "") else {
        return;
    };
    terminal.keys(&["Down", "Space"]);
    let lines = [
        "old-helper is now disabled",
        "enabled=2/3",
        "> x repo  old-helper",
    ];
    shows(&terminal, &lines, "enabled=3/3");
    // The change is written immediately.
    let listed = world.skc(["catalog", "pick", "--render"]).success();
    assert!(listed.text().contains("x repo  old-helper"), "{listed:?}");
    let config = fs::read_to_string(world.cwd.join(".skillc/config.toml")).expect("should exist");
    assert!(config.contains("old-helper"), "{config}");
    terminal.keys(&["Space"]);
    let lines = ["old-helper is now enabled", "enabled=3/3"];
    shows(&terminal, &lines, "enabled=2/3");
    terminal.keys(&["C-c"]);
    assert_eq!(ended(&world, &terminal, "1"), "");
    let listed = world.skc(["catalog", "pick", "--render"]).success();
    assert!(listed.text().contains("enabled=3/3"), "{listed:?}");
}

#[test]
fn a_change_that_cannot_be_written_is_reported_and_not_applied() {
    let world = world();
    let config = world.cwd.join(".skillc/config.toml");
    fs::write(&config, "version = 1\n").expect("should be writable");
    let Some(terminal) = open(&world, "") else {
        return;
    };
    let broken = "version = 1\n[skills\n";
    fs::write(&config, broken).expect("should be writable");
    terminal.keys(&["Space"]);
    shows(&terminal, &["error[", "enabled=3/3"], "enabled=2/3");
    terminal.keys(&["Escape"]);
    ended(&world, &terminal, "1");
    let now = fs::read_to_string(&config).expect("should exist");
    assert_eq!(now, broken);
}

/// CAT-PICK.6.
#[test]
fn signals_end_the_picker_and_the_terminal_is_restored() {
    for signal in ["TERM", "HUP", "INT"] {
        let world = world();
        let Some(terminal) = open(&world, "") else {
            return;
        };
        let pid = fs::read_to_string(world.cwd.join("pid")).expect("a pid file");
        let mut kill = Command::new("kill");
        kill.args([&format!("-{signal}"), pid.trim()]);
        assert!(kill.status().expect("kill runs").success());
        assert_eq!(ended(&world, &terminal, "1"), "", "{signal}");
    }
}

/// CAT-PICK.1, CAT-PICK.7.
#[test]
fn without_a_terminal_the_picker_fails_but_render_works() {
    let world = world();
    let output = world.process(SKC, &["catalog", "pick"]).output();
    let output = Output::new(output.expect("should run"));
    output.error("error[E067]: the picker needs a terminal");
    assert!(!output.stderr.contains('\u{1b}'), "{output:?}");
    let args = [
        "catalog", "pick", "--render", "--query", "RELEASE", "--scope", "project",
    ];
    let output = world.process(SKC, &args).output();
    let picture = Output::new(output.expect("should run")).success();
    let picture = picture.text();
    let lines: Vec<&str> = picture.lines().collect();
    assert_eq!(lines[0], "Skills  scope=repo  enabled=3/3  query=RELEASE_");
    assert_eq!(lines[2], "> * repo  draft-release  Draft release notes");
    assert_eq!(lines.len(), 24);
    assert!(
        lines.iter().all(|line| line.chars().count() <= 80),
        "{picture}"
    );
    assert!(!picture.contains('\u{1b}'), "{picture}");
    let output = world.skc(["catalog", "pick", "--render", "--query", "zzz"]);
    assert!(output.success().text().contains("(no skills matched)"));
}

#[test]
fn disabled_skills_cannot_be_picked() {
    let mut world = world();
    world.set("SKILLC_SKILLS_ENABLED", "0");
    for args in [&["catalog", "pick"][..], &["catalog", "pick", "--render"]] {
        let output = world.skc_at(&world.cwd, args);
        output.error("error[E065]: skills are disabled by configuration");
    }
}

#[test]
fn the_screen_is_redrawn_after_a_resize() {
    let world = world();
    let Some(terminal) = open(&world, "") else {
        return;
    };
    terminal.resize(40, 12);
    let screen = terminal.wait("narrow picture", |screen| {
        let lines = ["Up/Down move", "> * repo  draft-release"];
        screen.lines().count() <= 12 && lines.iter().all(|line| screen.contains(line))
    });
    assert!(
        screen.lines().all(|line| line.chars().count() <= 40),
        "{screen}"
    );
    terminal.resize(100, 30);
    terminal.wait_for("Esc leave");
    terminal.keys(&["Escape"]);
    ended(&world, &terminal, "1");
}

/// The picker must not wait for keys that can no longer arrive.
#[test]
fn a_closed_terminal_ends_the_picker() {
    let world = world();
    let Some(terminal) = open(&world, "") else {
        return;
    };
    let pid = fs::read_to_string(world.cwd.join("pid")).expect("should exist");
    let process = format!("/proc/{}", pid.trim());
    assert!(Path::new(&process).exists(), "{process}");
    drop(terminal);
    let begun = Instant::now();
    while Path::new(&process).exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it still runs");
        thread::sleep(Duration::from_millis(20));
    }
}
