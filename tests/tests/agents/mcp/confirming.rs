//! Loads that need the user's confirmation: elicitation with and without a handshake, and what counts as a yes.

use std::fs;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era, texts};
use skillc_tests::mcp_http::{HttpClient, HttpServer};

use crate::mcp::catalog_support::{
    agents, client_of, code, configure, data, error, forms, skill, text,
};
use crate::mcp::state::rows;
use crate::mcp::support::SKC;

const CONFIRM: &str = "[permissions]\ndefault = \"confirm\"\n";

/// Creates a world in which every load needs confirmation.
fn world() -> World {
    let world = World::new();
    fs::create_dir(world.cwd.join(".git")).expect("a directory");
    skill(&agents(&world.cwd), "demo", "A demo");
    skill(&agents(&world.cwd), "other", "Another");
    configure(&world, CONFIRM);
    world
}

/// Starts a client that supports elicitation forms.
fn asked(world: &World, era: Era) -> Client {
    Client::begun(world, SKC, &[], era, &forms()).0
}

/// Returns the user's response to a form.
fn form(action: &str, choice: &str) -> Value {
    json!({"action": action, "content": {"choice": choice}})
}

/// Waits for the server's elicitation request; returns it.
#[track_caller]
fn question(client: &mut Client) -> Value {
    let is_asked = |client: &Client| {
        let mut all = client.notifications.iter();
        all.any(|message| message["method"] == "elicitation/create")
    };
    assert!(client.wait_for(is_asked), "no elicitation request");
    let at = client
        .notifications
        .iter()
        .position(|message| message["method"] == "elicitation/create");
    client.notifications.remove(at.expect("a request"))
}

fn reply(client: &mut Client, question: &Value, result: &Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
}

/// Repeats a call with the server's state and the user's response.
fn retry(client: &mut Client, arguments: &Value, state: &Value, word: &Value) -> Value {
    let params = json!({
        "name": "skill_load", "arguments": arguments, "requestState": state,
        "inputResponses": {"confirm": word},
    });
    client.result("tools/call", &params)
}

/// Asserts that the result of a call asks for input; returns the request state to send back.
#[track_caller]
fn state_of(result: &Value) -> Value {
    assert_eq!(result["resultType"], "input_required", "{result}");
    assert!(!result.to_string().contains("The body"), "{result}");
    let asked = &result["inputRequests"]["confirm"];
    assert_eq!(asked["method"], "elicitation/create", "{result}");
    result["requestState"].clone()
}

/// CAT-PERM.7: the error has a hint for the user.
#[test]
fn without_elicitation_a_load_that_needs_confirmation_is_refused() {
    for era in Era::BOTH {
        let world = world();
        let only_links = json!({"elicitation": {"url": {}}});
        let (links, _) = Client::begun(&world, SKC, &[], era, &only_links);
        for mut client in [client_of(&world, era), links] {
            let result = client.call("skill_load", &json!({"name": "demo"}));
            assert_eq!(code(&result), "CONFIRM_REQUIRED");
            let details = &error(&result)["details"];
            assert_eq!(details["skill_name"], "demo");
            let hint = details["hint"].as_str().expect("a text");
            assert!(hint.contains("skc catalog allow demo"), "{hint}");
            assert!(!result.to_string().contains("The body"), "{result}");
        }
    }
}

/// catalog-policy.
#[test]
fn a_confirmation_applies_to_one_load() {
    let world = world();
    let mut client = asked(&world, Era::Handshake);
    for force in [false, true] {
        let arguments = json!({"name": "demo", "force": force});
        let id = client.ask_call("skill_load", &arguments);
        let question = question(&mut client);
        let params = &question["params"];
        let message = params["message"].as_str().expect("a text");
        assert!(
            message.contains("'demo'") && message.contains("SKILL.md"),
            "{message}"
        );
        let schema = &params["requestedSchema"];
        assert_eq!(schema["required"], json!(["choice"]));
        assert_eq!(
            schema["properties"]["choice"]["enum"],
            json!(["once", "always", "no"])
        );
        reply(&mut client, &question, &form("accept", "once"));
        let result = client.result_of(id);
        assert!(texts(&result)[0].contains("The body of demo."), "{result}");
    }
    assert_eq!(
        fs::read_to_string(world.home.join(".skillc/config.toml")).expect("a file"),
        CONFIRM
    );
}

/// CAT-PERM.7, catalog-policy: cases are declined, cancelled and malformed forms, and errors.
#[test]
fn anything_but_a_yes_denies_the_load() {
    let world = world();
    let mut client = asked(&world, Era::Handshake);
    for answer in [
        form("accept", "no"),
        form("decline", "once"),
        form("cancel", "always"),
        form("accept", "yes"),
        form("accept", "ONCE"),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"choice": true}}),
        json!({"action": "accept", "content": "once"}),
        json!({}),
    ] {
        let id = client.ask_call("skill_load", &json!({"name": "demo"}));
        let question = question(&mut client);
        reply(&mut client, &question, &answer);
        let result = client.result_of(id);
        assert_eq!(code(&result), "PERMISSION_DENIED", "{answer}");
        assert!(!result.to_string().contains("The body"), "{result}");
    }
    let id = client.ask_call("skill_load", &json!({"name": "demo"}));
    let asked = question(&mut client);
    let error = json!({"code": -32601, "message": "no such method"});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}));
    assert_eq!(code(&client.result_of(id)), "PERMISSION_DENIED");
}

/// CAT-PERM.6, R18: the rule is written once, and the user is not asked again.
#[test]
fn always_is_remembered_for_this_project_only() {
    for era in Era::BOTH {
        let world = world();
        let mut client = asked(&world, era);
        let arguments = json!({"name": "demo"});
        let result = match era {
            Era::Handshake => {
                let id = client.ask_call("skill_load", &arguments);
                let question = question(&mut client);
                reply(&mut client, &question, &form("accept", "always"));
                client.result_of(id)
            }
            Era::Stateless => {
                let asked = client.call("skill_load", &arguments);
                let yes = form("accept", "always");
                retry(&mut client, &arguments, &state_of(&asked), &yes)
            }
        };
        assert!(texts(&result)[0].contains("The body of demo."), "{result}");
        let config = fs::read_to_string(world.home.join(".skillc/config.toml")).expect("a file");
        assert_eq!(
            config.matches("skill_name = \"demo\"").count(),
            1,
            "{config}"
        );
        assert!(config.contains(&text(&world.cwd)), "{config}");
        assert!(
            config.starts_with("[permissions]\ndefault = \"confirm\""),
            "{config}"
        );
        drop(client);
        // This client cannot ask the user, so only the rule allows this load.
        let mut later = client_of(&world, era);
        data(&later.call("skill_load", &arguments));
        let other = later.call("skill_load", &json!({"name": "other"}));
        assert_eq!(code(&other), "CONFIRM_REQUIRED");
    }
}

/// catalog-policy, D21: the response asks for the user's answer, and the client repeats the call with this answer.
#[test]
fn without_a_handshake_the_call_is_repeated_with_the_answer() {
    let world = world();
    let mut client = asked(&world, Era::Stateless);
    let arguments = json!({"name": "demo"});
    let asked = client.call("skill_load", &arguments);
    let state = state_of(&asked);
    let row = rows(&world).pop().expect("a row");
    assert_eq!((row.phase.as_str(), row.ok), ("exit", None));
    assert_eq!(row.error_code.as_deref(), Some("INPUT_REQUIRED"));
    let result = retry(&mut client, &arguments, &state, &form("accept", "once"));
    assert!(texts(&result)[0].contains("The body of demo."), "{result}");
    let run = data(&result)["run"].clone();
    let row = rows(&world).pop().expect("a row");
    assert_eq!((row.ok, row.error_code), (Some(true), None));
    // The same again, but the user declines.
    let state = state_of(&client.call("skill_load", &arguments));
    let result = retry(&mut client, &arguments, &state, &form("decline", "once"));
    assert_eq!(code(&result), "PERMISSION_DENIED");
    // A load that would only return a reminder needs confirmation as well.
    let again = client.call("skill_load", &json!({"name": "demo", "run": run}));
    state_of(&again);
    assert!(
        client.notifications.is_empty(),
        "{:?}",
        client.notifications
    );
}

/// catalog-policy: the state that a client sends back must be authentic, belong to the same skill and content, and not
/// have been used before.
#[test]
fn forged_altered_or_reused_confirmations_are_rejected() {
    let world = world();
    let mut client = asked(&world, Era::Stateless);
    let (demo, other) = (json!({"name": "demo"}), json!({"name": "other"}));
    let yes = form("accept", "always");
    let asks_again = |client: &mut Client, arguments: &Value, state: &Value| {
        let result = retry(client, arguments, state, &yes);
        state_of(&result);
    };
    let state = state_of(&client.call("skill_load", &demo));
    let sealed = state.as_str().expect("a text").to_owned();
    for forged in [
        json!("x"),
        json!(""),
        json!("..."),
        json!(format!("{sealed}0")),
        json!(sealed.to_uppercase() + "A"),
        json!(sealed.replacen('.', ".9", 1)),
        json!("x".repeat(1 << 20)),
    ] {
        asks_again(&mut client, &demo, &forged);
    }
    // A state for another skill.
    asks_again(&mut client, &other, &state);
    // A state from another server.
    let mut stranger = asked(&world, Era::Stateless);
    asks_again(&mut stranger, &demo, &state);
    // An answer without a state, and a state without an answer.
    let params = json!({
        "name": "skill_load", "arguments": demo, "inputResponses": {"confirm": yes},
    });
    state_of(&client.result("tools/call", &params));
    let params = json!({"name": "skill_load", "arguments": demo, "requestState": state});
    state_of(&client.result("tools/call", &params));
    // None of the attempts above consumed the state; this one does.
    let result = retry(&mut client, &demo, &state, &form("accept", "once"));
    assert!(texts(&result)[0].contains("The body of demo."), "{result}");
    asks_again(&mut client, &demo, &state);
    // The content of the skill has changed since the request.
    let state = state_of(&client.call("skill_load", &demo));
    let file = agents(&world.cwd).join("demo/SKILL.md");
    let before = fs::read_to_string(&file).expect("a file");
    fs::write(&file, before + "More.\n").expect("a file");
    asks_again(&mut client, &demo, &state);
    let config = fs::read_to_string(world.home.join(".skillc/config.toml")).expect("a file");
    assert_eq!(config, CONFIRM);
}

/// catalog-policy: a confirmation applies to the content that the user was asked about.
#[test]
fn a_skill_that_changes_during_confirmation_is_not_loaded() {
    let world = world();
    let mut client = asked(&world, Era::Handshake);
    let id = client.ask_call("skill_load", &json!({"name": "demo"}));
    let question = question(&mut client);
    let file = agents(&world.cwd).join("demo/SKILL.md");
    let before = fs::read_to_string(&file).expect("a file");
    fs::write(&file, before + "More.\n").expect("a file");
    reply(&mut client, &question, &form("accept", "always"));
    let result = client.result_of(id);
    assert_eq!(code(&result), "CONFIRM_REQUIRED");
    let config = fs::read_to_string(world.home.join(".skillc/config.toml")).expect("a file");
    assert_eq!(config, CONFIRM);
}

/// REG-MW.5: the form is withdrawn, the audit log records the cancellation, and the server keeps running.
#[test]
fn a_call_can_be_cancelled_during_confirmation() {
    let world = world();
    let mut client = asked(&world, Era::Handshake);
    let id = client.ask_call("skill_load", &json!({"name": "demo"}));
    let question = question(&mut client);
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    let is_withdrawn = |client: &Client| {
        client.notifications.iter().any(|message| {
            message["method"] == "notifications/cancelled"
                && message["params"]["requestId"] == question["id"]
        })
    };
    assert!(client.wait_for(is_withdrawn), "{:?}", client.notifications);
    // A late response is ignored.
    reply(&mut client, &question, &form("accept", "once"));
    let result = client.call("skill_search", &json!({"query": "demo"}));
    data(&result);
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    assert!(!ended.answers.contains_key(&id.to_string()));
    let mut rows = rows(&world).into_iter();
    let exit = rows.find(|row| row.phase == "exit" && row.tool == "skill_load");
    let exit = exit.expect("a row");
    assert_eq!(exit.error_code.as_deref(), Some("CANCELLED"));
}

#[test]
fn a_client_that_disconnects_during_confirmation_has_not_confirmed() {
    let world = world();
    let mut client = asked(&world, Era::Handshake);
    client.ask_call("skill_load", &json!({"name": "demo"}));
    question(&mut client);
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    let said = format!("{:?}", ended.answers);
    assert!(!said.contains("The body"), "{said}");
}

/// R20.
#[test]
fn unanswered_confirmations_do_not_block_other_calls() {
    let world = world();
    let mut client = asked(&world, Era::Handshake);
    for _ in 0..12 {
        client.ask_call("skill_load", &json!({"name": "demo"}));
    }
    for _ in 0..8 {
        question(&mut client);
    }
    data(&client.call("skill_search", &json!({"query": "demo"})));
    let ended = client.end();
    assert_eq!(ended.status, Some(0));
    // The other four calls exceeded the limit on pending confirmations.
    let is_refused = |answer: &&Value| answer.to_string().contains("CONFIRM_REQUIRED");
    assert_eq!(ended.answers.values().filter(is_refused).count(), 4);
}

/// catalog-tools: by using the prompt, the user confirms the load; denied skills stay denied.
#[test]
fn a_prompt_needs_no_confirmation_but_cannot_override_a_deny_rule() {
    let world = world();
    let prompt = json!({"name": "use_skill", "arguments": {"name": "demo"}});
    let mut client = client_of(&world, Era::Handshake);
    let got = client.result("prompts/get", &prompt);
    let text = got["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text");
    assert!(text.contains("The body of demo."), "{text}");
    // The prompt does not confirm loads by the model.
    let result = client.call("skill_load", &json!({"name": "demo"}));
    assert_eq!(code(&result), "CONFIRM_REQUIRED");
    configure(
        &world,
        "[permissions]\ndeny = [{ tool = \"skill_load\" }]\n",
    );
    let mut client = client_of(&world, Era::Handshake);
    let (_, message) = client.error("prompts/get", &prompt);
    assert!(
        message.contains("E062") && !message.contains("The body"),
        "{message}"
    );
}

/// catalog-policy, D21: with a session, the server asks on the response stream; without a session, the response itself
/// is the question.
#[test]
fn clients_over_http_are_asked_for_confirmation() {
    let world = world();
    let http = HttpServer::start(&world, SKC);
    let mut session = HttpClient::begun(&http, Era::Handshake, &forms());
    let call = json!({"name": "skill_load", "arguments": {"name": "demo"}});
    let (asked, mut stream) = session.asked("tools/call", &call);
    assert_eq!(asked["method"], "elicitation/create");
    let yes = json!({"jsonrpc": "2.0", "id": asked["id"], "result": form("accept", "once")});
    assert_eq!(session.post(&yes).status, 202);
    assert!(stream.wait_for("The body of demo."));

    let mut alone = HttpClient::begun(&http, Era::Stateless, &forms());
    let asked = alone.ask("tools/call", &call)["result"].clone();
    let mut again = call.clone();
    again["requestState"] = state_of(&asked);
    again["inputResponses"] = json!({"confirm": form("accept", "once")});
    let result = alone.ask("tools/call", &again)["result"].clone();
    assert!(texts(&result)[0].contains("The body of demo."), "{result}");
    state_of(&alone.ask("tools/call", &again)["result"]);
}
