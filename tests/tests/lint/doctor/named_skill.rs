//! `skc doctor SKILL`: a skill by its name in clients, by path, or in a store.

use serde_json::json;

use super::{doctor, list, repository, skills, text, valid_skill, write};

const FAULTY: &str = "---\nname: demo\ndescription: a: b\n---\n";

#[test]
fn only_the_requested_skill_is_reported() {
    let world = repository();
    let root = world.cwd.join(".claude/skills");
    write(&root, "demo", valid_skill("demo"));
    write(&root, "other", FAULTY.replace("demo", "other"));
    for asked in [
        "demo",
        ".claude/skills/demo",
        ".claude/skills/demo/SKILL.md",
    ] {
        let output = doctor(&world, &["--client", "claude-code", asked, "-o", "json"]).success();
        let json = output.json();
        assert_eq!(json["problems"], json!([]), "{asked}");
        assert_eq!(
            skills(&json["clients"][0]),
            [".claude/skills demo loaded"],
            "{asked}"
        );
        assert_eq!(json["clients"][0]["roots"][1]["skills"], 2, "{asked}");
    }
    // Both the name of the directory and the name in the frontmatter select the skill.
    write(&root, "folder", valid_skill("given"));
    for asked in ["folder", "given"] {
        let json = doctor(&world, &["--client", "claude-code", asked, "-o", "json"]).json();
        assert_eq!(
            skills(&json["clients"][0]),
            [".claude/skills given loaded"],
            "{asked}"
        );
    }
}

#[test]
fn a_shadowed_skill_is_reported_as_shadowed_on_request() {
    let world = repository();
    write(
        &world.cwd.join(".claude/skills"),
        "demo",
        valid_skill("demo"),
    );
    write(
        &world.home.join(".claude/skills"),
        "demo",
        valid_skill("demo"),
    );
    let args = [
        "--client",
        "claude-code",
        ".claude/skills/demo",
        "-o",
        "json",
    ];
    let json = doctor(&world, &args).success().json();
    assert_eq!(
        skills(&json["clients"][0]),
        [".claude/skills demo shadowed"]
    );
}

#[test]
fn a_skill_outside_client_folders_is_reported_with_its_faults() {
    let world = repository();
    write(&world.cwd, "drafts/demo", FAULTY);
    let output = doctor(
        &world,
        &["--client", "claude-code", "drafts/demo", "-o", "json"],
    );
    assert!(!output.ok);
    let json = output.json();
    assert_eq!(json["clients"][0]["elsewhere"], json!(["drafts/demo"]));
    assert_eq!(json["clients"][0]["skills"], json!([]));
    assert_eq!(json["problems"][0]["kind"], "colon");
    let output = doctor(&world, &["--client", "claude-code", "drafts/demo"]);
    assert!(
        output
            .text()
            .contains("claude-code  not found: 'drafts/demo' is in none of its folders"),
        "{output:?}"
    );
}

#[test]
fn a_skill_of_a_store_is_found_by_its_name() {
    let world = repository();
    world.project_skill("stored", &[]);
    let output = doctor(&world, &["--client", "codex", "stored", "-o", "json"]).success();
    let elsewhere = output.json()["clients"][0]["elsewhere"].clone();
    assert_eq!(
        list(&elsewhere).iter().map(text).collect::<Vec<_>>(),
        [".skillc/skills/stored"]
    );
}

#[test]
fn one_line_per_client_says_where_it_finds_the_skill() {
    let world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "group/demo",
        valid_skill("demo"),
    );
    let args = ["--client", "codex,gemini-cli,kiro,vscode", "demo"];
    let output = doctor(&world, &args);
    let view = "\
codex       in .agents/skills
gemini-cli  in .agents/skills: lost
kiro        not found in any of its folders
vscode      the skill is nested more than one folder deep; it is not known
            whether this client searches that deep

1 skill folder, found 2 times in 4 clients: 1 lost.
";
    assert!(!output.ok && output.text().ends_with(view), "{output:?}");
}

#[test]
fn a_path_that_is_not_a_skill_is_an_error() {
    let world = repository();
    std::fs::create_dir_all(world.cwd.join("empty")).expect("a folder");
    for (asked, code) in [("nowhere", "E001"), ("./not/there", "E001"), ("", "E001")] {
        doctor(&world, &["--client", "codex", asked]).code(code);
    }
    doctor(&world, &["--client", "codex", "./empty"]).code("E010");
}
