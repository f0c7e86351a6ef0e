//! How clients learn about skills: instructions, prompt, resources, and change notifications.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era, WITHOUT_HANDSHAKE, client_meta, handshake, request};
use skillc_tests::mcp_http::HttpServer;

use crate::mcp::catalog_support::{agents, client_of, configure, data, skill, text};
use crate::mcp::resources::read;
use crate::mcp::support::{SKC, server};

fn world() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    skill(&agents(&world.cwd), "demo", "A <demo> & more");
    world
}

/// Returns the instructions with and without a handshake.
fn instructions(world: &World, options: &[&str]) -> [String; 2] {
    Era::BOTH.map(|era| Client::begun(world, SKC, options, era, &json!({})).1)
}

/// CAT-INJECT.9, CAT-PROTO.8, D11: tested with and without a handshake.
#[test]
fn the_skills_block_is_at_the_end_of_the_instructions() {
    let world = world();
    let without = instructions(&World::project(), &[]);
    let [handshake, discovery] = instructions(&world, &[]);
    assert_eq!(handshake, discovery);
    let (base, block) = handshake.split_once("\n\n").expect("two parts");
    assert_eq!([base, base], without);
    assert!(base.contains("skill_load"), "{base}");
    assert!(block.starts_with("<skills_context>\n"), "{block}");
    assert!(block.ends_with("\n</skills_context>"), "{block}");
    let tree = roxmltree::Document::parse(block).expect("XML");
    let skills = tree.descendants().filter(|node| node.has_tag_name("skill"));
    let values = |node: roxmltree::Node<'_, '_>| -> Vec<String> {
        let parts = node.children().filter(roxmltree::Node::is_element);
        parts
            .map(|part| part.text().expect("a text").to_owned())
            .collect()
    };
    let skills: Vec<Vec<String>> = skills.map(values).collect();
    let path = text(&agents(&world.cwd).join("demo/SKILL.md"));
    let expected = ["demo", "A <demo> & more", &path, "repo"].map(str::to_owned);
    assert_eq!(skills, [expected]);
    assert!(!block.contains("The body"), "{block}");
}

/// CAT-INJECT.9.
#[test]
fn clients_over_http_get_the_same_instructions() {
    let world = world();
    let [expected, _] = instructions(&world, &[]);
    let http = HttpServer::start(&world, SKC);
    let hello = request("hello", "initialize", &handshake("2025-06-18"));
    let answer = http.post(&hello, &[]).answer();
    assert_eq!(answer["result"]["instructions"], expected);
    let params = json!({"_meta": client_meta(WITHOUT_HANDSHAKE)});
    let discover = request("discover", "server/discover", &params);
    let headers = [
        ("Mcp-Protocol-Version", WITHOUT_HANDSHAKE),
        ("Mcp-Method", "server/discover"),
    ];
    let answer = http.post(&discover, &headers).answer();
    assert_eq!(answer["result"]["instructions"], expected);
}

/// catalog-config, catalog-texts, CAT-INJECT.8: the prompt exists unless injection is disabled.
#[test]
fn the_place_of_the_skills_block_is_configurable() {
    let world = world();
    let prompt = json!({"name": "skills_context"});
    let [expected, _] = instructions(&world, &[]);
    let block = expected.split_once("\n\n").expect("two parts").1.to_owned();
    for (inject, in_instructions, by_prompt) in [
        ("instructions", true, true),
        ("prompt", false, true),
        ("off", false, false),
    ] {
        configure(
            &world,
            &format!("[skills.initial]\ninject = \"{inject}\"\n"),
        );
        for era in Era::BOTH {
            let (mut client, instructions) = Client::begun(&world, SKC, &[], era, &json!({}));
            assert_eq!(instructions.ends_with(&block), in_instructions, "{inject}");
            let prompts = client.result("prompts/list", &json!({}))["prompts"].to_string();
            assert_eq!(prompts.contains("skills_context"), by_prompt, "{inject}");
            if by_prompt {
                let got = client.result("prompts/get", &prompt);
                assert_eq!(got["messages"][0]["content"]["text"], block);
                assert_eq!(read(&mut client, "skillc://context")["text"], block);
            } else {
                client.error("prompts/get", &prompt);
                client.error("resources/read", &json!({"uri": "skillc://context"}));
            }
        }
    }
}

/// D13: the block would mention tools that this toolset does not contain.
#[test]
fn the_command_toolset_has_no_skills_block() {
    let world = world();
    for instructions in instructions(&world, &["--toolset", "skc"]) {
        assert!(
            !instructions.contains("skill_load") && !instructions.contains("<skills_context>"),
            "{instructions}"
        );
    }
    for instructions in instructions(&world, &["--toolset", "catalog"]) {
        assert!(
            !instructions.contains("skc_") && instructions.contains("<skills_context>"),
            "{instructions}"
        );
    }
}

/// catalog-tools: the resource equals the result of `catalog_list`.
#[test]
fn the_catalog_is_a_resource() {
    for era in Era::BOTH {
        let world = world();
        let mut client = client_of(&world, era);
        let content = read(&mut client, "skillc://catalog");
        assert_eq!(content["mimeType"], "application/json");
        let text = content["text"].as_str().expect("a text");
        let catalog: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(catalog, *data(&client.call("catalog_list", &json!({}))));
        let list = client.result("resources/list", &json!({}));
        let uris = list["resources"].as_array().expect("a list").iter();
        let uris: Vec<&str> = uris.filter_map(|of| of["uri"].as_str()).take(2).collect();
        assert_eq!(uris, ["skillc://catalog", "skillc://context"]);
    }
}

const CHANGED: &str = "notifications/resources/list_changed";

fn changes(client: &Client) -> usize {
    let all = client.notifications.iter();
    all.filter(|message| message["method"] == CHANGED).count()
}

/// catalog-freshness: clients are notified only if names change.
#[test]
fn changed_names_are_notified() {
    let world = world();
    let mut client = Client::silent(&world, SKC);
    let result = client.result("initialize", &handshake("2025-11-25"));
    assert_eq!(result["capabilities"]["resources"]["listChanged"], true);
    client.notify("notifications/initialized", &json!({}));
    let reload = json!({"force_reload": true});
    data(&client.call("catalog_list", &reload));
    assert_eq!(changes(&client), 0);
    skill(&agents(&world.cwd), "later", "Made later");
    data(&client.call("catalog_list", &reload));
    assert!(client.wait_for(|client| changes(client) == 1));
    // A changed description does not change the list.
    skill(&agents(&world.cwd), "later", "Described anew");
    data(&client.call("catalog_list", &reload));
    data(&client.call("catalog_list", &reload));
    assert_eq!(changes(&client), 1);
    fs::remove_dir_all(agents(&world.cwd).join("later")).expect("our own");
    data(&client.call("skill_list", &json!({"refresh": true})));
    assert!(client.wait_for(|client| changes(client) == 2));
    assert_eq!(client.end().status, Some(0));
}

/// catalog-freshness: a notification to other clients must not delay the handshake.
#[test]
fn a_handshake_after_a_change_does_not_wait() {
    let world = world();
    let http = HttpServer::start(&world, SKC);
    let hello = request("hello", "initialize", &handshake("2025-06-18"));
    http.post(&hello, &[]).answer();
    let is_quick = |number: u32| {
        let name = format!("later-{number}");
        skill(&agents(&world.cwd), &name, "Made later");
        // A catalog is cached for a second.
        thread::sleep(Duration::from_millis(1_100));
        let begin = Instant::now();
        let answer = http.post(&hello, &[]).answer();
        let instructions = answer["result"]["instructions"].to_string();
        assert!(instructions.contains(&name), "{instructions}");
        begin.elapsed() < Duration::from_secs(1)
    };
    // The machine may be busy, so one quick handshake is enough.
    assert!((0..5).any(is_quick));
}

/// catalog-freshness, CAT-PROTO.8.
#[test]
fn listeners_without_a_handshake_are_notified_of_changes() {
    let world = world();
    let mut client = client_of(&world, Era::Stateless);
    let wanted = json!({"notifications": {"resourcesListChanged": true}});
    let listening = client.ask("subscriptions/listen", &wanted);
    let is_acknowledged = |client: &Client| !client.notifications.is_empty();
    assert!(client.wait_for(is_acknowledged));
    let reload = json!({"force_reload": true});
    data(&client.call("catalog_list", &reload));
    skill(&agents(&world.cwd), "later", "Made later");
    data(&client.call("catalog_list", &reload));
    assert!(client.wait_for(|client| changes(client) == 1));
    client.notify("notifications/cancelled", &json!({"requestId": listening}));
    assert_eq!(client.end().status, Some(0));
}

/// catalog-config: results of resource requests cannot carry warnings, so the first tool call reports them.
#[test]
fn catalog_warnings_are_deferred_to_the_first_tool_call() {
    for era in Era::BOTH {
        let world = world();
        configure(&world, "[skills.search]\ndefault_limit = \"many\"\n");
        let mut client = client_of(&world, era);
        client.result("resources/list", &json!({}));
        let result = client.call("skill_search", &json!({"query": "demo"}));
        data(&result);
        let warnings = result["structuredContent"]["warnings"].to_string();
        assert!(
            warnings.contains("W020") && warnings.contains("default_limit"),
            "{warnings}"
        );
        let again = client.call("skill_search", &json!({"query": "demo"}));
        assert!(
            again["structuredContent"].get("warnings").is_none(),
            "{again}"
        );
    }
}

/// D6: completions omit denied and disabled skills, too.
#[test]
fn denied_and_disabled_skills_are_not_listed() {
    let world = world();
    skill(&agents(&world.cwd), "denied", "Denied");
    skill(&agents(&world.cwd), "off", "Off");
    configure(
        &world,
        "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"denied\" }]\n\n\
         [[skills.override]]\nname = \"off\"\nenabled = false\n",
    );
    for instructions in instructions(&world, &[]) {
        assert!(instructions.contains("<name>demo</name>"), "{instructions}");
        assert!(
            !instructions.contains("<name>denied") && !instructions.contains("<name>off"),
            "{instructions}"
        );
    }
    let complete = json!({
        "ref": {"type": "ref/prompt", "name": "use_skill"},
        "argument": {"name": "name", "value": ""},
    });
    let found = server(&world).result("completion/complete", &complete);
    assert_eq!(found["completion"]["values"], json!(["demo"]));
}
