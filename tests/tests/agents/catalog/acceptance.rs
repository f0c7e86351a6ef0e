//! Acceptance criteria 1 to 6 of the catalog. Criteria 7 and 8 need a server, so they are among the tests of the
//! server.
//!
//! Design: requirements-catalog.

use std::fs;
use std::time::Duration;

use skillc_tests::World;

use crate::catalog::support::{in_dir, json, names, skc, skill, user_skill};

/// CAT-DISC.2.
#[test]
fn acceptance_1_skills_from_root_to_working_directory_are_found() {
    let mut world = World::project();
    let top = world.cwd.clone();
    skill(&world, "at-root", "One");
    in_dir(&world, "pkg/.agents/skills/group", "between", "Two");
    in_dir(&world, "pkg/inner/.agents/skills", "here", "Three");
    in_dir(&world, "other/.agents/skills", "beside", "Four");
    world.cwd = top.join("pkg/inner");
    let list = json(&world, &["list"]);
    assert_eq!(names(&list["skills"]), ["at-root", "between", "here"]);
    let skills = list["skills"].as_array().expect("a list");
    assert!(skills.iter().all(|skill| skill["scope"] == "repo"));
}

/// CAT-DISC.4.
#[test]
fn acceptance_2_skills_of_the_user_are_found() {
    let world = World::project();
    user_skill(&world, "mine", "One");
    let list = json(&world, &["list"]);
    assert_eq!(names(&list["skills"]), ["mine"]);
    assert_eq!(list["skills"][0]["scope"], "user");
}

/// CAT-LOAD.4.
#[test]
fn acceptance_3_an_ambiguous_name_is_an_error_with_both_paths() {
    let world = World::project();
    let near = skill(&world, "twice", "One");
    let far = user_skill(&world, "twice", "Two");
    let output = skc(&world, &["catalog", "load", "twice"]);
    output.error("error[E060]: ambiguous skill name 'twice': 2 candidates");
    let lines: Vec<&str> = output.stderr.lines().skip(1).collect();
    let expected = [near, far].map(|path| format!("  {}", path.display()));
    assert_eq!(lines, expected);
}

/// CAT-SEARCH.11.
#[test]
fn acceptance_4_a_search_matches_names_and_descriptions() {
    let world = World::project();
    skill(&world, "release-notes", "Write them");
    skill(&world, "publish", "Draft a release, then tag it");
    skill(&world, "format", "Format code");
    let found = json(&world, &["search", "release"]);
    assert_eq!(names(&found["results"]), ["release-notes", "publish"]);
}

/// CAT-LOAD.7.
#[test]
fn acceptance_5_a_load_returns_body_base_directory_and_files() {
    let world = World::project();
    let path = skill(&world, "repo-review", "Review");
    let dir = path.parent().expect("a directory");
    fs::create_dir(dir.join("scripts")).expect("a directory");
    fs::write(dir.join("scripts/run.sh"), "echo").expect("a file");
    let printed = skc(&world, &["catalog", "load", "repo-review"]).success();
    let dir = dir.display();
    let expected = format!(
        "<skill_context name=\"repo-review\" path=\"{dir}/SKILL.md\">\n\
         ---\nname: repo-review\ndescription: Review\n---\n\n# repo-review\n\nBODY-OF-repo-review\n\n\
         Base directory: file://{dir}/\n\
         Relative paths in this skill are resolved from this directory.\n\
         <skill_files>\n<file>{dir}/scripts/run.sh</file>\n</skill_files>\n\
         </skill_context>\n"
    );
    assert_eq!(printed.text(), expected);
}

/// CAT-LOAD.10, CAT-LOAD.11.
#[test]
fn acceptance_6_a_skill_is_sent_once_per_run() {
    let mut world = World::project();
    let path = skill(&world, "demo", "Once");
    world.set("SKC_RUN_ID", "run-1");
    let first = json(&world, &["load", "demo"]);
    assert_eq!(first["already_loaded"], false);
    let second = json(&world, &["load", "demo"]);
    assert_eq!(second["already_loaded"], true);
    let content = second["content"].as_str().expect("text");
    assert!(content.starts_with("<skill_context_reminder "), "{content}");
    assert!(!content.contains("BODY-OF-demo"));
    assert_eq!(second["files"], serde_json::json!([]));
    fs::write(&path, crate::catalog::support::text("demo", "Twice")).expect("a file");
    assert_eq!(json(&world, &["load", "demo"])["already_loaded"], false);
    assert_eq!(json(&world, &["load", "demo"])["already_loaded"], true);
    let forced = json(&world, &["load", "demo", "--force"]);
    assert_eq!(forced["already_loaded"], false);
}

/// CAT-LOAD.11: the skill's text is sent again even if only its modification time has changed.
#[test]
fn acceptance_6_a_touched_file_is_sent_again() {
    let mut world = World::project();
    let path = skill(&world, "demo", "Once");
    world.set("SKC_RUN_ID", "run-1");
    json(&world, &["load", "demo"]);
    assert_eq!(json(&world, &["load", "demo"])["already_loaded"], true);
    let file = fs::File::options()
        .write(true)
        .open(&path)
        .expect("our own file");
    let before = file.metadata().and_then(|data| data.modified());
    file.set_modified(before.expect("a time") + Duration::from_secs(1))
        .expect("our own file");
    let touched = json(&world, &["load", "demo"]);
    assert_eq!(touched["already_loaded"], false);
    let content = touched["content"].as_str().expect("text");
    assert!(content.contains("BODY-OF-demo"), "{content}");
    assert_eq!(json(&world, &["load", "demo"])["already_loaded"], true);
}

/// CAT-LOAD.13.
#[test]
fn acceptance_6_a_failed_load_does_not_count() {
    let mut world = World::project();
    skill(&world, "demo", "Once");
    world.set("SKC_RUN_ID", "run-1");
    skc(&world, &["catalog", "deny", "demo"]).success();
    skc(&world, &["catalog", "load", "demo"]).code("E062");
    skc(&world, &["catalog", "deny", "demo", "--remove"]).success();
    skc(&world, &["catalog", "allow", "demo"]).success();
    let loaded = json(&world, &["load", "demo"]);
    assert_eq!(loaded["already_loaded"], false);
    let content = loaded["content"].as_str().expect("text");
    assert!(content.contains("BODY-OF-demo"), "{content}");
    assert_eq!(json(&world, &["load", "demo"])["already_loaded"], true);
}
