//! Responses of the catalog tools, with and without a handshake.

use std::fs;

use jsonschema::draft202012;
use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era, texts};

use crate::mcp::catalog_support::{
    TOOLS, agents, client_of, code, configure, data, error, load, skill, text,
};
use crate::mcp::support::{SKC, server_with};

/// Creates a project with two skills, and a user skill.
pub(crate) fn world() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    skill(
        &agents(&world.cwd),
        "repo-review",
        "Review PR with a checklist",
    );
    skill(&agents(&world.cwd), "draft-notes", "Draft release notes");
    skill(&agents(&world.home), "tagging", "Tag a release");
    world
}

pub(crate) fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one["name"].as_str().expect("a name"))
        .collect()
}

/// Returns successful calls to each tool.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("skill_search", json!({"query": "release"})),
        (
            "skill_search",
            json!({"query": "zzz", "limit": 999, "scope": "user"}),
        ),
        ("skill_load", json!({"name": "repo-review"})),
        ("skill_load", json!({"name": "repo-review", "force": true})),
        ("catalog_list", json!({})),
        ("catalog_list", json!({"force_reload": true, "cwd": "."})),
        ("context_inspect", json!({})),
        ("context_inspect", json!({"include_skills": true})),
        ("skill_list", json!({})),
        ("skill_list", json!({"search": "release", "refresh": true})),
    ]
}

/// CAT-PROTO.7, CAT-PROTO.8, REG-MCP.2, REG-MCP.4.
#[test]
fn every_response_matches_its_output_schema() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        let list = client.result("tools/list", &json!({}));
        let tools = list["tools"].as_array().expect("a list").clone();
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name);
        let mut answers = Vec::new();
        for (name, arguments) in calls() {
            let result = client.call(name, &arguments);
            data(&result);
            answers.push((name, arguments, result));
        }
        for (name, arguments) in [
            ("skill_load", json!({"name": "nope"})),
            ("skill_search", json!({})),
            ("skill_list", json!({"search": 5})),
        ] {
            let result = client.call(name, &arguments);
            error(&result);
            answers.push((name, arguments, result));
        }
        for (name, arguments, result) in answers {
            let schema = &tool(name).expect("it is listed")["outputSchema"];
            let validator = draft202012::new(schema).expect("a schema");
            let faults = validator.iter_errors(&result["structuredContent"]);
            let faults: Vec<String> = faults.map(|fault| fault.to_string()).collect();
            assert!(
                faults.is_empty(),
                "{name} {arguments}: {faults:?}: {result}"
            );
            if name != "skill_load" {
                let read: Value = serde_json::from_str(texts(&result)[0]).expect("JSON");
                assert_eq!(read, result["structuredContent"], "{name}");
            }
        }
    }
}

/// CAT-PROTO.7, REG-MCP.1: the output schema distinguishes data from errors.
#[test]
fn each_tool_has_input_and_output_schemas() {
    let world = World::project();
    let list = server_with(&world, "catalog").result("tools/list", &json!({}));
    let tools = list["tools"].as_array().expect("a list");
    assert_eq!(names(&list["tools"]), TOOLS);
    let arguments = |tool: &Value| -> Vec<String> {
        let all = tool["inputSchema"]["properties"].as_object();
        all.expect("properties").keys().cloned().collect()
    };
    let found: Vec<Vec<String>> = tools.iter().map(arguments).collect();
    let expected = [
        &["limit", "query", "scope"][..],
        &["force", "name", "path", "run", "scope"],
        &["cwd", "force_reload"],
        &["include_skills", "run"],
        &["capability", "refresh", "search"],
    ];
    assert_eq!(found, expected);
    for tool in tools {
        let (input, output) = (&tool["inputSchema"], &tool["outputSchema"]);
        for schema in [input, output] {
            assert_eq!(schema["type"], "object");
            draft202012::meta::validate(schema).expect("a schema");
        }
        assert_eq!(input["additionalProperties"], false);
        assert!(input.get("anyOf").is_none());
        assert_eq!(output["required"], json!(["ok"]));
        for member in ["ok", "data", "error", "warnings"] {
            assert!(output["properties"][member].is_object(), "{member}");
        }
        let expected = json!({"readOnlyHint": true, "openWorldHint": false});
        assert_eq!(tool["annotations"], expected);
    }
    let data = &tools[0]["outputSchema"]["properties"]["data"];
    let hit = &data["properties"]["results"]["items"]["properties"];
    let reasons = json!([
        "exact_path",
        "exact_name",
        "prefix",
        "token_overlap",
        "similar_meaning"
    ]);
    assert_eq!(hit["reason"]["enum"], reasons);
}

/// R13, D13: the toolsets are `skc`, `catalog` and `all`.
#[test]
fn the_toolset_can_be_chosen() {
    let world = World::project();
    let tools = |set: &str| {
        let list = server_with(&world, set).result("tools/list", &json!({}));
        list["tools"].clone()
    };
    let (skc, catalog, all) = (tools("skc"), tools("catalog"), tools("all"));
    assert!(names(&skc).contains(&"skc_search"));
    assert!(names(&skc).iter().all(|name| name.starts_with("skc_")));
    assert_eq!(names(&catalog), TOOLS);
    assert_eq!(names(&all), [names(&skc), names(&catalog)].concat());
    configure(&world, "[mcp]\ntoolset = \"catalog\"\n");
    let mut by_file = Client::new(&world, SKC);
    assert_eq!(by_file.result("tools/list", &json!({}))["tools"], catalog);
    assert_eq!(tools("skc"), skc);
}

/// CAT-PROTO.1, CAT-PROTO.6.
#[test]
fn the_catalog_also_lists_disabled_and_invalid_skills() {
    let world = world();
    let broken = agents(&world.cwd).join("broken/SKILL.md");
    fs::create_dir_all(broken.parent().expect("a directory")).expect("a directory");
    fs::write(&broken, "# No frontmatter\n").expect("a file");
    configure(
        &world,
        "[[skills.override]]\nname = \"tagging\"\nenabled = false\n",
    );
    for era in Era::BOTH {
        let mut client = client_of(&world, era);
        let result = client.call("catalog_list", &json!({}));
        let catalog = data(&result);
        assert_eq!(
            names(&catalog["skills"]),
            ["draft-notes", "repo-review", "tagging"]
        );
        let enabled = catalog["skills"].as_array().expect("a list").iter();
        let enabled: Vec<&Value> = enabled.map(|skill| &skill["enabled"]).collect();
        assert_eq!(enabled, [true, true, false]);
        assert_eq!(catalog["truncated"], false);
        assert_eq!(catalog["errors"][0]["path"], text(&broken));
        assert!(catalog["errors"][0]["message"].is_string());
        // A disabled skill is not offered to agents.
        let result = client.call("skill_search", &json!({"query": "tagging"}));
        assert_eq!(data(&result)["count"], 0);
        let result = client.call("skill_load", &json!({"name": "tagging"}));
        assert_eq!(code(&result), "SKILL_DISABLED");
    }
}

/// CAT-PROTO.2, CAT-PROTO.8.
#[test]
fn force_reload_lists_the_current_skills() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        let before = client.call("catalog_list", &json!({}));
        assert_eq!(names(&data(&before)["skills"]).len(), 3);
        skill(&agents(&world.cwd), "brand-new", "Made just now");
        let after = client.call("catalog_list", &json!({"force_reload": true}));
        assert_eq!(names(&data(&after)["skills"])[0], "brand-new");
    }
}

/// CAT-PROTO.3.
#[test]
fn catalogs_of_different_directories_are_separate() {
    let world = world();
    let other = world.cwd.parent().expect("a directory").join("other");
    fs::create_dir_all(other.join(".git")).expect("a directory");
    skill(&agents(&other), "elsewhere", "In another project");
    let mut client = client_of(&world, Era::Handshake);
    let list = |client: &mut Client, arguments: Value| {
        let result = client.call("catalog_list", &arguments);
        let skills = data(&result)["skills"].clone();
        names(&skills)
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let own = ["draft-notes", "repo-review", "tagging"];
    for cwd in [text(&other), "../other".to_owned()] {
        assert_eq!(list(&mut client, json!({})), own);
        assert_eq!(
            list(&mut client, json!({"cwd": cwd})),
            ["elsewhere", "tagging"]
        );
    }
    assert_eq!(list(&mut client, json!({"cwd": text(&world.cwd)})), own);
    for nothing in ["nope", "", ".git/x", "a\0b", &text(&world.cwd.join("file"))] {
        fs::write(world.cwd.join("file"), "").expect("a file");
        let result = client.call("catalog_list", &json!({"cwd": nothing}));
        if nothing.is_empty() {
            data(&result);
            continue;
        }
        assert_eq!(code(&result), "INVALID_PARAMS", "{nothing}");
        assert_eq!(
            error(&result)["details"]["issues"][0]["path"],
            json!(["cwd"])
        );
    }
}

/// CAT-PROTO.4, CAT-PROTO.5.
#[test]
fn acceptance_7_context_inspect_shows_catalog_roots_and_loaded_skills() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        let result = client.call("context_inspect", &json!({}));
        let context = data(&result);
        assert!(context.get("skills").is_none(), "{context}");
        assert_eq!(context["working_dir"], text(&world.cwd));
        assert_eq!(context["root_dir"], text(&world.cwd));
        let first = load(&mut client, &json!({"name": "tagging"}));
        let run = first["run"].clone();
        load(&mut client, &json!({"name": "draft-notes", "run": run}));
        load(&mut client, &json!({"name": "tagging", "run": run}));
        let result = client.call(
            "context_inspect",
            &json!({"include_skills": true, "run": run}),
        );
        let context = data(&result);
        assert_eq!(context["run_id"], run);
        let skills = &context["skills"];
        let list = client.call("catalog_list", &json!({}));
        assert_eq!(skills["catalog"], *data(&list));
        let loaded = skills["loaded_versions"].as_array().expect("a list");
        assert_eq!(loaded.len(), 2, "{loaded:?}");
        let paths: Vec<&str> = loaded
            .iter()
            .filter_map(|one| one["path"].as_str())
            .collect();
        assert!(paths.is_sorted(), "{paths:?}");
        let tagging = loaded.iter().find(|one| one["path"] == first["path"]);
        let tagging = tagging.expect("it was loaded");
        assert_eq!(tagging["mtime_ms"], first["mtime_ms"]);
        assert_eq!(
            (&tagging["loads"], &tagging["ref"]),
            (&json!(2), &first["ref"])
        );
        let roots = skills["roots"].as_array().expect("a list");
        let project_root = roots
            .iter()
            .find(|root| root["path"] == text(&agents(&world.cwd)));
        let expected = json!({
            "path": text(&agents(&world.cwd)), "scope": "repo", "origin": "agents",
            "exists": true, "entries": 2,
        });
        assert_eq!(project_root, Some(&expected));
        assert_eq!(skills["enabled"], true);
        assert_eq!(skills["limits"]["initial"]["max_entries"], 200);
        assert_eq!(skills["injected"]["entries"], 3);
        assert_eq!(skills["injected"]["truncated"], false);
        // Other runs have loaded nothing.
        let result = client.call(
            "context_inspect",
            &json!({"include_skills": true, "run": "nobody's"}),
        );
        let skills = &data(&result)["skills"];
        assert_eq!(skills["loaded_versions"], json!([]));
    }
}

/// CAT-CONF.1, CAT-PROTO.8: tools that do not use the catalog still work.
#[test]
fn if_skills_are_disabled_the_catalog_is_empty() {
    let world = world();
    let client = client_of(&world, Era::Handshake);
    drop(client);
    let reference = load(
        &mut client_of(&world, Era::Handshake),
        &json!({"name": "tagging"}),
    )["ref"]
        .clone();
    configure(&world, "[skills]\nenabled = false\n");
    world.project_skill("demo", &[]);
    for era in Era::BOTH {
        let (mut client, instructions) = Client::begun(&world, SKC, &[], era, &json!({}));
        assert!(!instructions.contains("<skills_context>"), "{instructions}");
        for (tool, arguments) in [
            ("skill_search", json!({"query": "release"})),
            ("skill_load", json!({"name": "tagging"})),
        ] {
            assert_eq!(code(&client.call(tool, &arguments)), "SKILLS_DISABLED");
        }
        let result = client.call("catalog_list", &json!({}));
        let empty = json!({"skills": [], "errors": [], "truncated": false});
        assert_eq!(*data(&result), empty);
        let resources = client.result("resources/list", &json!({}));
        assert_eq!(resources["resources"], json!([]));
        for uri in [
            reference.as_str().expect("a text"),
            "skillc://catalog",
            "skillc://context",
        ] {
            client.error("resources/read", &json!({"uri": uri}));
        }
        client.error("prompts/get", &json!({"name": "skills_context"}));
        let outline = client.call("skc_outline", &json!({"skill": "demo"}));
        assert_eq!(outline["isError"], false, "{outline}");
    }
}
