//! Edits of configuration files: the entry is added and removed again, and nothing else changes.

use proptest::prelude::*;
use skillc_core::clients::Clients;
use skillc_core::mcp_config::McpConfig;

use crate::mcp_install::edit::{find, remove, set};
use crate::mcp_install::entry::{PROGRAM, filled};

fn config(id: &str) -> McpConfig {
    let clients = Clients::builtin();
    let client = clients.client(id).expect("a client");
    client.mcp.clone().expect("it has MCP")
}

fn installed(id: &str, text: &str) -> String {
    let config = config(id);
    let text = set(&config, text, &filled(&config, PROGRAM)).expect("it is editable");
    assert!(find(&config, &text).expect("it is readable").is_some());
    text
}

/// Installs and uninstalls the entry, and checks that the original is restored. Returns the text with the entry.
#[track_caller]
fn round_trip(id: &str, text: &str) -> String {
    let between = installed(id, text);
    let back = remove(&config(id), &between).expect("it is editable");
    assert_eq!(back, text, "via {between:?}");
    between
}

/// JSON that already has the object `mcpServers`, in layouts that an edit could easily damage.
const JSON: [&str; 25] = [
    r#"{"mcpServers":{}}"#,
    r#"{ "mcpServers": {} }"#,
    r#"{"mcpServers": { }}"#,
    "{\n  \"mcpServers\": {}\n}\n",
    "{\n  \"mcpServers\": {}\n}",
    "{\n  \"mcpServers\": {\n  }\n}\n",
    "{\n\t\"mcpServers\": {\n\t}\n}",
    "{\r\n  \"mcpServers\": {}\r\n}\r\n",
    "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}",
    "{\"mcpServers\":{\"a\":{\"command\":\"a\"}},\"x\":1}",
    "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}, \"x\": 1}\n",
    "{\n  \"mcpServers\": {\n    \"a\": {}\n  },\n  \"x\": 1\n}\n",
    "{\n  \"mcpServers\": {\n    \"a\": {}, // first\n    \"b\": {}, // last\n  },\n}\n",
    "{\n  \"mcpServers\": {\n    \"a\": {} // last\n    // \"old\": {},\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    \"a\": {} /* x */ , /* y */\n  }\n}\n",
    "{\n  \"mcpServers\": { // none yet\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    // none yet\n\n  }\n}\n",
    "{ \"mcpServers\": {/* none */} }",
    "{ \"mcpServers\": { /* none */ } }",
    "\u{feff}{\n    \"mcpServers\": {}\n}\n",
    "// above\n{\n  \"x\": \"{ // no comment\",\n  \"mcpServers\": {}\n}\n// below\n",
    "{\"mcpServers\": {\"a\": {} // one\n}}",
    "{\"mcpServers\": {\n}}",
    "{\n\n\n  \"mcpServers\" : {\n\n    \"a\" : { } ,\n\n  } ,\n\n}\n\n\n",
    "{\n  \"mcpServers\":\n  {\n      \"a\": {\n        \"command\": \"a\"\n      }\n  }\n}\n",
];

#[test]
fn json_with_a_container_round_trips_exactly() {
    for text in JSON {
        round_trip("cursor", text);
    }
}

/// TOML in many forms. The table of servers need not exist, because the header of an entry creates it implicitly.
const TOML: [&str; 18] = [
    "",
    "\n",
    "\n\n",
    "model = \"x\"\n",
    "model = \"x\"",
    "# only a comment\n",
    "# only a comment",
    "model = \"x\"\r\n\r\n[a]\r\nb = 1\r\n",
    "model = \"x\"\r\n[a]\r\nb = 1",
    "\u{feff}model = \"x\"\n",
    "[mcp_servers]\n",
    "[mcp_servers.a]\ncommand = \"a\"\n\n\n",
    "[mcp_servers]\na = { command = \"a\" }\n",
    "[mcp_servers]\na.command = \"a\"\n# end",
    "mcp_servers.a.command = \"a\"\n[b]\n",
    "[[list]]\nx = 1\n\n[[list]]\nx = '''\n[mcp_servers.skillc]\n'''\n",
    "[a] # [mcp_servers.skillc]\n\t\n",
    "   ",
];

#[test]
fn toml_round_trips_exactly() {
    for text in TOML {
        round_trip("codex", text);
    }
}

#[test]
fn an_entry_is_added_after_the_last_one_and_its_comments() {
    let between = round_trip(
        "cursor",
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {} // one\n\t\t// two\n\t}\n}\n",
    );
    let expected = "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // one\n\t\t// two\n\t\t\"skillc\": {\n\t\t\t\"command\": \"skc\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n";
    assert_eq!(between, expected);
}

#[test]
fn one_line_stays_one_line() {
    assert_eq!(
        round_trip("cursor", r#"{"x":1,"mcpServers":{"a":{}}}"#),
        r#"{"x":1,"mcpServers":{"a":{},"skillc":{"command":"skc","args":["mcp"]}}}"#
    );
    assert_eq!(
        round_trip("cursor", r#"{"x": 1, "mcpServers": {}}"#),
        r#"{"x": 1, "mcpServers": {"skillc": {"command": "skc", "args": ["mcp"]}}}"#
    );
}

#[test]
fn line_endings_match_the_file() {
    let is_crlf = |text: &str| text.replace("\r\n", "").find('\n').is_none();
    for text in [
        "{\r\n  \"mcpServers\": {}\r\n}\r\n",
        "{\r\n}\r\n",
        "// x\r\n",
    ] {
        assert!(is_crlf(&installed("cursor", text)), "{text:?}");
    }
    for text in ["a = 1\r\n", "a = 1\r\nb = 2"] {
        assert!(is_crlf(&installed("codex", text)), "{text:?}");
    }
}

#[test]
fn indentation_matches_the_file() {
    let text = installed("cursor", "{\n\t\"x\": 1\n}\n");
    assert!(
        text.contains("\n\t\t\"skillc\": {\n\t\t\t\"command\""),
        "{text}"
    );
    let text = installed("cursor", "{\n    \"mcpServers\": {}\n}\n");
    assert!(
        text.contains("\n        \"skillc\": {\n            \"command\""),
        "{text}"
    );
}

#[test]
fn a_missing_container_is_created() {
    let entry =
        "{\n    \"skillc\": {\n      \"command\": \"skc\",\n      \"args\": [\"mcp\"]\n    }\n  }";
    let whole = format!("{{\n  \"mcpServers\": {entry}\n}}\n");
    assert_eq!(installed("cursor", ""), whole);
    assert_eq!(installed("cursor", "{}\n"), whole);
    assert_eq!(installed("cursor", "// mine"), format!("// mine\n{whole}"));
    assert_eq!(installed("cursor", "\u{feff}"), format!("\u{feff}{whole}"));
    assert_eq!(
        installed("cursor", "{\n  \"x\": 1\n}\n"),
        format!("{{\n  \"x\": 1,\n  \"mcpServers\": {entry}\n}}\n")
    );
}

#[test]
fn the_container_stays() {
    let config = config("cursor");
    let left = remove(&config, &installed("cursor", "")).expect("it is editable");
    assert_eq!(left, "{\n  \"mcpServers\": {}\n}\n");
}

#[test]
fn keys_may_be_nested_and_contain_a_dot() {
    assert_eq!(
        installed("openclaw", "{mcp: {x: 'y'}}"),
        "{mcp: {x: 'y', \"servers\": {\"skillc\": {\"command\": \"skc\", \"args\": [\"mcp\"]}}}}"
    );
    let amp = installed("amp", "{\"amp.mcpServers\":{}}");
    assert_eq!(
        amp,
        r#"{"amp.mcpServers":{"skillc":{"command":"skc","args":["mcp"]}}}"#
    );
}

#[test]
fn a_new_file_has_what_its_client_requires() {
    let text = installed("codelia", "");
    assert!(
        text.starts_with("{\n  \"version\": 1,\n  \"mcp\": {\n    \"servers\": {"),
        "{text}"
    );
}

#[test]
fn an_entry_between_others_does_not_change_them() {
    let removed = |text| remove(&config("cursor"), text).expect("it is editable");
    assert_eq!(
        removed(r#"{"mcpServers":{"skillc":{},"b":1}}"#),
        r#"{"mcpServers":{"b":1}}"#
    );
    assert_eq!(
        removed(r#"{"mcpServers": { "skillc": {}, "b": 1 }}"#),
        r#"{"mcpServers": { "b": 1 }}"#
    );
    let between = "{\"mcpServers\": {\n  \"a\": 1,\n  \"skillc\": {} /* x */, // y\n  \"b\": 1\n}}";
    let left = "{\"mcpServers\": {\n  \"a\": 1, /* x */ // y\n  \"b\": 1\n}}";
    assert_eq!(removed(between), left);
}

#[test]
fn tables_below_the_entry_are_removed_with_it() {
    let text = "a = 1\n\n[mcp_servers.skillc]\ncommand = \"skc\"\nargs = [\n  \"mcp\",\n]\n\n[mcp_servers.skillc.env]\nA = \"1\" # b\n\n# of the next\n[mcp_servers.b]\ncommand = \"b\"\n";
    let removed = remove(&config("codex"), text).expect("it is editable");
    assert_eq!(
        removed,
        "a = 1\n\n# of the next\n[mcp_servers.b]\ncommand = \"b\"\n"
    );
    let line =
        "[mcp_servers]\na = 1\nskillc = { command = \"skc\", args = [\"mcp\"] } # x\nb = 2\n";
    let removed = remove(&config("codex"), line).expect("it is editable");
    assert_eq!(removed, "[mcp_servers]\na = 1\nb = 2\n");
}

#[test]
fn a_different_entry_is_replaced_in_place() {
    let config = config("cursor");
    let text =
        "{\n  \"mcpServers\": {\n    \"skillc\": { \"url\": \"x\" }, // c\n    \"b\": {}\n  }\n}\n";
    let edited = set(&config, text, &filled(&config, PROGRAM)).expect("it is editable");
    let expected = "{\n  \"mcpServers\": {\n    \"skillc\": {\n      \"command\": \"skc\",\n      \"args\": [\"mcp\"]\n    }, // c\n    \"b\": {}\n  }\n}\n";
    assert_eq!(edited, expected);
}

#[test]
fn uneditable_files_are_reported() {
    let cases = [
        ("cursor", "{", "is not valid JSON: "),
        ("cursor", "{a: 1}", "is not valid JSON: "),
        ("cursor", "[]", "is a list, not an object"),
        (
            "cursor",
            "{\"mcpServers\": []}",
            "sets 'mcpServers' to a list instead of an object",
        ),
        (
            "cursor",
            "{\"mcpServers\": null}",
            "sets 'mcpServers' to null instead of an object",
        ),
        (
            "openclaw",
            "{mcp: {servers: 1}}",
            "sets 'mcp.servers' to a number instead of an object",
        ),
        (
            "cursor",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "has 'mcpServers' twice",
        ),
        (
            "cursor",
            "{\"mcpServers\": {\"skillc\": 1, \"skillc\": 2}}",
            "has 'skillc' twice",
        ),
        ("codex", "a = [", "is not valid TOML: "),
        ("codex", "a = 1\na = 2\n", "is not valid TOML: "),
        (
            "codex",
            "mcp_servers = 1\n",
            "sets 'mcp_servers' to a value of type integer instead of a table",
        ),
        (
            "codex",
            "[[mcp_servers]]\n",
            "sets 'mcp_servers' to a value of type array of tables instead of a table",
        ),
        (
            "codex",
            "mcp_servers = { a = { command = \"a\" } }\n",
            "has 'mcp_servers' as an inline table, which skc does not edit",
        ),
        (
            "codex",
            "mcp_servers.skillc.command = \"x\"\n",
            "has 'skillc' as dotted keys or an inline table, which skc does not edit",
        ),
        ("goose", "", "is YAML, which skc does not edit"),
    ];
    for (id, text, expected) in cases {
        let config = config(id);
        let why = set(&config, text, &filled(&config, PROGRAM)).expect_err(text);
        assert!(why.starts_with(expected), "{text}: {why}");
        assert!(!why.contains('\n'), "{why}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let json = "{\"mcpServers\":".repeat(20_000);
    let why = find(&config("cursor"), &json).expect_err("too deep");
    assert!(why.starts_with("is not valid JSON: "), "{why}");
    let toml = format!("a = {}", "[".repeat(20_000));
    let why = find(&config("codex"), &toml).expect_err("too deep");
    assert!(why.starts_with("is not valid TOML: "), "{why}");
}

/// Blanks and comments, as allowed between any two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n\t".to_owned()),
        Just("\n    ".to_owned()),
        Just("// c, } \"\n".to_owned()),
        Just("/* { , */".to_owned()),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// A member of an object: its key and a value.
fn member(number: usize) -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("{}"),
        Just("1"),
        Just(r#""x // {,""#),
        Just("[1, {\"a\": null}]")
    ];
    (trivia(), trivia(), value)
        .prop_map(move |(before, after, value)| format!("\"k{number}\"{before}:{after}{value}"))
}

/// An object with up to three members, with or without a trailing comma.
fn object() -> impl Strategy<Value = String> {
    let members = (0..4_usize).prop_flat_map(|count| {
        (0..count)
            .map(|number| (trivia(), member(number), trivia()))
            .collect::<Vec<_>>()
    });
    (members, any::<bool>(), trivia()).prop_map(|(members, has_comma, end)| {
        let count = members.len();
        let written = members
            .into_iter()
            .enumerate()
            .map(|(at, (before, member, after))| {
                let comma = if at + 1 < count || has_comma { "," } else { "" };
                format!("{before}{member}{after}{comma}")
            });
        format!("{{{}{end}}}", written.collect::<String>())
    })
}

/// TOML lines in any order without duplicate keys.
fn toml_lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("# c".to_owned()),
        Just("\t# [x]".to_owned()),
        (0..1000_u32).prop_map(|n| format!("[t{n}]\nk = \"v\" # c")),
        (0..1000_u32).prop_map(|n| format!("[mcp_servers.s{n}]\nargs = [\n  'a',\n]")),
    ];
    let ends = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec(line, 0..6), ends, any::<bool>()).prop_map(
        |(mut lines, end, is_closed)| {
            lines.sort();
            lines.dedup();
            let text = lines.join("\n").replace('\n', end);
            if is_closed { text + end } else { text }
        },
    )
}

proptest! {
    #[test]
    fn arbitrary_json_with_a_container_round_trips(
        (above, before, container, after, below) in (trivia(), trivia(), object(), trivia(), trivia()),
        has_more in any::<bool>(),
    ) {
        let more = if has_more { ", \"z\": 0" } else { "" };
        let text = format!("{above}{{{before}\"mcpServers\": {container}{after}{more}}}{below}");
        round_trip("cursor", &text);
    }

    #[test]
    fn arbitrary_toml_round_trips(text in toml_lines()) {
        prop_assume!(find(&config("codex"), &text).is_ok());
        round_trip("codex", &text);
    }

    #[test]
    fn edits_never_panic(
        text in prop_oneof!["\\PC{0,40}", r#"[{}\[\]":,/*a1\n =.#é\\']{0,40}"#],
    ) {
        for id in ["cursor", "openclaw", "codex"] {
            let config = config(id);
            let _ = set(&config, &text, &filled(&config, PROGRAM));
            let _ = remove(&config, &text);
        }
    }
}
