//! Shared helpers.

use serde_json::{Value, json};
use skillc_tests::mcp::{Client, Era, texts};
use skillc_tests::{Output, World};

/// The path of the program under test.
pub(crate) const SKC: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Starts a server in a world and performs the handshake.
pub(crate) fn server(world: &World) -> Client {
    Client::new(world, SKC)
}

/// Starts a server with a toolset and performs the handshake.
pub(crate) fn server_with(world: &World, toolset: &str) -> Client {
    let options = ["--toolset", toolset];
    Client::begun(world, SKC, &options, Era::Handshake, &json!({})).0
}

/// Runs the real program with the real clock.
pub(crate) fn skc(world: &World, args: &[&str]) -> Output {
    Output::new(world.process(SKC, args).output().expect("a process"))
}

/// Runs a command with JSON output and returns that output.
pub(crate) fn skc_json(world: &World, args: &[&str]) -> Value {
    skc(world, &[args, &["--format", "json"]].concat())
        .success()
        .json()
}

/// Asserts that a call failed with a single text block; returns the text.
#[track_caller]
pub(crate) fn failed(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    let texts = texts(result);
    assert_eq!(texts.len(), 1, "{result}");
    texts[0]
}
