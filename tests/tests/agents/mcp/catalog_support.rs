//! Helpers for tests of the catalog tools.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::{Client, Era, texts};

use crate::mcp::support::SKC;

/// The catalog tools, in listing order.
pub(crate) const TOOLS: [&str; 5] = [
    "skill_search",
    "skill_load",
    "catalog_list",
    "context_inspect",
    "skill_list",
];

/// Returns the capabilities of a client with elicitation forms.
pub(crate) fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// Starts a server with all tools, for a client without elicitation. `era`: whether the client uses a protocol revision
/// with a handshake.
pub(crate) fn client_of(world: &World, era: Era) -> Client {
    Client::begun(world, SKC, &[], era, &json!({})).0
}

/// Writes a skill below a root; returns the path of its `SKILL.md`.
pub(crate) fn skill(root: &Path, name: &str, description: &str) -> PathBuf {
    let dir = root.join(name);
    fs::create_dir_all(&dir).expect("a directory");
    let text = format!(
        "---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nThe body of {name}.\n"
    );
    let file = dir.join("SKILL.md");
    fs::write(&file, text).expect("a file");
    file
}

/// Returns the `.agents/skills` root of a project or home.
pub(crate) fn agents(dir: &Path) -> PathBuf {
    dir.join(".agents/skills")
}

/// Writes the user's configuration.
pub(crate) fn configure(world: &World, text: &str) {
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    fs::write(world.home.join(".skillc/config.toml"), text).expect("a file");
}

/// Returns the data of a successful call.
#[track_caller]
pub(crate) fn data(result: &Value) -> &Value {
    let envelope = &result["structuredContent"];
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(envelope["ok"], true, "{result}");
    assert!(envelope.get("error").is_none(), "{result}");
    assert_eq!(texts(result).len(), 1, "{result}");
    &envelope["data"]
}

/// Returns the error of a failed call.
#[track_caller]
pub(crate) fn error(result: &Value) -> &Value {
    let envelope = &result["structuredContent"];
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(envelope["ok"], false, "{result}");
    assert!(envelope.get("data").is_none(), "{result}");
    let [text] = texts(result)[..] else {
        panic!("{result}");
    };
    let read: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(read, *envelope);
    &envelope["error"]
}

/// Returns the error code of a failed call.
#[track_caller]
pub(crate) fn code(result: &Value) -> &str {
    error(result)["code"].as_str().expect("a text")
}

/// Loads a skill and returns the data.
#[track_caller]
pub(crate) fn load(client: &mut Client, arguments: &Value) -> Value {
    let result = client.call("skill_load", arguments);
    let data = data(&result).clone();
    assert_eq!(texts(&result), [data["content"].as_str().expect("a text")]);
    data
}

/// Converts a path to a string.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}
