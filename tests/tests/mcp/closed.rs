//! What rules close to agents beside loading: a skill to every tool, and a tool altogether.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::Era;

use crate::of_catalog::{agents, client_of, configure, error, skill};
use crate::support::{failed, server, skc};

const DENY: &str = "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"danger\" }]\n";

/// A project with a skill that is denied, built, and one that is not.
fn world() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    let store = world.cwd.join(".skillc/skills");
    for name in ["danger", "other"] {
        skill(&store, name, "A skill");
        skc(&world, &["build", name]).success();
    }
    world
}

/// What agents may do with a skill of this name.
fn uses(skill: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("skc_outline", json!({"skill": skill})),
        ("skc_show", json!({"skill": skill, "section": skill})),
        ("skc_open", json!({"skill": skill, "path": "SKILL.md"})),
        ("skc_search", json!({"skill": skill, "query": "body"})),
        ("skc_sources", json!({"skill": skill})),
        ("skc_lint", json!({"skill": [skill]})),
        ("skc_stats", json!({"skill": skill})),
        ("skc_build", json!({"skill": skill})),
    ]
}

/// CAT-PERM.5, CAT-PERM.9: who may not load a skill does not read it section by section either.
#[test]
fn a_skill_that_is_denied_by_name_is_closed_to_every_tool() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        for (tool, arguments) in uses("danger") {
            let result = client.call(tool, &arguments);
            assert_eq!(result["isError"], false, "{tool}: {result}");
        }
        configure(&world, DENY);
        for (tool, arguments) in uses("danger") {
            let result = client.call(tool, &arguments);
            let text = failed(&result);
            assert!(
                text.starts_with("error[E062]: permission denied for skill 'danger'\n"),
                "{tool}: {text}"
            );
            assert!(text.contains("skill_name = \"danger\""), "{tool}: {text}");
            assert!(!text.contains("The body"), "{tool}: {text}");
        }
        for (tool, arguments) in uses("other") {
            let result = client.call(tool, &arguments);
            assert_eq!(result["isError"], false, "{tool}: {result}");
        }
        configure(&world, "");
        let result = client.call("skc_outline", &json!({"skill": "danger"}));
        assert_eq!(result["isError"], false, "{result}");
    }
}

/// CAT-PERM.5: the skill that is found counts, not what it is called.
#[test]
fn no_other_name_for_a_denied_skill_passes_the_rule() {
    let world = world();
    configure(&world, DENY);
    let source = world.cwd.join(".skillc/skills/danger");
    symlink(&source, world.cwd.join(".skillc/skills/harmless")).expect("a link");
    let copy = skill(&agents(&world.cwd), "copy", "A skill");
    let text = fs::read_to_string(&copy).expect("a text");
    fs::write(&copy, text.replace("name: copy", "name: danger")).expect("a file");
    let mut client = server(&world);
    let absolute = source.to_str().expect("UTF-8");
    for asked in [
        absolute,
        ".skillc/skills/danger",
        "./.skillc/skills/../skills/danger/",
        "harmless",
        ".agents/skills/copy",
    ] {
        let result = client.call("skc_outline", &json!({"skill": asked}));
        let text = failed(&result);
        assert!(text.starts_with("error[E062]: "), "{asked}: {text}");
    }
    // People decide for themselves.
    skc(&world, &["outline", "danger"]).success();
    let result = client.call("skc_outline", &json!({"skill": "no-such"}));
    assert!(failed(&result).starts_with("error[E001]: "), "{result}");
}

/// CAT-PERM.1: what is closed need not be the loading tool.
#[test]
fn a_denied_tool_is_not_called() {
    let world = world();
    let rules = "[permissions]\ndeny = [{ tool = \"skc_list\" }, { tool = \"skill_search\" }]\n";
    configure(&world, rules);
    let mut client = server(&world);
    let result = client.call("skc_list", &json!({}));
    let text = failed(&result);
    assert!(text.contains("the tool skc_list is denied"), "{text}");
    assert!(
        text.contains("Denied by { tool = \"skc_list\" } in "),
        "{text}"
    );
    let result = client.call("skill_search", &json!({"query": "danger"}));
    let denied = error(&result);
    assert_eq!(denied["code"], "PERMISSION_DENIED");
    assert_eq!(denied["message"], "the tool skill_search is denied");
    assert_eq!(denied["details"]["rule"], json!({"tool": "skill_search"}));
    for (tool, arguments) in [
        ("skc_outline", json!({"skill": "danger"})),
        ("skill_load", json!({"name": "danger"})),
    ] {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
    }
}
