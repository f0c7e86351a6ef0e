//! Resource URIs that must not be readable, and URIs of resources that do not exist.

use std::fs::{self, File};

use serde_json::{Value, json};
use skillc_tests::World;
use skillc_tests::mcp::Client;

use crate::mcp::resources::main_of;
use crate::mcp::support::server;

const SECRET: &str = "a secret that stands outside of every skill";

/// Creates a world with a secret outside the skill `demo`.
fn world() -> World {
    let world = World::demo(&[("docs/guide.md", "# Guide\n")]);
    fs::write(world.cwd.join("secret.md"), SECRET).expect("a file");
    fs::write(world.cwd.join(".skillc/secret.md"), SECRET).expect("a file");
    fs::write(world.cwd.join(".skillc/skills/secret.md"), SECRET).expect("a file");
    let other = "---\nname: other\ndescription: Another.\n---\n\n# Other\n";
    world.project_skill("other", &[("SKILL.md", other), ("secret.md", SECRET)]);
    world
}

/// Asserts that no method returns anything for a URI. Returns the error code of `resources/read`.
#[track_caller]
fn refused(client: &mut Client, uri: &str) -> i64 {
    let params = json!({ "uri": uri });
    let mut codes = Vec::new();
    for method in ["resources/read", "resources/directory/read", "skills/get"] {
        let id = client.ask(method, &params);
        let answer = client.answer(id);
        assert!(answer.get("error").is_some(), "{method} {uri}: {answer}");
        assert!(!answer.to_string().contains(SECRET), "{method} {uri}");
        codes.push(answer["error"]["code"].as_i64().expect("a number"));
    }
    assert_eq!(codes[1..], [-32602, -32602], "{uri}");
    codes[0]
}

/// C-MCP-OVERVIEW.1.
#[test]
fn no_form_of_path_traversal_leads_out_of_a_skill() {
    let world = world();
    let mut client = server(&world);
    let root = main_of(&mut client, "A demo. Use when testing.").replace("SKILL.md", "");
    let absolute = world.cwd.join("secret.md");
    let absolute = absolute.to_str().expect("UTF-8");
    let paths = [
        "..",
        "../secret.md",
        "../../secret.md",
        "../../../secret.md",
        "../other/secret.md",
        "docs/../../secret.md",
        "docs/../SKILL.md",
        "./SKILL.md",
        ".",
        "%2e%2e/secret.md",
        "%2E%2E/secret.md",
        ".%2e/secret.md",
        "%2e./secret.md",
        "%2e%2e%2fsecret.md",
        "..%2fsecret.md",
        "..%5csecret.md",
        "..\\secret.md",
        "docs%2fguide.md",
        "docs%5cguide.md",
        "%252e%252e/secret.md",
        "..%c0%afsecret.md",
        "%c0%ae%c0%ae/secret.md",
        "..;/secret.md",
        "SKILL.md%00",
        "SKILL.md%00.md",
        "%00",
        "SKILL.md/..",
        "SKILL.md/x",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "%2fetc/passwd",
        "C:%5csecret.md",
        "C:/secret.md",
        "~/secret.md",
        "SKILL.md?x=1",
        "SKILL.md#title",
        "%",
        "%2",
        "%zz",
        "%ff%fe",
        "nope.md",
        "docs/nope.md",
        absolute,
    ];
    for path in paths {
        let code = refused(&mut client, &format!("{root}{path}"));
        assert_eq!(code, -32002, "{path}");
    }
    let long = format!("{root}{}", "a/".repeat(100_000));
    assert_eq!(refused(&mut client, &long), -32002);
}

#[test]
fn a_uri_needs_the_id_and_name_of_one_skill() {
    let world = world();
    let mut client = server(&world);
    let demo = main_of(&mut client, "A demo. Use when testing.");
    let other = main_of(&mut client, "Another.");
    let id = |uri: &str| uri.split('/').nth(2).expect("an id").to_owned();
    let (demo_id, other_id) = (id(&demo), id(&other));
    for uri in [
        String::new(),
        "skill:".into(),
        "skill://".into(),
        "skill:///".into(),
        "skill:////".into(),
        format!("skill://{demo_id}"),
        format!("skill://{demo_id}/"),
        format!("skill://{demo_id}//SKILL.md"),
        format!("skill://{demo_id}/other/SKILL.md"),
        format!("skill://{other_id}/demo/SKILL.md"),
        format!("skill://{other_id}/demo/secret.md"),
        format!("skill://{demo_id}/Demo/SKILL.md"),
        format!("skill://{demo_id}/d%65mo"),
        format!("skill://{demo_id}/d%65mo/SKILL.md"),
        format!("skill://{}/demo/SKILL.md", demo_id.to_uppercase()),
        format!("skill://{}/demo/SKILL.md", &demo_id[..15]),
        format!("skill://{demo_id}0/demo/SKILL.md"),
        "skill://0000000000000000/demo/SKILL.md".into(),
        "skill://demo/SKILL.md".into(),
        "skill://../../demo/SKILL.md".into(),
        format!("SKILL://{demo_id}/demo/SKILL.md"),
        format!(" skill://{demo_id}/demo/SKILL.md"),
        format!("skill://user@{demo_id}/demo/SKILL.md"),
        format!("skill://{demo_id}:80/demo/SKILL.md"),
        format!("file://{}/secret.md", world.cwd.display()),
        "file:///etc/passwd".into(),
        "http://127.0.0.1/".into(),
        "skillc://catalogue".into(),
        "skillc://catalog/".into(),
        world.cwd.join("secret.md").display().to_string(),
    ] {
        // Names must match exactly, even on a case-insensitive file system.
        let code = refused(&mut client, &uri);
        assert_eq!(code, -32002, "{uri}");
    }
    let right = client.result("resources/read", &json!({ "uri": demo }));
    assert!(right["contents"][0]["text"].is_string());
}

#[cfg(unix)]
#[test]
fn symlinks_do_not_lead_out_of_a_skill() {
    use std::os::unix::fs::symlink;

    let world = world();
    let skill = world.demo_source();
    symlink(world.cwd.join("secret.md"), skill.join("out.md")).expect("a link");
    symlink(&world.cwd, skill.join("outdir")).expect("a link");
    symlink("../other", skill.join("otherdir")).expect("a link");
    symlink("loop.md", skill.join("loop.md")).expect("a link");
    symlink("SKILL.md", skill.join("within.md")).expect("a link");
    let mut client = server(&world);
    let root = main_of(&mut client, "A demo. Use when testing.").replace("SKILL.md", "");
    for path in [
        "out.md",
        "outdir",
        "outdir/secret.md",
        "otherdir/secret.md",
        "loop.md",
    ] {
        assert_eq!(
            refused(&mut client, &format!("{root}{path}")),
            -32002,
            "{path}"
        );
    }
    let within = json!({"uri": format!("{root}within.md")});
    let text = client.result("resources/read", &within)["contents"][0]["text"].clone();
    assert_eq!(text, skillc_tests::MINIMAL);
    // The symlinks that are not readable are not listed either.
    let list = client.result("skills/list", &json!({})).to_string();
    assert!(!list.contains("out") && !list.contains("loop"), "{list}");
    let params = json!({ "uri": root });
    let list = client
        .result("resources/directory/read", &params)
        .to_string();
    assert!(!list.contains("out") && !list.contains("loop"), "{list}");
}

/// Opening a FIFO would block forever.
#[cfg(target_os = "linux")]
#[test]
fn special_files_are_not_found() {
    let world = world();
    let pipe = world.demo_source().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("a process").success());
    let mut client = server(&world);
    let root = main_of(&mut client, "A demo. Use when testing.").replace("SKILL.md", "");
    assert_eq!(refused(&mut client, &format!("{root}pipe")), -32002);
    let uri = json!({"uri": format!("{root}SKILL.md")});
    let skill = client.result("skills/get", &uri);
    assert!(!skill.to_string().contains("pipe"), "{skill}");
}

#[test]
fn directories_cannot_be_read_and_files_cannot_be_listed() {
    let world = world();
    fs::create_dir(world.demo_source().join("empty")).expect("a directory");
    let mut client = server(&world);
    let main = main_of(&mut client, "A demo. Use when testing.");
    let root = main.replace("SKILL.md", "");
    for dir in ["", "docs", "docs/"] {
        let uri = json!({"uri": format!("{root}{dir}")});
        assert_eq!(client.error("resources/read", &uri).0, -32002, "{dir}");
        let list = client.result("resources/directory/read", &uri);
        assert!(list["resources"].is_array());
    }
    for file in ["SKILL.md", "docs/guide.md", "docs/nope", "empty"] {
        let uri = json!({"uri": format!("{root}{file}")});
        let code = client.error("resources/directory/read", &uri).0;
        assert_eq!(code, -32602, "{file}");
    }
    let uri = json!({"uri": format!("{root}docs/guide.md")});
    assert_eq!(client.error("skills/get", &uri).0, -32602);
}

/// R20.
#[test]
fn a_huge_file_is_rejected_without_reading_it() {
    let world = world();
    for (name, size) in [
        ("fits.bin", 150_000),
        ("escaped.bin", 16 << 20),
        ("huge.bin", (16 << 20) + 1),
        ("vast.bin", 1 << 40),
    ] {
        let file = File::create(world.demo_source().join(name)).expect("a file");
        file.set_len(size).expect("a file without blocks");
    }
    let mut client = server(&world);
    let root = main_of(&mut client, "A demo. Use when testing.").replace("SKILL.md", "");
    for name in ["huge.bin", "vast.bin"] {
        let uri = json!({"uri": format!("{root}{name}")});
        let (code, message) = client.error("resources/read", &uri);
        assert_eq!(code, -32602);
        assert!(
            message.ends_with("is larger than 16777216 bytes"),
            "{message}"
        );
    }
    let uri = json!({"uri": format!("{root}fits.bin")});
    let content = &client.result("resources/read", &uri)["contents"][0];
    let length = |value: &Value| value.as_str().map(str::len);
    assert_eq!(length(&content["text"]), Some(150_000));
    // Each byte of this file becomes six bytes in JSON.
    let uri = json!({"uri": format!("{root}escaped.bin")});
    let (code, message) = client.error("resources/read", &uri);
    assert_eq!(code, -32602);
    assert!(message.contains("the limit is"), "{message}");
    // A skill of this size has no digests, so `skills/list` omits it.
    assert_eq!(
        client.result("skills/list", &json!({}))["skills"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}
