//! `skc tour`.

use std::fs;
use std::path::PathBuf;

use skillc_tests::{World, snapshot};

use crate::PROGRAM;

#[test]
fn the_tour_shows_each_step_with_its_real_output() {
    let output = World::new().skc(["tour"]).success();
    let text = output.text();
    let mut from = 0;
    for part in [
        "$ skc init release-notes\nCreated ",
        "$ skc lint release-notes\nwarning[W300]: SKL205 ",
        "\n  --> .skillc/skills/release-notes/SKILL.md:18:1\n",
        "\n18 | #### Tone\n   | ^^^^^^^^^\n",
        "\nrelease-notes: 0 errors, 1 warning\n",
        "$ skc build release-notes\nBuilt release-notes (project)\n",
        "$ skc outline release-notes\nSKILL.md\n  # Release Notes\n",
        "$ skc search release-notes \"rollback region\" --limit 3\n",
        "$ skc show release-notes --section \"Rolling back\"\n## Rolling back\n",
        "$ skc stats release-notes\nrelease-notes usage statistics (all time)\nTotal accesses: 5\n",
        "\nTop sections:\n  1. Rolling back (1 access)\n",
        "\nUnused sections:\n",
        "Every command has --help",
    ] {
        let at = text[from..]
            .find(part)
            .unwrap_or_else(|| panic!("no '{part}' in order: {text}"));
        from += at + part.len();
    }
    assert_eq!(output.stderr, "");
}

#[test]
fn the_tour_changes_no_files() {
    let mut world = World::built(&[]);
    let temporary = world.cwd.join("temporary");
    fs::create_dir(&temporary).expect("a directory");
    world.set("TMPDIR", temporary.to_str().expect("UTF-8"));
    fs::write(world.cwd.join(".skillc/config.toml"), "nonsense").expect("a file");
    let (home, cwd) = (snapshot(&world.home), snapshot(&world.cwd));
    let output = world
        .process(PROGRAM, &["tour"])
        .output()
        .expect("should run");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!text.contains("config.toml"), "{text}");
    assert!(snapshot(&world.home) == home, "the home changed");
    let after = snapshot(&world.cwd);
    let changed = after
        .keys()
        .filter(|path| after.get(*path) != cwd.get(*path));
    assert_eq!(changed.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    assert!(after == cwd, "a file was removed");
}

#[test]
fn without_a_temporary_directory_the_tour_names_the_variable_to_set() {
    let mut world = World::new();
    world.set("TMPDIR", "/nonexistent/here");
    let output = world
        .process(PROGRAM, &["tour"])
        .output()
        .expect("should run");
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error[E999]: creating a temporary directory in '/nonexistent/here': no such file or directory\n\
         Set TMPDIR to a writable directory.\n"
    );
}

/// The user's real configuration has no effect.
#[test]
fn the_tour_ignores_configuration_and_environment() {
    let mut world = World::project();
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    fs::write(world.home.join(".skillc/config.toml"), "nonsense").expect("a file");
    fs::write(world.cwd.join(".skillc/config.toml"), "nonsense").expect("a file");
    world.set("SKILLC_TOKENIZER", "nonsense");
    world.set("SKC_VERBOSE", "1");
    let output = world.skc(["tour"]).success();
    assert!(
        !output.text().contains("nonsense") && !output.text().contains("debug:"),
        "{output:?}"
    );
}
