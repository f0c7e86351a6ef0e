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

/// Returns the text of another skill, with a description of its own.
fn renamed(text: &str, name: &str) -> String {
    let text = text.replace("name: demo", &format!("name: {name}"));
    let text = text.replace("# Demo", &format!("# {name}"));
    text.replace("Shows links", &format!("Shows the links of {name}"))
}

/// A client that waits for findings.
fn pushed(world: &World) -> Editor {
    Editor::new(world, PROGRAM, &json!({}))
}

/// A client that asks for findings.
fn pulling(world: &World) -> Editor {
    Editor::new(world, PROGRAM, &pulling_capabilities())
}

fn pulling_capabilities() -> Value {
    json!({"textDocument": {"diagnostic": {}}})
}

/// A world with the skill `demo`, and the path of its `SKILL.md`.
fn demo(text: &str) -> (World, PathBuf) {
    let world = World::new();
    let main = world
        .directory("demo", &[("SKILL.md", text)])
        .join("SKILL.md");
    (world, main)
}
