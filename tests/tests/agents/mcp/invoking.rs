//! `disable-model-invocation` and `user-invocable`: skills for users only, and skills for models only.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era};

use crate::mcp::catalog_support::{agents, client_of, code, data, error, load, skill};
use crate::mcp::support::{SKC, skc, skc_json};

/// Creates a project with the skills `deploy-prod` for users only, `on-commit` for models only, and `notes` for both.
fn world() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    let root = agents(&world.cwd);
    skill(&root, "notes", "Deploy notes");
    restricted(&root, "deploy-prod", "disable-model-invocation: true");
    restricted(&root, "on-commit", "user-invocable: false");
    world
}

fn restricted(root: &Path, name: &str, field: &str) {
    let dir = root.join(name);
    fs::create_dir_all(&dir).expect("a directory");
    let text = format!(
        "---\nname: {name}\ndescription: Deploys to production\n{field}\n---\n\n# {name}\n\nThe body of {name}.\n"
    );
    fs::write(dir.join("SKILL.md"), text).expect("a file");
}

fn call(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    client.call(tool, arguments)
}

#[test]
fn responses_to_models_do_not_name_user_only_skills() {
    for era in Era::BOTH {
        let world = world();
        let (mut client, told) = Client::begun(&world, SKC, &[], era, &json!({}));
        assert!(!told.contains("deploy-prod"), "{told}");
        assert!(told.contains("on-commit"), "{told}");
        for (tool, arguments) in [
            ("skill_search", json!({"query": "deploys production"})),
            ("skill_search", json!({"query": "deploy-"})),
            ("catalog_list", json!({"force_reload": true})),
            ("catalog_list", json!({"cwd": "."})),
            ("skill_list", json!({"refresh": true})),
            ("skill_list", json!({"search": "production"})),
            ("context_inspect", json!({"include_skills": true})),
        ] {
            let result = call(&mut client, tool, &arguments);
            let data = data(&result).to_string();
            assert!(!data.contains("deploy-prod"), "{tool}: {data}");
        }
        let listed = call(&mut client, "skill_list", &json!({}));
        assert_eq!(data(&listed)["total_count"], 2);
        for (method, params) in [
            ("resources/list", json!({})),
            ("skills/list", json!({})),
            ("resources/read", json!({"uri": "skillc://catalog"})),
            ("resources/read", json!({"uri": "skillc://context"})),
            ("prompts/get", json!({"name": "skills_context"})),
        ] {
            let result = client.result(method, &params).to_string();
            assert!(!result.contains("deploy-prod"), "{method}: {result}");
            assert!(result.contains("on-commit"), "{method}: {result}");
        }
    }
}

/// The `skc_*` tools can read a skill with `disable-model-invocation` if its exact name is given, but do not reveal
/// that name.
#[test]
fn lists_and_hints_of_command_tools_do_not_name_user_only_skills() {
    let world = world();
    let mut client = client_of(&world, Era::Handshake);
    let listed = call(&mut client, "skc_list", &json!({})).to_string();
    assert!(listed.contains("on-commit"), "{listed}");
    assert!(!listed.contains("deploy-prod"), "{listed}");
    let more = |skill: &str, more: Value| {
        let mut arguments = json!({"skill": skill});
        for (key, value) in more.as_object().expect("an object") {
            arguments[key] = value.clone();
        }
        arguments
    };
    for skill in [
        "deploy-prd",
        "deploy",
        "nothing-like-it",
        ".agents/skills/deploy-prd",
    ] {
        for (tool, rest) in [
            ("skc_outline", json!({})),
            ("skc_show", json!({"section": "x"})),
            ("skc_open", json!({"path": "SKILL.md"})),
            ("skc_search", json!({"query": "x"})),
            ("skc_sources", json!({})),
            ("skc_stats", json!({})),
            ("skc_build", json!({})),
            ("skc_lint", json!({})),
        ] {
            let result = call(&mut client, tool, &more(skill, rest)).to_string();
            assert!(!result.contains("deploy-prod"), "{tool} {skill}: {result}");
        }
    }
    let typed = skc(&world, &["outline", "deploy-prd"]);
    assert!(
        typed.stderr.contains("Did you mean 'deploy-prod'?"),
        "{typed:?}"
    );
    let rows = skc_json(&world, &["list"]).to_string();
    assert!(rows.contains("deploy-prod"), "{rows}");
}

#[test]
fn a_model_cannot_load_a_user_only_skill_and_gets_a_hint() {
    let world = world();
    let mut client = client_of(&world, Era::Handshake);
    let file = agents(&world.cwd).join("deploy-prod/SKILL.md");
    let file = file.to_str().expect("UTF-8");
    for arguments in [
        json!({"name": "deploy-prod"}),
        json!({"name": "$deploy-prod", "force": true}),
        json!({"path": file}),
    ] {
        let result = call(&mut client, "skill_load", &arguments);
        assert_eq!(code(&result), "PERMISSION_DENIED", "{arguments}");
        let error = error(&result);
        assert_eq!(
            error["message"],
            "permission denied for skill 'deploy-prod'"
        );
        let hint = error["details"]["hint"].as_str().expect("a text");
        assert!(hint.contains("disable-model-invocation"), "{hint}");
        assert!(hint.contains("skc catalog load deploy-prod"), "{hint}");
        assert!(!result.to_string().contains("The body"), "{result}");
    }
    load(&mut client, &json!({"name": "on-commit"}));
}

#[test]
fn files_of_user_only_skills_are_not_resources() {
    let world = world();
    let entry = skc_json(&world, &["catalog", "search", "deploy-prod"])["results"][0].clone();
    let id = entry["id"].as_str().expect("a text");
    let uri = format!("skill://{id}/deploy-prod/SKILL.md");
    let mut client = client_of(&world, Era::Handshake);
    for (method, params) in [
        ("resources/read", json!({"uri": uri})),
        ("skills/get", json!({"uri": uri})),
        (
            "resources/directory/read",
            json!({"uri": format!("skill://{id}/deploy-prod")}),
        ),
    ] {
        let (_, message) = client.error(method, &params);
        assert!(!message.contains("The body"), "{message}");
    }
}

/// Prompts are invoked by the user, not by the model.
#[test]
fn prompts_offer_user_invocable_skills_only() {
    let world = world();
    let mut client = client_of(&world, Era::Handshake);
    let params = |name| json!({"name": "use_skill", "arguments": {"name": name}});
    let prompt = client.result("prompts/get", &params("deploy-prod"));
    assert!(prompt.to_string().contains("The body of deploy-prod."));
    let (code, message) = client.error("prompts/get", &params("on-commit"));
    assert_eq!(code, -32602);
    assert!(message.contains("user-invocable"), "{message}");
    let complete = json!({
        "ref": {"type": "ref/prompt", "name": "use_skill"},
        "argument": {"name": "name", "value": ""},
    });
    let completion = client.result("completion/complete", &complete);
    assert_eq!(
        completion["completion"]["values"],
        json!(["deploy-prod", "notes"])
    );
}

#[test]
fn a_skill_becoming_user_only_changes_the_list() {
    let world = world();
    let mut client = client_of(&world, Era::Handshake);
    let list = json!({"force_reload": true});
    call(&mut client, "catalog_list", &list);
    restricted(
        &agents(&world.cwd),
        "notes",
        "disable-model-invocation: yes",
    );
    let result = call(&mut client, "catalog_list", &list);
    assert_eq!(data(&result)["skills"].as_array().map(Vec::len), Some(1));
    client.result("ping", &json!({}));
    let is_change = |note: &&Value| note["method"] == "notifications/resources/list_changed";
    assert_eq!(client.notifications.iter().filter(is_change).count(), 1);
}

/// The user may tell the agent to read a user-only skill; only loading it is restricted.
#[test]
fn command_tools_can_read_a_user_only_skill() {
    let world = World::demo(&[(
        "SKILL.md",
        "---\nname: demo\ndescription: A demo. Use when testing.\ndisable-model-invocation: true\n---\n\n# Demo\n",
    )]);
    let mut client = client_of(&world, Era::Handshake);
    let arguments = json!({"skill": "demo", "path": "SKILL.md"});
    let opened = call(&mut client, "skc_open", &arguments);
    assert_eq!(opened["isError"], false, "{opened}");
    let refused = call(&mut client, "skill_load", &json!({"name": "demo"}));
    assert_eq!(code(&refused), "PERMISSION_DENIED");
}

#[test]
fn users_can_list_find_and_load_every_skill() {
    let world = world();
    let list = skc(&world, &["catalog", "list"])
        .success()
        .text()
        .to_owned();
    let row = |name: &str| {
        let mut lines = list.lines();
        lines.find(|line| line.starts_with(name)).expect("a row")
    };
    assert!(row("deploy-prod").contains(" user only "), "{list}");
    assert!(row("on-commit").contains(" enabled "), "{list}");
    let listed = skc_json(&world, &["catalog", "list"]);
    assert_eq!(listed["skills"][0]["invocation"], "person");
    assert_eq!(listed["skills"][2]["invocation"], "model");
    assert!(listed["skills"][1].get("invocation").is_none());
    // The first search reads the files, and the second reads only the rows of the registry.
    for _ in 0..2 {
        let found = skc_json(&world, &["catalog", "search", "production"]);
        assert_eq!(found["count"], 2, "{found}");
        skc(&world, &["registry", "sync"]).success();
    }
    let listed = skc_json(&world, &["catalog", "list"]);
    assert_eq!(listed["skills"][0]["invocation"], "person");
    let loaded = skc(&world, &["catalog", "load", "deploy-prod"]).success();
    assert!(loaded.text().contains("The body of deploy-prod."));
    let told = skc(&world, &["catalog", "context"])
        .success()
        .text()
        .to_owned();
    assert!(!told.contains("deploy-prod"), "{told}");
    let picture = skc(&world, &["catalog", "pick", "--render"]).success();
    assert!(picture.text().contains("p repo  deploy-prod"));
    let rows = skc_json(&world, &["registry", "list"]).to_string();
    assert!(rows.contains("deploy-prod"), "{rows}");
}
