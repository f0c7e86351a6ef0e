//! Agents may overwrite builds, but not the user's files.

use std::fs;

use serde_json::json;
use skillc_tests::{World, snapshot};

use crate::mcp::support::{failed, server};

/// Hostile: if any target were allowed, an agent could replace one of the user's directories with a symlink to a skill.
#[test]
fn agents_can_deploy_to_named_targets_only() {
    let world = World::project();
    let thesis = world.home.join("thesis");
    fs::create_dir_all(&thesis).expect("a directory");
    fs::write(thesis.join("chapter.md"), "years of work").expect("a file");
    let mut client = server(&world);
    client.call("skc_init", &json!({"name": "thesis"}));
    let before = snapshot(&thesis);
    let paths = ["~", "..", "./here", "/tmp", "a/b"];
    for path in paths
        .into_iter()
        .chain([world.home.to_str().expect("UTF-8")])
    {
        for force in [false, true] {
            let arguments = json!({"skill": "thesis", "target": [path], "force": force});
            let answer = client.call("skc_build", &arguments);
            let text = failed(&answer);
            assert!(text.starts_with("error[E100]"), "{text}");
            assert!(text.contains("MCP calls accept only names"), "{text}");
        }
    }
    assert_eq!(snapshot(&thesis), before);
}

#[test]
fn force_by_an_agent_replaces_only_files_made_by_skc() {
    let world = World::demo(&[]);
    let place = world.home.join(".claude/skills/demo");
    fs::create_dir_all(&place).expect("a directory");
    fs::write(place.join("SKILL.md"), "written by hand").expect("a file");
    let outside = world.directory("outside", &[]);
    let stored = world.demo_source();
    let mut client = server(&world);
    let answer = client.call("skc_build", &json!({"skill": "demo", "force": true}));
    let text = failed(&answer);
    assert!(
        text.contains("that skc did not create is already there"),
        "{text}"
    );
    let hand = fs::read_to_string(place.join("SKILL.md"));
    assert_eq!(hand.expect("should exist"), "written by hand");
    // A build by an agent does not import over an existing skill in the store either.
    fs::write(outside.join("more.md"), "more").expect("a file");
    let before = snapshot(&stored);
    let answer = client.call("skc_build", &json!({"skill": "./outside", "force": true}));
    assert!(failed(&answer).starts_with("error[E050]"), "{answer}");
    assert_eq!(snapshot(&stored), before);
    // A copy that an earlier build deployed is replaced, even if the copy was edited.
    fs::remove_dir_all(&place).expect("should exist");
    world.skc(["build", "demo", "--copy"]).success();
    fs::write(place.join("SKILL.md"), "edited").expect("a file");
    let answer = client.call("skc_build", &json!({"skill": "demo", "force": true}));
    assert_ne!(answer["isError"], true, "{answer}");
}
