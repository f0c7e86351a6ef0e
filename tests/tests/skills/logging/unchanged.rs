//! Logging changes neither results, exit status and order, nor sources, nor the output of other commands.

use std::fs;

use skillc_tests::{World, snapshot_with_logs};

use crate::logging::support::{DISABLED, counts, local, primary};

const COMMANDS: [&[&str]; 14] = [
    &["lint", "demo"],
    &["lint", "demo", "-o", "json"],
    &["outline", "demo"],
    &["outline", "demo", "-o", "json"],
    &["show", "demo", "--section", "Same"],
    &["show", "demo", "--section", "None"],
    &["open", "demo", "a.md"],
    &["open", "demo", "none.md"],
    &["sources", "demo"],
    &["search", "demo", "word"],
    &["search", "demo", "word", "-o", "json"],
    &["search", "demo", " "],
    &["list"],
    &["build", "demo"],
];

fn world() -> World {
    World::built(&[
        ("a.md", "# Same\n\nword one\n"),
        ("b.md", "# Same\n\nword word\n"),
    ])
}

/// Returns the output and exit status of every command, without the paths, which differ between worlds.
fn outputs(world: &World) -> Vec<(bool, String, String)> {
    let run = |args: &[&str]| {
        let output = world.skc_at(&world.cwd, args);
        let root = world.cwd.parent().expect("a parent").display().to_string();
        let text = |text: &str| text.replace(&root, "[ROOT]");
        (output.ok, text(output.text()), text(&output.stderr))
    };
    COMMANDS.iter().map(|args| run(args)).collect()
}

/// C-LOGGING@7.8, C-LOGGING@7.6, D-W002.
#[test]
fn results_do_not_depend_on_the_log() {
    let (well, beside, without) = (world(), world(), world());
    for world in [&beside, &without] {
        fs::remove_file(primary(world)).expect("a log");
        fs::create_dir(primary(world)).expect("a directory");
    }
    fs::write(without.cwd.join(".skillc/logs"), "in the way").expect("a file");
    let expected = outputs(&well);
    assert_eq!(outputs(&beside), expected);
    assert_eq!(counts(&well).0, COMMANDS.len());
    assert!(local(&beside).is_file() && !local(&well).exists());

    let mut warned = 0;
    for (args, (outputs, expected)) in COMMANDS.iter().zip(outputs(&without).iter().zip(&expected))
    {
        assert_eq!(
            (outputs.0, &outputs.1),
            (expected.0, &expected.1),
            "{args:?}"
        );
        warned += outputs.2.matches(DISABLED).count();
        let rest = outputs.2.replace(&format!("{DISABLED}\n"), "");
        assert_eq!(rest, expected.2, "{args:?}");
    }
    // Every command warns, except for `list`.
    assert_eq!(warned, COMMANDS.len() - 1);
}

/// C-LOGGING@7.8.
#[test]
fn nothing_is_created_in_the_source() {
    let world = world();
    let before = snapshot_with_logs(&world.demo_source());
    outputs(&world);
    assert_eq!(snapshot_with_logs(&world.demo_source()), before);
}

/// C-LOGGING@7.8, C-LIST.4: a skill that has only a log does not count as built.
#[test]
fn reading_a_skill_does_not_make_it_built() {
    let world = World::demo(&[]);
    let before = world.skc(["list", "-o", "json"]).success().stdout;
    world.skc(["outline", "demo"]).success();
    assert_eq!(world.skc(["list", "-o", "json"]).success().stdout, before);
    world.skc(["search", "demo", "hello"]).code("E002");
    world.skc(["build", "demo"]).success();
    world.skc(["search", "demo", "hello"]).success();
}

/// C-LOGGING@7.8: verbose output shows where the row went.
#[test]
fn verbose_output_names_the_log() {
    let world = world();
    let line = |world: &World| {
        let output = world.skc(["outline", "demo", "-v"]).success();
        let lines = output.stderr.lines();
        let logs: Vec<String> = lines
            .filter_map(|line| line.strip_prefix("debug: log     "))
            .map(str::to_owned)
            .collect();
        logs
    };
    assert_eq!(line(&world), [primary(&world).display().to_string()]);
    fs::write(primary(&world), "in the way").expect("a file");
    let lines = line(&world);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("not written to "), "{lines:?}");
    assert_eq!(lines[1], local(&world).display().to_string());
}
