//! A scripted rule behaves like any other: in every output format, in configuration, directives, baselines and fixes.

use std::fs;

use skillc_core::testkit::write_files;

use crate::plugins::support::{TODO, UNDONE, found, world};

/// R5.
#[test]
fn findings_are_in_every_output_format() {
    let world = world(&[("a.rhai", TODO)]);
    let text = world.skc(["lint", "demo"]);
    let said = text.text().to_owned() + &*text.stderr;
    assert!(
        said.contains("warning[W300]: TEAM001 no-todo: a TODO was left\n  --> .skillc/skills/demo/SKILL.md:8:3\n"),
        "{said}"
    );
    assert_eq!(
        found(&world.skc(["lint", "demo", "-o", "json"])),
        ["TEAM001 SKILL.md:8 a TODO was left"]
    );
    let sarif = world.skc(["lint", "demo", "-o", "sarif"]).json();
    let run = &sarif["runs"][0];
    assert_eq!(run["results"][0]["ruleId"], "TEAM001", "{run:#}");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["id"] == "TEAM001").unwrap();
    assert!(rule.to_string().contains("Reports a TODO that was left in"));
    for format in ["concise", "github", "gitlab", "junit"] {
        let run = world.skc(["lint", "demo", "-o", format]);
        assert!(
            run.text().contains("a TODO was left"),
            "{format}: {}",
            run.text()
        );
    }
}

#[test]
fn directives_select_and_ignore_apply() {
    let world = world(&[("a.rhai", TODO)]);
    let file = world.demo_source().join("SKILL.md");
    let count = |args: &[&str]| {
        let run = world.skc_at(
            &world.cwd,
            &[&["lint", "demo", "-o", "json"], args].concat(),
        );
        found(&run).len()
    };
    assert_eq!(count(&["--select", "TEAM"]), 1);
    assert_eq!(count(&["--select", "no-todo"]), 1);
    assert_eq!(count(&["--ignore", "TEAM001"]), 0);
    assert_eq!(count(&["--select", "SKL"]), 0);
    let run = world.skc(["lint", "demo", "--select", "TEAM002"]);
    run.code("E100");
    let quiet = "<!-- skilllint-disable-next-line TEAM001 -- known -->\nA TODO here.";
    fs::write(&file, UNDONE.replace("A TODO here.", quiet)).unwrap();
    let run = world.skc(["lint", "demo", "-o", "json"]);
    assert_eq!(found(&run), [""; 0], "{}", run.text());
}

/// R1, R16.
#[test]
fn configuration_sets_level_and_options() {
    let world = world(&[("a.rhai", TODO)]);
    let config = |text: &str| {
        write_files(&world.cwd, &[(".skilllint.toml", text)]);
        world.skc(["lint", "demo", "-o", "json"])
    };
    assert_eq!(found(&config("[rules]\nTEAM001 = \"off\"\n")), [""; 0]);
    let run = config("[rules]\nno-todo = \"error\"\n");
    assert!(!run.ok, "{run:?}");
    let run = config("[rules]\nTEAM001 = { words = [\"here\"] }\n");
    assert_eq!(found(&run), ["TEAM001 SKILL.md:8 a here was left"]);
    let run = config("[rules]\nTEAM001 = { wrods = [\"here\"] }\n");
    run.code("E100");
    assert!(run.stderr.contains("words"), "{}", run.stderr);
    let schema = world.skc(["schema", "lint"]).text().to_owned();
    assert!(schema.contains("TEAM001") && schema.contains("words"));
}

#[test]
fn known_findings_are_hidden() {
    let world = world(&[("a.rhai", TODO)]);
    world
        .skc([
            "lint",
            "demo",
            "--baseline",
            "known.toml",
            "--write-baseline",
        ])
        .success();
    let list = fs::read_to_string(world.cwd.join("known.toml")).unwrap();
    assert!(list.contains("TEAM001"), "{list}");
    let run = world.skc(["lint", "demo", "--baseline", "known.toml", "-o", "json"]);
    assert_eq!(found(&run), [""; 0], "{}", run.text());
}

#[test]
fn fixes_are_applied() {
    let world = world(&[("a.rhai", TODO)]);
    world.skc(["lint", "demo", "--fix"]);
    let text = fs::read_to_string(world.demo_source().join("SKILL.md")).unwrap();
    assert_eq!(text, UNDONE.replace("TODO", ""));
}

/// One script checks several skills in one run.
#[test]
fn a_script_checks_every_skill_of_a_run() {
    let world = world(&[("a.rhai", TODO)]);
    for at in 0..20 {
        let name = format!("demo-{at}");
        let text = UNDONE.replace("name: demo", &format!("name: {name}"));
        world.project_skill(&name, &[("SKILL.md", &text)]);
    }
    let json = world.skc(["lint", "-o", "json"]).json();
    let text = json.to_string();
    assert_eq!(text.matches("a TODO was left").count(), 21);
}
