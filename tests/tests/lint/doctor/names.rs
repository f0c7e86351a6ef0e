//! Skills of one name: which one a client takes, as far as that is known.

use serde_json::json;
use skillc_tests::World;

use super::{doctor, of_client, repository, skills, whole, write};

/// A repository with a skill of one name in every one of these folders, `~/…` for the home.
fn world(folders: &[&str]) -> World {
    let world = repository();
    for folder in folders {
        let skills = match folder.strip_prefix("~/") {
            Some(folder) => world.home.join(folder),
            None => world.cwd.join(folder),
        };
        write(&skills, "demo", whole("demo"));
    }
    world
}

#[test]
fn the_first_of_its_folders_goes_first() {
    let world = world(&[".agents/skills", ".pi/skills", "~/.agents/skills"]);
    let json = of_client(&world, "pi");
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
fn the_users_goes_first_where_that_is_so() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let json = of_client(&world, "claude-code");
    assert_eq!(
        skills(&json["clients"][0]),
        [
            "~/.claude/skills demo loaded",
            ".claude/skills demo shadowed"
        ]
    );
}

#[test]
fn all_are_taken_where_that_is_so() {
    let world = world(&[".agents/skills", "~/.agents/skills"]);
    let json = of_client(&world, "codex");
    assert_eq!(
        skills(&json["clients"][0]),
        [".agents/skills demo loaded", "~/.agents/skills demo loaded"]
    );
}

#[test]
fn one_is_taken_and_which_is_not_known() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let json = of_client(&world, "opencode");
    assert_eq!(
        skills(&json["clients"][0]),
        [".claude/skills demo one-of", "~/.claude/skills demo one-of"]
    );
}

#[test]
fn where_nothing_is_known_nothing_is_said_but_that_there_are_two() {
    let world = world(&[".claude/skills", "~/.claude/skills"]);
    let json = of_client(&world, "cursor");
    assert_eq!(
        skills(&json["clients"][0]),
        [
            ".claude/skills demo namesake",
            "~/.claude/skills demo namesake"
        ]
    );
}

/// A shadowed skill was meant to be so, as often as not.
#[test]
fn a_shadowed_skill_fails_nothing() {
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
fn a_skill_that_is_lost_shadows_none() {
    let world = world(&["~/.agents/skills"]);
    write(&world.cwd.join(".pi/skills"), "demo", "no frontmatter\n");
    let json = of_client(&world, "pi");
    assert_eq!(
        skills(&json["clients"][0]),
        [".pi/skills demo lost", "~/.agents/skills demo loaded"]
    );
}
