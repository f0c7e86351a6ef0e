//! `skill_load`: a skill is sent once per run, and references stay valid.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era};
use skillc_tests::mcp_http::{HttpClient, HttpServer};

use crate::mcp::catalog_support::{
    agents, client_of, code, configure, data, error, load, skill, text,
};
use crate::mcp::resources::read;
use crate::mcp::support::{SKC, server};

pub(crate) fn world() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    let file = skill(&agents(&world.cwd), "demo", "A demo");
    fs::write(file.with_file_name("more.md"), "# More\n").expect("a file");
    world
}

/// Returns whether a response contains the body of the skill, rather than a reminder.
pub(crate) fn has_body(data: &Value) -> bool {
    let content = data["content"].as_str().expect("a text");
    let has_body = content.contains("The body of demo.");
    assert_eq!(data["already_loaded"], !has_body, "{data}");
    let frame = if has_body {
        "<skill_context "
    } else {
        "<skill_context_reminder "
    };
    assert!(content.starts_with(frame), "{content}");
    has_body
}

/// CAT-LOAD.12, CAT-PROTO.8: with a handshake, each connection is a run; without a handshake, all calls with the same
/// handle are one run.
#[test]
fn a_skill_is_sent_once_per_run() {
    let world = world();
    let demo = json!({"name": "demo"});
    let mut client = client_of(&world, Era::Handshake);
    let first = load(&mut client, &demo);
    assert!(has_body(&first));
    assert_eq!(
        first["files"],
        json!([text(&agents(&world.cwd).join("demo/more.md"))])
    );
    let second = load(&mut client, &demo);
    assert!(!has_body(&second));
    assert_eq!(
        (&second["run"], &second["files"]),
        (&first["run"], &json!([]))
    );
    assert!(has_body(&load(
        &mut client,
        &json!({"name": "demo", "force": true})
    )));
    // Another server starts a new run.
    assert!(has_body(&load(
        &mut client_of(&world, Era::Handshake),
        &demo
    )));

    let mut client = client_of(&world, Era::Stateless);
    let first = load(&mut client, &demo);
    let other = load(&mut client, &demo);
    assert!(has_body(&first) && has_body(&other));
    assert_ne!(first["run"], other["run"]);
    for run in [&first["run"], &other["run"]] {
        let again = load(&mut client, &json!({"name": "demo", "run": run}));
        assert!(!has_body(&again));
        assert_eq!(again["run"], *run);
    }
    let unknown = load(&mut client, &json!({"name": "demo", "run": "made-up"}));
    assert!(has_body(&unknown));
    assert_ne!(unknown["run"], "made-up");
}

/// CAT-LOAD.12: requests without a session are independent.
#[test]
fn sessions_over_http_are_runs() {
    let world = world();
    let http = HttpServer::start(&world, SKC);
    let demo = json!({"name": "demo"});
    let load = |client: &mut HttpClient, arguments: &Value| {
        let result = client.call("skill_load", arguments);
        data(&result).clone()
    };
    let (mut one, mut other) = (HttpClient::new(&http), HttpClient::new(&http));
    let first = load(&mut one, &demo);
    assert!(has_body(&first));
    assert!(!has_body(&load(&mut one, &demo)));
    let second = load(&mut other, &demo);
    assert!(has_body(&second));
    assert_ne!(first["run"], second["run"]);
    let mut alone = HttpClient::without_handshake(&http);
    let first = load(&mut alone, &demo);
    assert!(has_body(&first) && has_body(&load(&mut alone, &demo)));
    let named = json!({"name": "demo", "run": first["run"]});
    assert!(!has_body(&load(
        &mut HttpClient::without_handshake(&http),
        &named
    )));
}

/// catalog-policy: tested with and without a handshake.
#[test]
fn the_run_id_of_the_process_applies_to_all_calls() {
    let mut world = world();
    world.set("SKC_RUN_ID", "the-process");
    for era in Era::BOTH {
        let mut client = client_of(&world, era);
        let first = load(&mut client, &json!({"name": "demo"}));
        assert_eq!(first["run"], "the-process");
        assert!(has_body(&first));
        assert!(!has_body(&load(&mut client, &json!({"name": "demo"}))));
    }
}

/// R17: only one of the calls gets the skill's text.
#[test]
fn concurrent_loads_of_a_run_send_the_text_once() {
    let world = world();
    let mut client = server(&world);
    let ids: Vec<u64> = (0..20)
        .map(|_| client.ask_call("skill_load", &json!({"name": "demo"})))
        .collect();
    let mut bodies = 0;
    for id in ids {
        let result = client.result_of(id);
        bodies += usize::from(has_body(data(&result)));
    }
    assert_eq!(bodies, 1);
}

/// CAT-LOAD.14, CAT-PROTO.8: a reference of a loaded skill can be read after reminders, and through another server.
#[test]
fn acceptance_8_a_reference_stays_valid() {
    for era in Era::BOTH {
        let world = world();
        let file = agents(&world.cwd).join("demo/SKILL.md");
        let expected = fs::read_to_string(&file).expect("a file");
        let mut client = client_of(&world, era);
        let first = load(&mut client, &json!({"name": "demo"}));
        let run = &first["run"];
        let mut reference = first["ref"].clone();
        for _ in 0..3 {
            let again = load(&mut client, &json!({"name": "demo", "run": run}));
            assert!(!has_body(&again));
            let content = again["content"].as_str().expect("a text");
            let reminder_ref = content
                .split("ref=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            assert_eq!(reminder_ref, again["ref"].as_str());
            reference = again["ref"].clone();
        }
        let uri = reference.as_str().expect("an address");
        assert_eq!(read(&mut client, uri)["text"], expected);
        // Reading the reference does not change what has been sent in the run.
        assert!(!has_body(&load(
            &mut client,
            &json!({"name": "demo", "run": run})
        )));
        drop(client);
        let mut fresh = client_of(&world, era);
        assert_eq!(read(&mut fresh, uri)["text"], expected);
        let more = uri.replace("SKILL.md", "more.md");
        assert_eq!(read(&mut fresh, &more)["text"], "# More\n");
    }
}

/// CAT-LOAD.14, CAT-PERM.7: reading a reference does not bypass the rules.
#[test]
fn a_reference_is_valid_only_while_the_skill_may_be_loaded() {
    let world = world();
    let reference = load(&mut server(&world), &json!({"name": "demo"}))["ref"].clone();
    let uri = json!({ "uri": reference });
    for rules in [
        "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"demo\" }]\n",
        "[permissions]\ndefault = \"confirm\"\n",
        "[permissions]\ndefault = \"deny\"\n",
        "[[skills.override]]\nname = \"demo\"\nenabled = false\n",
        "[skills]\nenabled = false\n",
    ] {
        configure(&world, rules);
        let mut client = server(&world);
        for method in ["resources/read", "skills/get", "resources/directory/read"] {
            let (_, message) = client.error(method, &uri);
            assert!(!message.contains("The body"), "{message}");
        }
        for (method, key) in [("resources/list", "resources"), ("skills/list", "skills")] {
            let list = client.result(method, &json!({}))[key].to_string();
            assert!(!list.contains("skill://"), "{rules}: {list}");
        }
    }
    configure(&world, "");
    assert_eq!(
        read(&mut server(&world), reference.as_str().expect("a text"))["uri"],
        reference
    );
}

#[test]
fn a_denied_nested_skill_is_not_among_the_files_of_the_outer_one() {
    let world = world();
    let inner = skill(&agents(&world.cwd).join("demo"), "inner", "Within");
    configure(
        &world,
        "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"inner\" }]\n",
    );
    let mut client = server(&world);
    let demo = load(&mut client, &json!({"name": "demo"}));
    assert!(!demo.to_string().contains(&text(&inner)));
    let list = client.result("skills/list", &json!({}))["skills"].clone();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert!(!list.to_string().contains("inner"), "{list}");
    let uri = demo["ref"]
        .as_str()
        .expect("a text")
        .replace("SKILL.md", "inner/SKILL.md");
    client.error("resources/read", &json!({ "uri": uri }));
    let root = uri.replace("/SKILL.md", "");
    client.error("resources/directory/read", &json!({ "uri": root }));
}

/// CAT-LOAD.11, CAT-LOAD.18.
#[test]
fn a_load_sends_the_current_file_even_if_edited_since_the_search() {
    let world = world();
    let file = agents(&world.cwd).join("demo/SKILL.md");
    let mut client = server(&world);
    let found = client.call("skill_search", &json!({"query": "demo"}));
    let path = data(&found)["results"][0]["path"].clone();
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, text.replace("The body of demo.", "Another text.")).expect("a file");
    let loaded = load(&mut client, &json!({"path": path}));
    let content = loaded["content"].as_str().expect("a text");
    assert!(
        content.contains("Another text.") && !content.contains("The body"),
        "{content}"
    );
    // The file at this path now contains another skill.
    fs::write(&file, text.replace("name: demo", "name: other")).expect("a file");
    let result = client.call("skill_load", &json!({"path": path}));
    assert!(
        ["SKILL_GONE", "PATH_NOT_IN_CATALOG"].contains(&code(&result)),
        "{result}"
    );
    fs::remove_file(&file).expect("our own");
    let result = client.call("skill_load", &json!({"path": path}));
    assert!(
        ["SKILL_GONE", "PATH_NOT_IN_CATALOG"].contains(&code(&result)),
        "{result}"
    );
}

/// CAT-LOAD.1, CAT-LOAD.4, CAT-LOAD.5, CAT-LOAD.6: the errors have codes and details.
#[test]
fn acceptance_3_an_ambiguous_name_loads_neither_skill() {
    for era in Era::BOTH {
        let world = world();
        skill(&agents(&world.home), "demo", "The user's");
        let mut client = client_of(&world, era);
        let result = client.call("skill_load", &json!({"name": "demo"}));
        assert_eq!(code(&result), "AMBIGUOUS_NAME");
        let candidates = error(&result)["details"]["candidates"].clone();
        let scopes = candidates.as_array().expect("a list").iter();
        let scopes: Vec<&Value> = scopes.map(|candidate| &candidate["scope"]).collect();
        assert_eq!(scopes, ["repo", "user"]);
        let second = load(&mut client, &json!({"name": "demo", "scope": "user"}));
        assert_eq!(second["path"], candidates[1]["path"]);
        let by_path = load(
            &mut client,
            &json!({"path": candidates[0]["path"], "name": "x"}),
        );
        assert_eq!(by_path["skill_id"], candidates[0]["id"]);
        let result = client.call("skill_load", &json!({"name": "dmo"}));
        assert_eq!(code(&result), "SKILL_NOT_FOUND");
        assert_eq!(error(&result)["details"]["suggestions"], json!(["demo"]));
        let result = client.call("skill_load", &json!({"path": "/etc/passwd"}));
        assert_eq!(code(&result), "PATH_NOT_IN_CATALOG");
        for nothing in [json!({}), json!({"name": " "}), json!({"scope": "repo"})] {
            let result = client.call("skill_load", &nothing);
            assert_eq!(code(&result), "INVALID_PARAMS", "{nothing}");
        }
    }
}

/// CAT-LOAD.13, catalog-policy.
#[test]
fn a_refused_load_does_not_count() {
    let world = world();
    configure(&world, "[permissions]\ndefault = \"deny\"\n");
    let mut client = server(&world);
    let result = client.call("skill_load", &json!({"name": "demo"}));
    assert_eq!(code(&result), "PERMISSION_DENIED");
    let said = result.to_string();
    assert!(
        !said.contains("The body") && !said.contains("more.md"),
        "{said}"
    );
    configure(&world, "");
    // A catalog is cached for a second.
    for _ in 0..100 {
        let result = client.call("skill_load", &json!({"name": "demo"}));
        if result["isError"] == false {
            assert!(has_body(data(&result)));
            return;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("the load stays refused");
}

/// CAT-LOAD.20, D16: a load of a skill in a store is recorded in the skill's access log.
#[test]
fn a_load_is_in_the_access_log_of_its_skill() {
    let world = World::built(&[]);
    let mut client = Client::new(&world, SKC);
    load(&mut client, &json!({"name": "demo"}));
    let stats = client.call(
        "skc_stats",
        &json!({"skill": "demo", "group_by": "commands"}),
    );
    assert!(
        stats["structuredContent"].to_string().contains("\"load\""),
        "{stats}"
    );
}
