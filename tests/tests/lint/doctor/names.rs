//! Skills with the same name: which of them a client loads, if that is known.

use serde_json::json;
use skillc_tests::World;

use super::{doctor, doctor_json, repository, skills, valid_skill, write};

/// Creates a repository with a skill of the same name in each of these folders; `~/…` is below the home directory.
fn world(folders: &[&str]) -> World {
    let world = repository();
    for folder in folders {
        let skills = match folder.strip_prefix("~/") {
            Some(folder) => world.home.join(folder),
            None => world.cwd.join(folder),
        };
        write(&skills, "demo", valid_skill("demo"));
    }
    world
}

#[test]
fn the_first_folder_of_a_client_takes_precedence() {
    let world = world(&[".agents/skills", ".pi/skills", "~/.agents/skills"]);
    let json = doctor_json(&world, "pi");
    let view = &json["clients"][0];
    assert_eq!(
        skills(view),
        [
            ".pi/skills demo loaded",
            ".agents/skills demo shadowed",
            "~/.agents/skills demo shadowed",
        ]
    );
    let first = world.cwd.join(".pi/skills/demo");
    assert_eq!(view["skills"][1]["same_name"], json!([first.to_str()]));
}

#[test]
fn user_skills_take_precedence_in_clients_that_do_so() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let json = doctor_json(&world, "claude-code");
    assert_eq!(
        skills(&json["clients"][0]),
        [
            "~/.claude/skills demo loaded",
            ".claude/skills demo shadowed"
        ]
    );
}

#[test]
fn clients_that_load_all_namesakes_load_all() {
    let world = world(&[".agents/skills", "~/.agents/skills"]);
    let json = doctor_json(&world, "codex");
    assert_eq!(
        skills(&json["clients"][0]),
        [".agents/skills demo loaded", "~/.agents/skills demo loaded"]
    );
}

#[test]
fn unknown_precedence_is_reported() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let json = doctor_json(&world, "opencode");
    assert_eq!(
        skills(&json["clients"][0]),
        [".claude/skills demo one-of", "~/.claude/skills demo one-of"]
    );
}

#[test]
fn without_known_behaviour_only_the_namesake_is_reported() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let json = doctor_json(&world, "cursor");
    assert_eq!(
        skills(&json["clients"][0]),
        [
            ".claude/skills demo namesake",
            "~/.claude/skills demo namesake"
        ]
    );
}

/// Shadowing is often intended.
#[test]
fn a_shadowed_skill_does_not_fail_the_run() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let output = doctor(&world, &["--client", "claude-code"]).success();
    assert!(
        output
            .text()
            .contains("demo (shadowed by ~/.claude/skills)"),
        "{output:?}"
    );
}

#[test]
fn a_lost_skill_shadows_none() {
    let world = world(&["~/.agents/skills"]);
    write(&world.cwd.join(".pi/skills"), "demo", "no frontmatter\n");
    let json = doctor_json(&world, "pi");
    assert_eq!(
        skills(&json["clients"][0]),
        [".pi/skills demo lost", "~/.agents/skills demo loaded"]
    );
}
