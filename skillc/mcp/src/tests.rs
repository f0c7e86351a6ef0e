//! Tests that need an in-process server: a duplicate tool name, an unresponsive client, and a closed output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use skillc_core::Context;
use skillc_core::config::Toolset;
use skillc_core::testkit::{FixedClock, NOW};
use skillc_ops::{Form, Toolkit};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::server::Server;
use crate::stdio::{run, serve_over};
use crate::tools::{ToolEntry, Tools};

/// REG-MCP.7.
#[test]
fn a_tool_name_is_registered_once() {
    let mut tools = Tools::new(Toolset::All).expect("tools");
    assert_eq!(tools.list().len(), 16);
    let again = ToolEntry {
        tool: tools.find("skill_list").expect("a tool").tool.clone(),
        turn: None,
        form: Form::Envelope,
        gives_skill: false,
        ready: |_, _| panic!("it is not called"),
    };
    let again = tools.register(again).expect_err("exists");
    let said = again.to_string();
    assert!(
        said.ends_with("tool already registered: skill_list"),
        "{said}"
    );
    assert_eq!(tools.list().len(), 16);
}

/// Creates a home directory in which loading the skill `demo` requires confirmation.
fn home() -> TempDir {
    let home = TempDir::new().expect("a directory");
    let skill = home.path().join(".agents/skills/demo");
    fs::create_dir_all(&skill).expect("a directory");
    let text = "---\nname: demo\ndescription: A demo\n---\n\nThe body.\n";
    fs::write(skill.join("SKILL.md"), text).expect("a file");
    fs::create_dir(home.path().join(".skillc")).expect("a directory");
    let config = "[permissions]\ndefault = \"confirm\"\n";
    fs::write(home.path().join(".skillc/config.toml"), config).expect("a file");
    home
}

fn server(home: &Path) -> Server {
    let clock = Arc::new(FixedClock(NOW));
    let home = home.to_path_buf();
    let context = Context::new(home.clone(), Some(home), BTreeMap::new(), clock);
    let (toolkit, _) = Toolkit::new(context.expect("a home is given")).expect("plug-ins");
    let mut server = Server::new(toolkit, Toolset::All).expect("tools");
    server.patience = Duration::from_millis(50);
    server
}

/// The client keeps the server's input open, but closes its output.
#[test]
fn the_server_ends_if_its_output_is_closed() {
    let home = home();
    let server = server(home.path());
    let conversation = async {
        let (mut requests, input) = tokio::io::duplex(1 << 10);
        let (output, answers) = tokio::io::duplex(1 << 10);
        drop(answers);
        let serving = tokio::spawn(serve_over(server, input, output));
        requests.write_all(b"x\n").await.expect("it reads");
        serving.await.expect("it ends");
        drop(requests);
        Ok(())
    };
    let bounded = async { tokio::time::timeout(Duration::from_secs(60), conversation).await };
    run(async { bounded.await.expect("in time") }).expect("a runtime");
}

/// catalog-policy: a timeout means no, and the question is withdrawn.
#[test]
fn a_client_that_never_answers_has_declined() {
    let home = home();
    let server = server(home.path());
    let mut said: Vec<Value> = Vec::new();
    let conversation = async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        let (answers, mut requests) = tokio::io::split(ours);
        let serving = tokio::spawn(serve_over(server, input, output));
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "a test", "version": "1"},
        });
        let call = json!({"name": "skill_load", "arguments": {"name": "demo"}});
        for (id, method, params) in [(0, "initialize", hello), (1, "tools/call", call)] {
            let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            let line = format!("{line}\n");
            requests.write_all(line.as_bytes()).await.expect("it reads");
        }
        let mut lines = BufReader::new(answers).lines();
        while said
            .last()
            .is_none_or(|last| last["id"] != 1 || last["result"].is_null())
        {
            let line = lines.next_line().await.expect("text").expect("an answer");
            said.push(serde_json::from_str(&line).expect("JSON"));
        }
        requests.shutdown().await.expect("it reads");
        serving.await.expect("it ends");
        Ok(())
    };
    let bounded = async { tokio::time::timeout(Duration::from_secs(60), conversation).await };
    run(async { bounded.await.expect("in time") }).expect("a runtime");
    let methods: Vec<&str> = said
        .iter()
        .filter_map(|one| one["method"].as_str())
        .collect();
    assert_eq!(methods, ["elicitation/create", "notifications/cancelled"]);
    let question = said
        .iter()
        .find(|one| one["method"] == "elicitation/create");
    let withdrawn = said
        .iter()
        .find(|one| one["method"] == "notifications/cancelled");
    let ids = question.zip(withdrawn).expect("both");
    assert_eq!(ids.0["id"], ids.1["params"]["requestId"]);
    let result = &said.last().expect("an answer")["result"];
    assert_eq!(
        result["structuredContent"]["error"]["code"],
        "PERMISSION_DENIED"
    );
    assert!(!result.to_string().contains("The body."), "{result}");
}
