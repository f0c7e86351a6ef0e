//! `skill_list`: the skill registry as a tool.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era};

use crate::mcp::catalog_support::{agents, client_of, code, configure, data, error, skill, text};
use crate::mcp::support::{SKC, server, server_with, skc};

/// Creates a world with three skills, one of them with all fields.
fn world() -> World {
    let world = World::project();
    skill(&agents(&world.cwd), "alpha", "First letter");
    skill(&agents(&world.home), "beta", "Second letter");
    let full = "---\nname: gamma\ndescription: Third, with all fields\nversion: 1.2.0\n\
                capabilities: [read, write]\ngreek_letter: γ\n---\n\n# Gamma\n";
    world.project_skill("gamma", &[("SKILL.md", full)]);
    world
}

fn list(client: &mut Client, arguments: &Value) -> Value {
    let result = client.call("skill_list", arguments);
    data(&result).clone()
}

fn names(list: &Value) -> Vec<&str> {
    let skills = list["skills"].as_array().expect("a list").iter();
    skills
        .map(|one| one["name"].as_str().expect("a name"))
        .collect()
}

/// REG-MCP.1.
#[test]
fn the_registry_adds_one_tool() {
    let world = World::project();
    let tools = server_with(&world, "all").result("tools/list", &json!({}));
    let tools = tools["tools"].as_array().expect("a list");
    let mut own = tools.iter().filter(|tool| tool["name"] == "skill_list");
    let tool = own.next().expect("should exist");
    assert!(own.next().is_none());
    let arguments = &tool["inputSchema"]["properties"];
    assert_eq!(arguments["search"]["type"], "string");
    assert_eq!(arguments["capability"]["type"], "string");
    assert!(tool["inputSchema"].get("required").is_none());
}

/// REG-LOAD.17, REG-MCP.2, REG-MCP.4: no explicit sync is needed.
#[test]
fn the_first_call_returns_every_row() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        let all = list(&mut client, &json!({}));
        assert_eq!(names(&all), ["alpha", "beta", "gamma"]);
        assert_eq!(all["total_count"], 3);
        let gamma = json!({
            "name": "gamma", "version": "1.2.0", "description": "Third, with all fields",
            "capabilities": ["read", "write"], "greek_letter": "γ",
            "path": ".skillc/skills/gamma/SKILL.md",
        });
        assert_eq!(all["skills"][2], gamma);
        let beta = &all["skills"][1];
        assert_eq!(
            (&beta["version"], &beta["greek_letter"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(beta["capabilities"], json!([]));
        assert_eq!(beta["path"], "~/.agents/skills/beta/SKILL.md");
    }
}

/// REG-MCP.3.
#[test]
fn the_count_covers_only_the_filtered_rows() {
    let world = world();
    let mut client = server(&world);
    for (arguments, expected) in [
        (json!({"search": "LETTER"}), &["alpha", "beta"][..]),
        (json!({"search": "gamma", "capability": "read"}), &["gamma"]),
        (json!({"capability": "Read"}), &[]),
        (json!({"search": "%"}), &[]),
        (json!({"search": ""}), &["alpha", "beta", "gamma"]),
    ] {
        let found = list(&mut client, &arguments);
        assert_eq!(names(&found), expected, "{arguments}");
        assert_eq!(found["total_count"], expected.len(), "{arguments}");
    }
}

/// REG-MCP.5, R7: unknown arguments are rejected too.
#[test]
fn invalid_arguments_are_named() {
    let world = world();
    let mut client = server(&world);
    for (arguments, path) in [
        (json!({"search": 5}), "search"),
        (json!({"capability": ["read"]}), "capability"),
        (json!({"refresh": "yes"}), "refresh"),
        (json!({"serach": "x"}), "serach"),
        (json!({"search": "x".repeat(5_000)}), "search"),
    ] {
        let result = client.call("skill_list", &arguments);
        let error = error(&result);
        assert_eq!(error["code"], "INVALID_PARAMS");
        assert_eq!(error["message"], "schema validation failed");
        let issues = error["details"]["issues"].as_array().expect("a list");
        assert_eq!(issues.len(), 1, "{issues:?}");
        assert_eq!(issues[0]["path"], json!([path]), "{issues:?}");
        assert!(issues[0]["code"].is_string() && issues[0]["message"].is_string());
    }
    let result = client.call("skill_list", &json!({"search": 5, "capability": 6}));
    let issues = &error(&result)["details"]["issues"];
    assert_eq!(issues.as_array().map(Vec::len), Some(2));
    assert_eq!(issues[0]["expected"], "string");
    assert_eq!(issues[0]["received"], "number");
}

/// REG-MCP.6: the error states the reason.
#[test]
fn a_database_that_becomes_unusable_is_an_error_of_the_call() {
    let mut world = world();
    let db = world.home.join("rows.db");
    world.set("SKILLC_REGISTRY_DB", &text(&db));
    let mut client = server(&world);
    list(&mut client, &json!({}));
    for file in ["rows.db-wal", "rows.db-shm"] {
        let _ = fs::remove_file(world.home.join(file));
    }
    fs::write(
        &db,
        "this is no database, and long enough to be seen as none",
    )
    .expect("a file");
    let result = client.call("skill_list", &json!({}));
    assert_eq!(code(&result), "HANDLER_ERROR");
    let message = error(&result)["message"].as_str().expect("a text");
    assert!(message.contains("registry unusable"), "{message}");
    // The next call is not affected.
    let search = client.call("skill_search", &json!({"query": "alpha"}));
    data(&search);
}

/// D12: even if all directories share one database, the tool never returns the skills of another project.
#[test]
fn rows_of_another_project_in_a_shared_database_are_replaced_first() {
    let mut world = world();
    let db = world.home.join("rows.db");
    world.set("SKILLC_REGISTRY_DB", &text(&db));
    let mut client = server(&world);
    list(&mut client, &json!({}));
    let other = world.cwd.join("other");
    fs::create_dir_all(other.join(".git")).expect("a directory");
    skill(&agents(&other), "alpha", "Not ours");
    let ours = std::mem::replace(&mut world.cwd, other);
    skc(&world, &["registry", "sync"]).success();
    world.cwd = ours;
    let all = list(&mut client, &json!({}));
    assert_eq!(names(&all), ["alpha", "beta", "gamma"]);
    assert_eq!(all["skills"][0]["description"], "First letter");
}

/// Returns a world whose registry file is not a database, and the path of that file.
fn with_unusable_database() -> (World, PathBuf) {
    let mut world = world();
    let db = world.home.join("rows.db");
    let text_of_it = "this is no database, and long enough to be seen as none";
    fs::write(&db, text_of_it).expect("a file");
    world.set("SKILLC_REGISTRY_DB", &text(&db));
    (world, db)
}

/// REG-MCP.8, D7: the other tools must not depend on the registry.
#[test]
fn an_unusable_database_at_startup_is_reported_and_memory_is_used() {
    let (world, _) = with_unusable_database();
    let mut client = server(&world);
    let all = list(&mut client, &json!({}));
    assert_eq!(names(&all), ["alpha", "beta", "gamma"]);
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    assert!(ended.stderr.contains("W063"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("registry unusable"),
        "{}",
        ended.stderr
    );
}

/// REG-MCP.8.
#[test]
fn an_unusable_database_at_startup_ends_a_strict_server() {
    let (world, db) = with_unusable_database();
    configure(&world, "[registry]\nstrict = true\n");
    let ended = Client::silent(&world, SKC).end();
    assert_eq!(ended.status, Some(1));
    assert!(ended.stderr.starts_with("error[E066]"), "{}", ended.stderr);
    // A server without the registry tool does not need the registry.
    let mut client = server_with(&world, "skc");
    assert!(client.result("tools/list", &json!({}))["tools"].is_array());
    // With a usable database, a server in strict mode starts.
    fs::remove_file(&db).expect("our own");
    assert_eq!(list(&mut server(&world), &json!({}))["total_count"], 3);
}

/// catalog-tools: rows are reused unless the call asks for a refresh.
#[test]
fn rows_are_refreshed_on_request() {
    let world = world();
    let mut client = server(&world);
    assert_eq!(list(&mut client, &json!({}))["total_count"], 3);
    skill(&agents(&world.cwd), "delta", "Fourth letter");
    assert_eq!(list(&mut client, &json!({}))["total_count"], 3);
    let after = list(&mut client, &json!({"refresh": true}));
    assert_eq!(names(&after), ["alpha", "beta", "delta", "gamma"]);
    assert_eq!(list(&mut client, &json!({}))["total_count"], 4);
}

/// CAT-CONF.1, REG-MCP.8: disabled skills are not a failure of the registry.
#[test]
fn a_strict_server_starts_if_skills_are_disabled() {
    let mut world = world();
    let db = world.home.join("rows.db");
    world.set("SKILLC_REGISTRY_DB", &text(&db));
    let strict = "[registry]\nstrict = true\n";
    configure(&world, &format!("[skills]\nenabled = false\n\n{strict}"));
    let mut client = server(&world);
    for _ in 0..2 {
        let result = client.call("skill_list", &json!({}));
        assert_eq!(code(&result), "SKILLS_DISABLED");
    }
    assert!(!db.exists());
    configure(&world, strict);
    assert_eq!(list(&mut client, &json!({}))["total_count"], 3);
    assert!(db.exists());
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    assert!(!ended.stderr.contains("W063"), "{}", ended.stderr);
}

/// REG-MCP.8, D7.
#[test]
fn a_database_that_becomes_usable_is_used_after_a_refresh() {
    let (world, db) = with_unusable_database();
    let mut client = server(&world);
    for refresh in [false, true] {
        let all = list(&mut client, &json!({"refresh": refresh}));
        assert_eq!(all["total_count"], 3);
    }
    fs::remove_file(&db).expect("our own");
    // Without a refresh, the server retries only after a while.
    assert_eq!(list(&mut client, &json!({}))["total_count"], 3);
    assert!(!db.exists());
    assert_eq!(
        list(&mut client, &json!({"refresh": true}))["total_count"],
        3
    );
    assert!(db.exists());
    let ended = client.end();
    let said = ended.stderr.matches("W063").count();
    assert_eq!(said, 1, "{}", ended.stderr);
}

/// catalog-tools: a warning is not repeated although both the registry and the catalog are read.
#[test]
fn a_refresh_reports_each_warning_once() {
    let world = world();
    configure(&world, "[catalog]\nmax_depth = 1\n");
    skill(&agents(&world.cwd).join("one/two/three"), "deep", "Deep");
    let mut client = server(&world);
    for _ in 0..2 {
        let result = client.call("skill_list", &json!({"refresh": true}));
        let warnings = &result["structuredContent"]["warnings"];
        let warnings: Vec<&str> = warnings
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let [warning] = warnings[..] else {
            panic!("{result}");
        };
        assert!(warning.contains("W064"), "{warning}");
    }
}
