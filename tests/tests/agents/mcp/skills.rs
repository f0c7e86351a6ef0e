//! The Skills extension: skills with their files and digests, and directory listings.

use std::fs;

use serde_json::{Value, json};
use skillc_core::hash::Sha;
use skillc_tests::World;
use skillc_tests::mcp::Client;

use crate::mcp::resources::{all, main_of, read};
use crate::mcp::support::server;

const MAIN: &str =
    "---\nname: demo\ndescription: A demo.\nlicense: MIT\nmetadata:\n  team: blue\n---\n\n# Demo\n";

/// Decodes base64.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|known| *known == letter);
        let value = u32::try_from(value.expect("a letter of base64")).expect("below 64");
        (bits, count) = (bits << 6 | value, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

/// Asserts that each file of a skill has the digest and size of its resource. Returns the paths.
fn check_digests(client: &mut Client, skill: &Value) -> Vec<String> {
    let files = skill["resources"].as_array().expect("a list").clone();
    let mut paths = Vec::new();
    for file in files {
        let uri = file["uri"].as_str().expect("an address");
        let content = read(client, uri);
        let bytes = match content["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => decoded(content["blob"].as_str().expect("text or blob")),
        };
        let expected = format!("sha256:{}", Sha::digest(&bytes));
        assert_eq!(file["digest"], expected, "{uri}");
        assert_eq!(file["size"], bytes.len(), "{uri}");
        paths.push(uri.splitn(5, '/').nth(4).expect("a path").to_owned());
    }
    paths
}

fn get(client: &mut Client, uri: &str) -> Value {
    client.result("skills/get", &json!({ "uri": uri }))["skill"].clone()
}

#[test]
fn a_skill_comes_with_all_its_files_and_their_digests() {
    let world = World::demo(&[
        ("SKILL.md", MAIN),
        ("docs/guide.md", "# Guide\r\n"),
        ("docs/deep/er/a.txt", ""),
        ("\u{e4} #1.md", "# One\n"),
    ]);
    fs::write(world.demo_source().join("logo.png"), b"\x89PNG\0\xff").expect("a file");
    let mut client = server(&world);
    let skills = all(&mut client, "skills/list", "skills");
    assert_eq!(skills.len(), 1);
    let uri = main_of(&mut client, "A demo.");
    assert_eq!(skills[0]["uri"], uri);
    assert_eq!(get(&mut client, &uri), skills[0]);
    let expected = json!({
        "name": "demo", "description": "A demo.", "license": "MIT", "metadata": {"team": "blue"},
    });
    assert_eq!(skills[0]["frontmatter"], expected);
    let paths = check_digests(&mut client, &skills[0]);
    let expected = [
        "SKILL.md",
        "docs/deep/er/a.txt",
        "docs/guide.md",
        "logo.png",
        "%C3%A4%20%231.md",
    ];
    assert_eq!(paths, expected);
}

/// The digest changes even if the size stays equal and the edit is in the same second.
#[test]
fn a_digest_changes_with_its_file() {
    let world = World::demo(&[("SKILL.md", MAIN), ("data.txt", "before")]);
    let mut client = server(&world);
    let uri = main_of(&mut client, "A demo.");
    let mut digests = Vec::new();
    for text in ["before", "after!", "AFTER!", "longer than before", ""] {
        fs::write(world.demo_source().join("data.txt"), text).expect("a file");
        let skill = get(&mut client, &uri);
        check_digests(&mut client, &skill);
        digests.push(skill["resources"][1]["digest"].clone());
    }
    digests.dedup();
    assert_eq!(digests.len(), 5);
    fs::remove_file(world.demo_source().join("data.txt")).expect("our own");
    let skill = get(&mut client, &uri);
    assert_eq!(check_digests(&mut client, &skill), ["SKILL.md"]);
}

/// Files with an old modification time are not hashed again, but an edit is still noticed.
#[test]
fn the_digest_of_an_old_file_is_cached_until_the_file_changes() {
    let world = World::demo(&[("SKILL.md", MAIN), ("data.txt", "before")]);
    let data = world.demo_source().join("data.txt");
    let mut client = server(&world);
    let uri = main_of(&mut client, "A demo.");
    let before = get(&mut client, &uri);
    assert_eq!(get(&mut client, &uri), before);
    // Restore the modification time, so that only the ctime differs.
    let times = fs::metadata(&data)
        .and_then(|of| of.modified())
        .expect("a time");
    fs::write(&data, "AFTER!").expect("a file");
    let file = fs::File::options().write(true).open(&data).expect("a file");
    file.set_modified(times).expect("our own");
    let after = get(&mut client, &uri);
    assert_ne!(after, before);
    check_digests(&mut client, &after);
}

/// The extension has stricter rules for names than the commands.
#[test]
fn skills_with_names_invalid_in_the_extension_are_omitted() {
    let world = World::project();
    for (dir, frontmatter) in [
        ("good", "name: good\ndescription: Good."),
        ("plain", "name: plain"),
        ("Upper", "name: Upper\ndescription: In capitals."),
        ("a--b", "name: a--b\ndescription: With two dashes."),
    ] {
        let text = format!("---\n{frontmatter}\n---\n\n# Title\n");
        world.project_skill(dir, &[("SKILL.md", &text)]);
    }
    let long = "x".repeat(65);
    let text = format!("---\nname: {long}\ndescription: A long name.\n---\n\n# Title\n");
    world.project_skill(&long, &[("SKILL.md", &text)]);
    let mut client = server(&world);
    let skills = all(&mut client, "skills/list", "skills");
    let uris: Vec<&str> = skills.iter().filter_map(|of| of["uri"].as_str()).collect();
    assert_eq!(uris, [main_of(&mut client, "Good.")]);
}

/// More than 2000 files are too many to hash for a response.
#[test]
fn a_skill_with_too_many_files_is_omitted_but_can_be_read() {
    let world = World::demo(&[("SKILL.md", MAIN)]);
    for number in 0..2_001 {
        fs::write(world.demo_source().join(format!("{number}.txt")), "").expect("a file");
    }
    let mut client = server(&world);
    assert_eq!(
        all(&mut client, "skills/list", "skills"),
        Vec::<Value>::new()
    );
    let uri = main_of(&mut client, "A demo.");
    assert_eq!(client.error("skills/get", &json!({ "uri": uri })).0, -32602);
    assert_eq!(read(&mut client, &uri)["text"], MAIN);
}

/// Returns the names and types of a directory's direct entries.
fn entries(client: &mut Client, uri: &str) -> Vec<(String, String)> {
    let result = client.result("resources/directory/read", &json!({ "uri": uri }));
    let entries = result["resources"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    entries
        .iter()
        .map(|of| (text(&of["name"]), text(&of["mimeType"])))
        .collect()
}

#[test]
fn a_directory_lists_its_direct_entries() {
    let world = World::demo(&[
        ("SKILL.md", MAIN),
        ("docs/guide.md", "# Guide\n"),
        ("docs/deep/a.txt", "a"),
        ("docs-too/b.txt", "b"),
        (".hidden/c.txt", "c"),
    ]);
    let mut client = server(&world);
    let main = main_of(&mut client, "A demo.");
    let root = main.strip_suffix("/SKILL.md").expect("that file");
    let own = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        let pairs = list.iter();
        pairs
            .map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned()))
            .collect()
    };
    let top = own(&[
        ("SKILL.md", "text/markdown"),
        ("docs", "inode/directory"),
        ("docs-too", "inode/directory"),
    ]);
    let docs = own(&[("deep", "inode/directory"), ("guide.md", "text/markdown")]);
    for slash in ["", "/"] {
        assert_eq!(entries(&mut client, &format!("{root}{slash}")), top);
        assert_eq!(entries(&mut client, &format!("{root}/docs{slash}")), docs);
    }
    // The URI of a subdirectory, taken from a listing, can be listed as well.
    let params = json!({ "uri": root });
    let result = client.result("resources/directory/read", &params);
    let deeper = result["resources"][1]["uri"]
        .as_str()
        .expect("an address")
        .to_owned();
    assert_eq!(entries(&mut client, &deeper), docs);
}

#[test]
fn a_long_directory_is_paginated() {
    let world = World::demo(&[("SKILL.md", MAIN)]);
    fs::create_dir(world.demo_source().join("many")).expect("a directory");
    for number in 0..250 {
        let file = world.demo_source().join(format!("many/{number:03}.txt"));
        fs::write(file, number.to_string()).expect("a file");
    }
    let mut client = server(&world);
    let uri = main_of(&mut client, "A demo.").replace("SKILL.md", "many");
    let mut found = Vec::new();
    let mut params = json!({ "uri": uri });
    loop {
        let page = client.result("resources/directory/read", &params);
        let entries = page["resources"].as_array().expect("a list");
        assert!(!entries.is_empty() && entries.len() <= 100);
        found.extend(
            entries
                .iter()
                .map(|of| of["name"].as_str().expect("a name").to_owned()),
        );
        match &page["nextCursor"] {
            Value::Null => break,
            cursor => params["cursor"] = cursor.clone(),
        }
    }
    let expected: Vec<String> = (0..250).map(|number| format!("{number:03}.txt")).collect();
    assert_eq!(found, expected);
    params["cursor"] = json!("moon");
    assert_eq!(client.error("resources/directory/read", &params).0, -32602);
}
