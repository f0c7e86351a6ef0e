//! The `use_skill` prompt, and completion of its argument.

use serde_json::{Value, json};
use skillc_tests::{MINIMAL, World};

use crate::mcp::support::server;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# Title\n\n{description}\n")
}

#[test]
fn use_skill_and_skills_context_are_listed() {
    let world = World::demo(&[]);
    let list = server(&world).result("prompts/list", &json!({}));
    let prompts = list["prompts"].as_array().expect("a list");
    let names: Vec<&Value> = prompts.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["use_skill", "skills_context"]);
    assert!(prompts[0]["title"].is_string() && prompts[0]["description"].is_string());
    let arguments = &prompts[0]["arguments"];
    assert_eq!(arguments[0]["name"], "name");
    assert_eq!(arguments[0]["required"], true);
}

#[test]
fn the_prompt_has_the_skill_and_its_directory() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    for name in ["demo", " demo ", "$demo"] {
        let params = json!({"name": "use_skill", "arguments": {"name": name}});
        let prompt = client.result("prompts/get", &params);
        assert_eq!(prompt["description"], "A demo. Use when testing.");
        let messages = prompt["messages"].as_array().expect("a list");
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0]["role"], "user");
        let text = messages[0]["content"]["text"].as_str().expect("a text");
        assert!(text.starts_with("<skill_context name=\"demo\""), "{text}");
        assert!(text.contains(MINIMAL.trim_end()), "{text}");
        let dir = world.demo_source();
        assert!(text.contains(dir.to_str().expect("UTF-8")), "{text}");
    }
}

#[test]
fn an_ambiguous_skill_can_be_selected_by_path() {
    let world = World::project();
    world.project_skill("twin", &[("SKILL.md", &skill("twin", "Here."))]);
    world.global_skill("twin", &[("SKILL.md", &skill("twin", "There."))]);
    let mut client = server(&world);
    let params = json!({"name": "use_skill", "arguments": {"name": "twin"}});
    let (code, message) = client.error("prompts/get", &params);
    assert_eq!(code, -32602);
    for dir in [&world.cwd, &world.home] {
        let path = dir.join(".skillc/skills/twin/SKILL.md");
        let path = path.to_str().expect("UTF-8");
        assert!(message.contains(path), "{message}");
        let params = json!({"name": "use_skill", "arguments": {"name": path}});
        let prompt = client.result("prompts/get", &params);
        let expected = if dir == &world.cwd { "Here." } else { "There." };
        assert_eq!(prompt["description"], expected);
    }
}

#[test]
fn a_failing_prompt_says_why() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    let wrong = [
        (json!({"name": "nope"}), "unknown prompt 'nope'"),
        (json!({"name": ""}), "unknown prompt ''"),
        (json!({"name": "use_skill"}), "name: is required"),
        (
            json!({"name": "use_skill", "arguments": {}}),
            "name: is required",
        ),
        (
            json!({"name": "use_skill", "arguments": {"name": " "}}),
            "name: is required",
        ),
        (
            json!({"name": "use_skill", "arguments": {"name": 1}}),
            "name: is required",
        ),
        (
            json!({"name": "use_skill", "arguments": {"name": "dmo"}}),
            "error[E001]: skill 'dmo' not found; did you mean 'demo'?",
        ),
        (
            json!({"name": "use_skill", "arguments": {"name": "../demo"}}),
            "error[E061]: path not in catalog: '../demo'",
        ),
    ];
    for (params, said) in wrong {
        let (code, message) = client.error("prompts/get", &params);
        assert_eq!(code, -32602, "{params}");
        assert!(message.starts_with(said), "{message}");
    }
}

#[test]
fn names_of_skills_are_completed() {
    let world = World::project();
    for name in ["alpha", "alpine", "beta"] {
        world.project_skill(name, &[("SKILL.md", &skill(name, "S."))]);
    }
    world.global_skill("alpha", &[("SKILL.md", &skill("alpha", "G."))]);
    world.global_skill("alto", &[("SKILL.md", &skill("alto", "G."))]);
    let mut client = server(&world);
    let mut complete = |argument: &str, begun: &str| -> Value {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "use_skill"},
            "argument": {"name": argument, "value": begun},
        });
        client.result("completion/complete", &params)["completion"].clone()
    };
    assert_eq!(
        complete("name", "al")["values"],
        json!(["alpha", "alpine", "alto"])
    );
    assert_eq!(
        complete("name", "")["values"].as_array().map(Vec::len),
        Some(4)
    );
    assert_eq!(complete("name", "AL")["values"], json!([]));
    assert_eq!(complete("name", "x")["values"], json!([]));
    assert_eq!(complete("other", "al")["values"], json!([]));
    assert_eq!(
        complete("name", "b"),
        json!({"values": ["beta"], "total": 1, "hasMore": false})
    );
}

/// The protocol allows at most 100 values.
#[test]
fn completions_are_limited_to_100() {
    let world = World::project();
    for number in 0..120 {
        let name = format!("skill-{number:03}");
        world.project_skill(&name, &[("SKILL.md", &skill(&name, "S."))]);
    }
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "use_skill"},
        "argument": {"name": "name", "value": "skill-"},
    });
    let completion = server(&world).result("completion/complete", &params);
    let completion = &completion["completion"];
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    assert_eq!(completion["total"], 120);
    assert_eq!(completion["hasMore"], true);
}

#[test]
fn completion_for_an_unknown_prompt_is_an_error() {
    let world = World::demo(&[]);
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "nope"},
        "argument": {"name": "name", "value": ""},
    });
    let (code, message) = server(&world).error("completion/complete", &params);
    assert_eq!(code, -32602, "{message}");
}
