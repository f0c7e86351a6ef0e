//! Entries from other runs, entries of removed skills, and unwritable baselines.

use std::fs;

use serde_json::json;
use skillc_tests::World;

use super::baseline::{FILE, lint, list, world, write};
use crate::linting::support::DEEP;

/// A `SKILL.md` that a client rejects because the skill's name contains capitals.
const SHOUTING: &str =
    "---\nname: Shouting Name\ndescription: Has a bad name. Use when testing.\n---\n\n# Shouting\n";

#[test]
fn entries_for_some_clients_survive_runs_for_other_clients() {
    let world = World::new();
    world.directory("loud", &[("SKILL.md", SHOUTING)]);
    let clients = ["lint", ".", "--write-baseline", "--for", "spec,goose"];
    world.skc(clients);
    let listed = list(&world).replace("rule = \"CLT", "owner = \"ada\"\nrule = \"CLT");
    assert!(listed.contains("CLT"), "{listed}");
    write(&world, &listed);
    for args in [&["."][..], &[".", "--for", "codex"]] {
        let json = lint(&world, &[args, &["-o", "json"]].concat()).json();
        assert_eq!(json["baseline"]["stale"], json!([]), "{args:?}");
        let run = world.skc_at(&world.cwd, &[&["lint", "--write-baseline"], args].concat());
        assert!(
            run.stderr.contains(" from other runs kept\n"),
            "{}",
            run.stderr
        );
        assert!(list(&world).contains("owner = \"ada\""), "{args:?}");
    }
    write(&world, &listed);
    world.directory(
        "loud",
        &[("SKILL.md", &SHOUTING.replace("Shouting Name", "loud"))],
    );
    world.skc(clients);
    assert!(!list(&world).contains("ada"), "{}", list(&world));
}

#[test]
fn entries_of_a_removed_skill_are_stale_in_runs_that_would_find_it() {
    let world = world();
    world.skc(["lint", ".", "--write-baseline"]);
    let listed = list(&world);
    fs::rename(world.cwd.join("nameless"), world.cwd.join("renamed")).unwrap();
    for args in [&["deep"][..], &["d*"], &[".", "--select", "SKL205"]] {
        let json = lint(&world, &[args, &["-o", "json"]].concat()).json();
        assert_eq!(json["baseline"]["stale"], json!([]), "{args:?}");
        world.skc_at(&world.cwd, &[&["lint", "--write-baseline"], args].concat());
        assert_eq!(list(&world), listed, "{args:?}");
    }
    let json = lint(&world, &[".", "-o", "json"]).json();
    assert_eq!(json["baseline"]["stale"][0]["skill"], "nameless");
    world.skc(["lint", ".", "--write-baseline"]);
    assert!(
        !list(&world).contains("skill = \"nameless\""),
        "{}",
        list(&world)
    );
    assert!(list(&world).contains("skill = \"renamed\""));
}

/// Hostile: a project could configure a baseline whose path is a file that Git uses, such as a hook.
#[test]
fn a_baseline_in_a_git_folder_is_not_written() {
    let world = world();
    let hooks = world.cwd.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for named in [".git/hooks/post-checkout", ".Git/x", "deep/../.git/x"] {
        let run = world.skc(["lint", ".", "--write-baseline", "--baseline", named]);
        run.error(&format!(
            "error[E100]: invalid option: 'baseline {named} cannot be written: it is in a .git folder'"
        ));
    }
    fs::write(
        world.cwd.join(".skilllint.toml"),
        "baseline = \".git/hooks/post-checkout\"\n",
    )
    .unwrap();
    world.skc(["lint", ".", "--write-baseline"]).code("E100");
    assert_eq!(fs::read_dir(hooks).unwrap().count(), 0);
    assert!(!world.cwd.join(".git/x").exists());
}

#[test]
fn an_unwritable_baseline_is_refused_before_any_change() {
    let world = world();
    let refused = |named: &str, why: &str, next: &str| {
        let args = ["--fix", "--unsafe-fixes", "--write-baseline", "--baseline"];
        let run = world.skc_at(
            &world.cwd,
            &[&["lint", "deep"], &args[..], &[named]].concat(),
        );
        run.error(&format!(
            "error[E100]: invalid option: 'baseline {named} cannot be written: {why}'"
        ));
        assert!(run.stderr.contains(next), "{}", run.stderr);
        let text = fs::read_to_string(world.cwd.join("deep/SKILL.md")).unwrap();
        assert_eq!(text, DEEP);
    };
    refused(
        "none/known.toml",
        "its folder does not exist",
        "Create the folder",
    );
    write(&world, "version = 1\n");
    let of_file = fs::metadata(world.cwd.join(FILE)).unwrap().permissions();
    let mut read_only = of_file.clone();
    read_only.set_readonly(true);
    fs::set_permissions(world.cwd.join(FILE), read_only).unwrap();
    refused(FILE, "it is read-only", "Make it writable");
    assert_eq!(list(&world), "version = 1\n");
    fs::set_permissions(world.cwd.join(FILE), of_file).unwrap();
    let large = format!("#{}\nversion = 1\n", "-".repeat((16 << 20) - 20));
    write(&world, &large);
    let run = world.skc(["lint", ".", "--write-baseline"]);
    run.error(&format!(
        "error[E100]: invalid option: 'baseline {FILE} cannot be written: larger than 16 MiB'"
    ));
    assert!(list(&world) == large);
    world
        .skc(["lint", ".", "--watch", "--write-baseline"])
        .code("E100");
}

#[test]
fn a_run_without_skills_creates_no_baseline() {
    let world = World::new();
    let run = world.skc(["lint", "--write-baseline"]);
    run.error("error[E068]: no skills found");
    assert!(!world.cwd.join(FILE).exists());
}

#[test]
fn a_duplicate_entry_is_not_reported_as_stale() {
    let world = world();
    world.skc(["lint", "deep", "--write-baseline"]);
    let listed = list(&world);
    let at = listed.find("[[finding]]").expect("an entry");
    write(&world, &format!("{listed}\n{}", &listed[at..]));
    let run = lint(&world, &["deep"]);
    let said = "stale: SKL205 at deep/SKILL.md is listed more often than it is found: ";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}
