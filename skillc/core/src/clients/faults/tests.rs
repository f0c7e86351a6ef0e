//! Tests that each fault is attributed to the bytes that cause it.

use std::path::PathBuf;

use super::*;
use crate::layout::{RuntimeDir, Scope};
use crate::path::RelPath;

/// Checks a skill in the directory `demo`. Returns a line for each place where the client sees the fault: the cause as
/// `offset "bytes"`, or `-` if there is none, and the message.
#[track_caller]
fn attributions(client: &str, fault: Fault, text: &str) -> Vec<String> {
    let dir = PathBuf::from("/x/demo");
    let at = SkillRef {
        asked: "demo".to_owned(),
        name: "demo".to_owned(),
        source: dir.clone(),
        canonical: dir.clone(),
        scope: Scope::Project,
        store: None,
        client_folder: None,
        runtime: RuntimeDir(dir.clone()),
        global_runtime: RuntimeDir(dir),
    };
    let path = RelPath::parse("SKILL.md").expect("a path");
    let main = Document::parse(path, text.as_bytes().to_vec());
    let client = Clients::shared().client(client).expect("a client");
    let does = client
        .faults
        .get(&fault)
        .map_or(Behaviour::Warn, |r| r.does);
    let places = Faults::new(&main, &at).places(fault, client, does);
    let line = |place: FaultPlace| {
        let cause = place.cause.map_or("-".to_owned(), |cause| {
            format!("{} {:?}", cause.start, &text[cause.start..cause.end])
        });
        format!("{cause}: {}", place.subject)
    };
    places.into_iter().map(line).collect()
}

const WHOLE: &str = "---\nname: demo\ndescription: Makes things. Use it.\n---\n";

#[test]
fn a_skill_without_faults_has_none() {
    for client in &Clients::shared().clients {
        for fault in Fault::ALL {
            assert_eq!(
                attributions(&client.id, fault, WHOLE),
                [""; 0],
                "{}",
                client.id
            );
        }
    }
}

#[test]
fn an_unreadable_block_is_attributed_to_the_offending_bytes() {
    for (fault, text, expected) in [
        (
            Fault::NoFrontmatter,
            "# Demo\n",
            "0 \"#\": there is no frontmatter",
        ),
        (
            Fault::NoFrontmatter,
            "--- \nname: demo\n---\n",
            "3 \" \": there is no frontmatter",
        ),
        (
            Fault::NoFrontmatter,
            "\u{feff}\n---\n",
            "3 \"\\n\": there is no frontmatter",
        ),
        (Fault::NoFrontmatter, "", "-: there is no frontmatter"),
        (
            Fault::Colon,
            "---\nname: demo\ndescription: Reports: all\n---\n",
            "35 \": \": a value without quotes contains ': '",
        ),
        (
            Fault::Bom,
            "\u{feff}---\nname: demo\n---\n",
            "0 \"\\u{feff}\": there is a byte order mark before '---'",
        ),
        (
            Fault::Dashes,
            "---\nname: demo\ndescription: a --- b\n---\n",
            "30 \"---\": the frontmatter contains '---' before its end",
        ),
    ] {
        assert_eq!(attributions("spec", fault, text), [expected], "{text:?}");
    }
    let yaml = attributions("spec", Fault::Yaml, "---\nname: demo\nd: [a\n---\n");
    assert!(
        yaml.len() == 1 && yaml[0].ends_with("the frontmatter is not valid YAML"),
        "{yaml:?}"
    );
}

#[test]
fn an_overlong_value_is_attributed_to_its_first_excess_character() {
    let name = format!("---\nname: {}X\n---\n", "a".repeat(64));
    assert_eq!(
        attributions("codex", Fault::NameOver, &name),
        ["74 \"X\": name has 65 characters, more than 64"]
    );
    let text = |value: &str| format!("---\nname: demo\ndescription: {value}\n---\n");
    let long = text(&format!("{}X and more", "é".repeat(1024)));
    assert_eq!(
        attributions("codex", Fault::DescriptionOver, &long),
        ["2076 \"X\": description has 1034 characters"]
    );
    // In JavaScript an emoji has length 2.
    let emoji = text(&"🎉".repeat(513));
    assert_eq!(
        attributions("codelia", Fault::DescriptionOver, &emoji),
        ["2076 \"🎉\": description has 1026 UTF-16 units, more than 1024"]
    );
    assert_eq!(
        attributions("codex", Fault::DescriptionOver, &emoji),
        [""; 0]
    );
    let folded = text(&format!(">-\n  {}\n  X\n", "a".repeat(1023)));
    assert_eq!(
        attributions("codex", Fault::DescriptionOver, &folded),
        ["1059 \"X\": description has 1025 characters"]
    );
    let (half, rest) = ("d".repeat(1000), "w".repeat(1000));
    let both = format!("---\ndescription: {half}\nwhen_to_use: {rest}\n---\n");
    assert_eq!(
        attributions("claude-code", Fault::DescriptionOver, &both),
        ["1567 \"w\": description and when_to_use have 2000 characters"]
    );
}

#[test]
fn a_name_is_attributed_to_its_first_invalid_character_or_as_a_whole() {
    let text = |value: &str| format!("---\nname: {value}\ndescription: x\n---\n");
    for (client, fault, name, expected) in [
        ("codelia", Fault::NameCharacters, "My Demo", "10 \"M\""),
        ("codelia", Fault::NameCharacters, "my--demo", "13 \"-\""),
        (
            "codelia",
            Fault::NameCharacters,
            "\"a\\u0020b\"",
            "12 \"\\\\u0020\"",
        ),
        ("goose", Fault::NameCharacters, "a/b", "11 \"/\""),
        ("codelia", Fault::DirMismatch, "other", "10 \"other\""),
        (
            "claude-upload",
            Fault::NameReserved,
            "my-Claude-x",
            "13 \"Claude\"",
        ),
    ] {
        let attributions = attributions(client, fault, &text(name));
        let start = format!("{expected}: name '");
        assert!(
            attributions.len() == 1 && attributions[0].starts_with(&start),
            "{name}: {attributions:?}"
        );
    }
}

#[test]
fn a_value_of_the_wrong_type_is_attributed_to_its_first_character() {
    let text = |line: &str| format!("---\nname: demo\n{line}\n---\n");
    for (client, fault, line, expected) in [
        (
            "copilot-cli",
            Fault::ArgumentHintList,
            "argument-hint: [file]",
            "30 \"[\": 'argument-hint' is a list",
        ),
        (
            "vscode",
            Fault::AllowedToolsList,
            "allowed-tools:\n  - Read",
            "32 \"-\": 'allowed-tools' is a list",
        ),
        (
            "codex",
            Fault::MetadataNoMap,
            "metadata: text",
            "25 \"t\": 'metadata' is a string, not a map",
        ),
        (
            "spec",
            Fault::Flow,
            "metadata: {a: b}",
            "25 \"{\": 'metadata' is a map in brackets",
        ),
        (
            "spec",
            Fault::UnknownField,
            "version: 1",
            "15 \"version\": field 'version' is not in the standard",
        ),
        (
            "codelia",
            Fault::MultiLine,
            "description: >-\n  x",
            "30 \"\\n\": 'description' has a multi-line value, whose first line is only '>-'",
        ),
        (
            "codex",
            Fault::NoDescription,
            "description:",
            "-: there is no 'description'",
        ),
        (
            "vscode",
            Fault::DescriptionMarkup,
            "description: a < b <i>c",
            "34 \"<\": description contains the tag '<i>'",
        ),
        (
            "claude-upload",
            Fault::DescriptionMarkup,
            "description: a > b",
            "30 \">\": description contains '>'",
        ),
    ] {
        assert_eq!(
            attributions(client, fault, &text(line)),
            [expected],
            "{line}"
        );
    }
    assert_eq!(
        attributions("codex", Fault::NoName, "---\ndescription: x\n---\n"),
        ["-: there is no 'name'"]
    );
}
