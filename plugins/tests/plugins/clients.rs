//! Tests that fixtures cover every known reaction of a client to a fault.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_core::clients::{Client, Clients, Consequence, Fault};

/// Returns the rule that reports a consequence.
const fn code(consequence: Consequence) -> &'static str {
    match consequence {
        Consequence::Refused => "CLT101",
        Consequence::MayBeRefused => "CLT102",
        Consequence::Altered => "CLT103",
        Consequence::Warned => "CLT104",
        Consequence::FieldIgnored => "CLT201",
    }
}

fn cases(code: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    let entries = folder.join(code).read_dir().expect("fixtures of the rule");
    entries.map(|entry| entry.expect("a case").path()).collect()
}

/// Returns the findings in all fixtures of a fault.
fn found(code: &str, fault: Fault) -> String {
    let start = format!("bad-{}", fault.key());
    let cases = cases(code).into_iter().filter(|case| {
        let name = case.file_name().expect("a name").to_string_lossy();
        name == start || name.starts_with(&format!("{start}-"))
    });
    let read = |case: PathBuf| fs::read_to_string(case.join("expected.snap")).expect("a snapshot");
    cases.map(read).collect()
}

/// Returns whether a client's id occurs in `text` as a whole word.
fn names(text: &str, client: &Client) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    text.split(|c| !is_part(c)).any(|word| word == client.id)
}

/// R3.
#[test]
fn every_reaction_of_a_client_is_in_the_findings_of_a_fixture() {
    let mut missing = Vec::new();
    for client in &Clients::builtin().clients {
        for (&fault, reaction) in &client.faults {
            let Some(consequence) = reaction.consequence(fault) else {
                continue;
            };
            let code = code(consequence);
            if !names(&found(code, fault), client) {
                missing.push(format!("{code} bad-{}: {}", fault.key(), client.id));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

/// R10.
#[test]
fn placeholder_fixtures_cover_every_client_with_known_behaviour() {
    let snaps = cases("CLT301")
        .into_iter()
        .map(|case| case.join("expected.snap"));
    let found: String = snaps
        .filter_map(|snap| fs::read_to_string(snap).ok())
        .collect();
    let mut clients = Clients::builtin().clients;
    clients.retain(|client| client.placeholders.is_some());
    assert!(clients.len() > 5, "{}", clients.len());
    for client in &clients {
        assert!(names(&found, client), "{}", client.id);
    }
}
