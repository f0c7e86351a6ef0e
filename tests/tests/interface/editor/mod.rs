//! `skc lsp`, with an editor that sends and receives real messages.

mod actions;
mod agents;
mod findings;
mod help;
mod hostile;
mod life_cycle;
mod navigation;
mod rename;
mod settings;
mod texts;

use std::path::PathBuf;

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::lsp::Editor;

use crate::PROGRAM;

/// A skill with one finding, SKL301 on line 9 (counted from 0).
const BROKEN: &str = "---\nname: demo\ndescription: Shows links. Use when a link has to be shown.\n---\n\n# Demo\n\nText.\n\nSee [the guide](guide.md).\n";

/// The same skill without a finding.
const FINE: &str = "---\nname: demo\ndescription: Shows links. Use when a link has to be shown.\n---\n\n# Demo\n\nText.\n\nSee the guide.\n";

/// Returns `text` with another name and description.
fn renamed(text: &str, name: &str) -> String {
    let text = text.replace("name: demo", &format!("name: {name}"));
    let text = text.replace("# Demo", &format!("# {name}"));
    text.replace("Shows links", &format!("Shows the links of {name}"))
}

/// Starts an editor to which the server pushes findings.
fn pushed(world: &World) -> Editor {
    Editor::new(world, PROGRAM, &json!({}))
}

/// Starts an editor that requests (pulls) findings.
fn pulling(world: &World) -> Editor {
    Editor::new(world, PROGRAM, &pulling_capabilities())
}

fn pulling_capabilities() -> Value {
    json!({"textDocument": {"diagnostic": {}}})
}

/// Creates a world with the skill `demo`. Returns the world and the path of the skill's `SKILL.md`.
fn demo(text: &str) -> (World, PathBuf) {
    let world = World::new();
    let main = world
        .directory("demo", &[("SKILL.md", text)])
        .join("SKILL.md");
    (world, main)
}
