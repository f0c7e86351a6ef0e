//! Skills as resources: listing, reading, pagination.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use skillc_core::hash::path_hash16;
use skillc_tests::mcp::Client;
use skillc_tests::{MINIMAL, World};

use crate::mcp::support::{SKC, server, skc_json};

/// Returns the URI of the `SKILL.md` of the skill with this description.
pub(crate) fn main_of(client: &mut Client, description: &str) -> String {
    let resources = all(client, "resources/list", "resources");
    let found = resources.iter().find(|r| r["description"] == description);
    let found = found.unwrap_or_else(|| panic!("no '{description}': {resources:?}"));
    found["uri"].as_str().expect("an address").to_owned()
}

/// Returns all entries of a paginated list.
pub(crate) fn all(client: &mut Client, method: &str, key: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let params = match cursor {
            Value::Null => json!({}),
            cursor => json!({ "cursor": cursor }),
        };
        let page = client.result(method, &params);
        let entries = page[key].as_array().expect("a list");
        found.extend(entries.iter().cloned());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            return found;
        }
        assert!(!entries.is_empty(), "only the last page may be empty");
    }
}

/// Returns the skills among the resources.
pub(crate) fn skills(client: &mut Client) -> Vec<Value> {
    let mut resources = all(client, "resources/list", "resources");
    let is_skill = |uri: &str| uri.starts_with("skill://");
    resources.retain(|resource| resource["uri"].as_str().is_some_and(is_skill));
    resources
}

/// Reads an existing resource; returns its only content.
pub(crate) fn read(client: &mut Client, uri: &str) -> Value {
    let result = client.result("resources/read", &json!({ "uri": uri }));
    let contents = result["contents"].as_array().expect("a list");
    let [content] = &contents[..] else {
        panic!("{result}");
    };
    assert_eq!(content["uri"], uri);
    content.clone()
}

fn named(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# Title\n")
}

/// G-INTRO.3: the resources are exactly the skills that `skc list` shows.
#[test]
fn the_skills_of_both_stores_are_resources() {
    let world = World::demo(&[]);
    world.global_skill("far", &[("SKILL.md", &named("far", "Far."))]);
    world.project_skill("broken", &[("SKILL.md", "# No frontmatter\n")]);
    world.directory("outside", &[("SKILL.md", &named("outside", "Outside."))]);
    let mut client = server(&world);
    let found = skills(&mut client);
    let listed = skc_json(&world, &["list"]);
    let names = |list: &[Value]| -> Vec<String> {
        let names = list.iter().map(|of| of["name"].as_str().expect("a name"));
        names.map(str::to_owned).collect()
    };
    assert_eq!(
        names(&found),
        names(listed["skills"].as_array().expect("a list"))
    );
    assert_eq!(names(&found), ["demo", "far"]);
    let main = world.demo_source().join("SKILL.md");
    let expected = json!({
        "uri": format!("skill://{}/demo/SKILL.md", path_hash16(&main)),
        "name": "demo",
        "description": "A demo. Use when testing.",
        "mimeType": "text/markdown",
        "size": MINIMAL.len(),
    });
    assert_eq!(found[0], expected);
    let content = read(&mut client, found[0]["uri"].as_str().expect("a text"));
    assert_eq!(content["text"], MINIMAL);
    assert_eq!(content["mimeType"], "text/markdown");
}

#[test]
fn one_template_matches_all_uris() {
    let world = World::demo(&[("docs/guide.md", "# Guide\n")]);
    let mut client = server(&world);
    let result = client.result("resources/templates/list", &json!({}));
    let templates = result["resourceTemplates"].as_array().expect("a list");
    assert_eq!(templates.len(), 1);
    assert_eq!(templates[0]["uriTemplate"], "skill://{id}/{name}/{+path}");
    let main = main_of(&mut client, "A demo. Use when testing.");
    let (id, _) = main["skill://".len()..].split_once('/').expect("two parts");
    let filled = format!("skill://{id}/demo/docs/guide.md");
    assert_eq!(read(&mut client, &filled)["text"], "# Guide\n");
}

/// For commands, the local skill takes precedence; as resources, both skills are available.
#[test]
fn skills_of_one_name_have_separate_uris() {
    let world = World::project();
    world.project_skill("twin", &[("SKILL.md", &named("twin", "Here."))]);
    world.global_skill("twin", &[("SKILL.md", &named("twin", "There."))]);
    let mut client = server(&world);
    let here = main_of(&mut client, "Here.");
    let there = main_of(&mut client, "There.");
    assert_ne!(here, there);
    for (uri, description) in [(&here, "Here."), (&there, "There.")] {
        let text = read(&mut client, uri)["text"].clone();
        assert_eq!(text, named("twin", description));
        let got = client.result("skills/get", &json!({ "uri": uri }));
        assert_eq!(got["skill"]["frontmatter"]["description"], description);
    }
    // Each of the two skills has its own files.
    fs::write(world.cwd.join(".skillc/skills/twin/only.md"), "here").expect("a file");
    let only = there.replace("SKILL.md", "only.md");
    assert_eq!(
        client.error("resources/read", &json!({ "uri": only })).0,
        -32002
    );
    let only = here.replace("SKILL.md", "only.md");
    assert_eq!(read(&mut client, &only)["text"], "here");
}

#[test]
fn unusual_file_names_are_percent_encoded() {
    let world = World::demo(&[("\u{e4} b#?%.md", "Odd."), ("%2e%2e", "Dots to be.")]);
    let mut client = server(&world);
    let uri = main_of(&mut client, "A demo. Use when testing.");
    let root = uri.strip_suffix("/SKILL.md").expect("that file");
    let entries = client.result("resources/directory/read", &json!({ "uri": root }));
    let uris = entries["resources"].as_array().expect("a list").iter();
    let uris: Vec<&str> = uris.filter_map(|of| of["uri"].as_str()).collect();
    let mut texts = Vec::new();
    for uri in &uris {
        assert!(uri.is_ascii() && !uri.contains([' ', '?', '#']), "{uri}");
        texts.push(read(&mut client, uri)["text"].clone());
    }
    assert_eq!(texts, ["Dots to be.", MINIMAL, "Odd."]);
}

/// Commands still find the invalid skills by directory, and the catalog reports the errors of these skills.
#[test]
fn skills_that_are_invalid_in_the_catalog_are_not_resources() {
    let world = World::demo(&[]);
    for (dir, name) in [
        ("one", "'a/b'"),
        ("two", "'..'"),
        ("three", "'a\\b'"),
        ("four", "'Two words'"),
        ("five", "another"),
    ] {
        world.project_skill(dir, &[("SKILL.md", &named(name, "Odd."))]);
    }
    world.project_skill("six", &[("SKILL.md", "---\nname: six\n---\n\n# Title\n")]);
    let mut client = server(&world);
    let uris = skills(&mut client);
    assert_eq!(uris.len(), 1, "{uris:?}");
    let outline = client.call("skc_outline", &json!({"skill": "one"}));
    assert_eq!(outline["isError"], false, "{outline}");
    let catalog = client.call("catalog_list", &json!({}));
    let errors = &catalog["structuredContent"]["data"]["errors"];
    assert_eq!(errors.as_array().map(Vec::len), Some(6), "{errors}");
}

/// Text is returned verbatim, and binary files are returned as base64.
#[test]
fn files_are_returned_verbatim() {
    let world = World::demo(&[
        ("empty.txt", ""),
        ("data.json", "{\"a\": 1}\r\n"),
        ("no-extension", "text"),
        ("docs/page.HTML", "<p>"),
        (".hidden.md", "# H\n"),
    ]);
    fs::write(
        world.demo_source().join("logo.png"),
        b"\x89PNG\r\n\x1a\n\0\xff",
    )
    .expect("a file");
    let mut client = server(&world);
    let root = main_of(&mut client, "A demo. Use when testing.").replace("SKILL.md", "");
    for (path, text, kind) in [
        ("empty.txt", "", "text/plain"),
        ("data.json", "{\"a\": 1}\r\n", "application/json"),
        ("no-extension", "text", "application/octet-stream"),
        ("docs/page.HTML", "<p>", "text/html"),
        (".hidden.md", "# H\n", "text/markdown"),
    ] {
        let content = read(&mut client, &format!("{root}{path}"));
        assert_eq!(content["text"], text, "{path}");
        assert_eq!(content["mimeType"], kind, "{path}");
    }
    let content = read(&mut client, &format!("{root}logo.png"));
    assert_eq!(content["blob"], "iVBORw0KGgoA/w==");
    assert!(content.get("text").is_none());
    assert_eq!(content["mimeType"], "image/png");
}

#[test]
fn long_lists_are_paginated() {
    let world = World::project();
    let mut expected = BTreeSet::new();
    for number in 0..250 {
        let name = format!("skill-{number:03}");
        world.project_skill(&name, &[("SKILL.md", &named(&name, "One of many."))]);
        expected.insert(name);
    }
    let mut client = server(&world);
    let first = client.result("resources/list", &json!({}));
    assert!(
        first["resources"]
            .as_array()
            .is_some_and(|page| page.len() <= 100)
    );
    assert!(first["nextCursor"].is_string());
    for (method, key) in [("resources/list", "resources"), ("skills/list", "skills")] {
        let mut found = all(&mut client, method, key);
        found.retain(|of| {
            of["uri"]
                .as_str()
                .is_some_and(|uri| uri.starts_with("skill://"))
        });
        assert_eq!(found.len(), 250, "{method}");
        let uris = found
            .iter()
            .map(|of| of["uri"].as_str().expect("an address"));
        let names = uris.map(|uri| uri.split('/').nth(3).expect("a name").to_owned());
        assert_eq!(names.collect::<BTreeSet<_>>(), expected, "{method}");
        for cursor in ["moon", "", "-1", " 1", "1.5", "99999999999999999999999"] {
            let (code, message) = client.error(method, &json!({ "cursor": cursor }));
            assert_eq!(code, -32602, "{message}");
        }
        // A cursor past the end, for example after skills were deleted, returns an empty last page.
        let late = client.result(method, &json!({"cursor": "100000"}));
        assert_eq!(late[key], json!([]));
        assert!(late.get("nextCursor").is_none());
    }
}

#[test]
fn a_running_server_notices_new_skills_and_edits() {
    let world = World::demo(&[]);
    let mut client = server(&world);
    assert_eq!(skills(&mut client).len(), 1);
    let dir = world.project_skill("later", &[("SKILL.md", &named("later", "New."))]);
    let uri = main_of(&mut client, "New.");
    fs::write(dir.join("SKILL.md"), named("later", "Newer.")).expect("a file");
    assert_eq!(main_of(&mut client, "Newer."), uri);
    let text = read(&mut client, &uri)["text"].clone();
    assert_eq!(text, named("later", "Newer."));
    fs::remove_dir_all(&dir).expect("our own");
    assert_eq!(
        client.error("resources/read", &json!({ "uri": uri })).0,
        -32002
    );
    assert_eq!(skills(&mut client).len(), 1);
}

/// The protocol revision without a handshake uses a different code.
#[test]
fn a_missing_resource_has_the_error_code_of_the_revision() {
    let world = World::demo(&[]);
    let missing = json!({"uri": "skill://0123456789abcdef/demo/SKILL.md"});
    for (mut client, expected) in [
        (server(&world), -32002),
        (Client::without_handshake(&world, SKC), -32602),
    ] {
        let id = client.ask("resources/read", &missing);
        let answer = client.answer(id);
        assert_eq!(answer["error"]["code"], expected);
        assert_eq!(answer["error"]["data"]["uri"], missing["uri"]);
    }
}
