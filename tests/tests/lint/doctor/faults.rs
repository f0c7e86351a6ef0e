//! Each kind of fault, for a client that is known to drop or alter the skill: checks the exact byte range and the exit
//! status.

use std::fs;

use serde_json::json;

use super::{doctor, doctor_json, list, repository, text, write};

/// A fault and its expected report.
struct Case {
    client: &'static str,
    /// The folder that the client searches.
    root: &'static str,
    file: String,
    kind: &'static str,
    worst: &'static str,
    does: &'static str,
    /// The cause: offset, length, line, column, bytes and description. `None` if something is missing, so that no bytes
    /// are the cause.
    cause: Option<(usize, usize, usize, usize, &'static str, &'static str)>,
}

fn case(
    (client, root): (&'static str, &'static str),
    file: impl Into<String>,
    (kind, worst, does): (&'static str, &'static str, &'static str),
    cause: Option<(usize, usize, usize, usize, &'static str, &'static str)>,
) -> Case {
    Case {
        client,
        root,
        file: file.into(),
        kind,
        worst,
        does,
        cause,
    }
}

const CLAUDE: (&str, &str) = ("claude-code", ".claude/skills");
const CODEX: (&str, &str) = ("codex", ".agents/skills");
const CODELIA: (&str, &str) = ("codelia", ".agents/skills");
const GOOSE: (&str, &str) = ("goose", ".agents/skills");
const COPILOT: (&str, &str) = ("copilot-cli", ".github/skills");
const VSCODE: (&str, &str) = ("vscode", ".github/skills");
const SPEC: (&str, &str) = ("spec", ".agents/skills");

fn with(fields: &str) -> String {
    format!("---\nname: demo\n{fields}\n---\n")
}

/// Creates a skill for each case in its own world and compares its first problem.
#[track_caller]
fn check(cases: Vec<Case>) {
    for case in cases {
        let world = repository();
        write(&world.cwd.join(case.root), "demo", &case.file);
        let output = doctor(&world, &["--client", case.client, "-o", "json"]);
        let json = output.json();
        let problems = list(&json["problems"]);
        let problem = problems.iter().find(|problem| problem["kind"] == case.kind);
        let problem = problem.unwrap_or_else(|| panic!("{} {}: {json}", case.client, case.kind));
        let told = format!("{} {}: {problem}", case.client, case.kind);
        assert_eq!(problem["worst"], case.worst, "{told}");
        assert_eq!(problem["effects"][0]["does"], case.does, "{told}");
        let path = world.cwd.join(case.root).join("demo/SKILL.md");
        assert_eq!(problem["path"], path.to_str().expect("a text"), "{told}");
        match case.cause {
            None => assert!(problem.get("cause").is_none(), "{told}"),
            Some((offset, length, line, column, bytes, shown)) => {
                let cause = &problem["cause"];
                assert_eq!(cause["offset"], offset, "{told}");
                assert_eq!(cause["length"], length, "{told}");
                assert_eq!(cause["line"], line, "{told}");
                assert_eq!(cause["column"], column, "{told}");
                assert_eq!(cause["bytes"], bytes, "{told}");
                assert_eq!(cause["shown"], shown, "{told}");
                // The reported bytes match the file.
                let file = fs::read(&path).expect("a file");
                let hex: Vec<String> = file[offset..offset + length]
                    .iter()
                    .take(8)
                    .map(|byte| format!("{byte:02X}"))
                    .collect();
                assert_eq!(hex.join(" "), bytes, "{told}");
            }
        }
        let is_loss = matches!(case.worst, "lost" | "may-be-lost");
        assert_eq!(output.ok, !is_loss, "{told}");
    }
}

#[test]
fn frontmatter_that_cannot_be_parsed() {
    check(vec![
        case(
            CLAUDE,
            with("description: Builds the report: every Friday"),
            ("colon", "lost", "empty"),
            Some((45, 2, 3, 31, "3A 20", "': '")),
        ),
        case(
            CLAUDE,
            with("description: [a"),
            ("yaml", "lost", "empty"),
            Some((28, 1, 3, 14, "5B", "'['")),
        ),
        case(
            CODEX,
            format!("\u{feff}{}", with("description: x")),
            ("bom", "may-be-lost", "drop"),
            Some((0, 3, 1, 1, "EF BB BF", "byte order mark")),
        ),
        case(
            CODEX,
            "# Demo\n",
            ("no-frontmatter", "lost", "drop"),
            Some((0, 1, 1, 1, "23", "'#'")),
        ),
        case(
            GOOSE,
            "---\u{200b}\nname: demo\n---\n",
            ("no-frontmatter", "lost", "drop"),
            Some((3, 3, 1, 4, "E2 80 8B", "U+200B")),
        ),
        case(
            SPEC,
            with("description: a --- b"),
            ("dashes", "changed", "cut"),
            Some((30, 3, 3, 16, "2D 2D 2D", "'---'")),
        ),
        case(
            SPEC,
            with("description: x\nmetadata: {a: b}"),
            ("flow", "lost", "error"),
            Some((40, 1, 4, 11, "7B", "'{'")),
        ),
    ]);
}

#[test]
fn missing_overlong_or_invalid_name() {
    let long = format!("---\nname: {}Z\ndescription: x\n---\n", "a".repeat(64));
    check(vec![
        case(
            CODELIA,
            "---\ndescription: x\n---\n",
            ("no-name", "lost", "drop"),
            None,
        ),
        case(
            CODEX,
            long,
            ("name-over", "lost", "drop"),
            Some((74, 1, 2, 71, "5A", "'Z'")),
        ),
        case(
            CODELIA,
            "---\nname: De mo\ndescription: x\n---\n",
            ("name-characters", "lost", "drop"),
            Some((10, 1, 2, 7, "44", "'D'")),
        ),
        case(
            GOOSE,
            "---\nname: d/e\ndescription: x\n---\n",
            ("name-characters", "lost", "drop"),
            Some((11, 1, 2, 8, "2F", "'/'")),
        ),
        case(
            CODELIA,
            "---\nname: other\ndescription: x\n---\n",
            ("dir-mismatch", "lost", "drop"),
            Some((10, 5, 2, 7, "6F 74 68 65 72", "'other'")),
        ),
        case(
            VSCODE,
            "---\nname: other\ndescription: x\n---\n",
            ("dir-mismatch", "changed", "dirname"),
            Some((10, 5, 2, 7, "6F 74 68 65 72", "'other'")),
        ),
    ]);
}

#[test]
fn missing_or_overlong_description() {
    let long = |count: usize| with(&format!("description: {}Zoo", "é".repeat(count)));
    let quoted = format!("description: \"\\u00e9{}Z\"", "a".repeat(1023));
    check(vec![
        case(
            CODEX,
            with("license: MIT"),
            ("no-description", "lost", "drop"),
            None,
        ),
        case(
            ("opencode", ".opencode/skills"),
            with("license: MIT"),
            ("no-description", "lost", "hide"),
            None,
        ),
        // The cause is the 1025th character.
        case(
            CODEX,
            long(1024),
            ("description-over", "changed", "cut"),
            Some((2076, 1, 3, 1038, "5A", "'Z'")),
        ),
        case(
            CODELIA,
            with(&quoted),
            ("description-over", "lost", "drop"),
            Some((1058, 1, 3, 1044, "5A", "'Z'")),
        ),
        case(
            CLAUDE,
            long(1536),
            ("description-over", "changed", "cut"),
            Some((3100, 1, 3, 1550, "5A", "'Z'")),
        ),
        case(
            VSCODE,
            with("description: a <b> c"),
            ("description-markup", "changed", "strip"),
            Some((30, 1, 3, 16, "3C", "'<'")),
        ),
        case(
            CODELIA,
            with("description: >-\n  x"),
            ("multi-line", "changed", "cut"),
            Some((30, 1, 3, 16, "0A", "end of line")),
        ),
    ]);
}

#[test]
fn a_field_of_the_wrong_kind() {
    check(vec![
        case(
            COPILOT,
            with("description: x\nargument-hint: [file]"),
            ("argument-hint-list", "lost", "drop"),
            Some((45, 1, 4, 16, "5B", "'['")),
        ),
        case(
            CODEX,
            with("description: x\nmetadata: text"),
            ("metadata-no-map", "may-be-lost", "drop"),
            Some((40, 1, 4, 11, "74", "'t'")),
        ),
        case(
            SPEC,
            with("description: x\nversion: 1"),
            ("unknown-field", "lost", "error"),
            Some((30, 7, 4, 1, "76 65 72 73 69 6F 6E", "'version'")),
        ),
    ]);
}

/// Unknown client behaviour is reported as unknown and does not fail the run.
#[test]
fn unknown_behaviour_is_not_a_loss() {
    check(vec![
        case(
            ("cursor", ".cursor/skills"),
            with("description: Builds the report: every Friday"),
            ("colon", "unknown", "unknown"),
            Some((45, 2, 3, 31, "3A 20", "': '")),
        ),
        case(
            CLAUDE,
            format!("\u{feff}{}", with("description: x")),
            ("bom", "unknown", "unknown"),
            Some((0, 3, 1, 1, "EF BB BF", "byte order mark")),
        ),
        case(
            CODEX,
            "---\nname: demo\ndescription: x\n",
            ("unclosed", "unknown", "unknown"),
            Some((0, 3, 1, 1, "2D 2D 2D", "'---'")),
        ),
    ]);
}

#[test]
fn faults_that_a_client_warns_of_or_repairs_are_not_reported() {
    let world = repository();
    let agents = world.cwd.join(".agents/skills");
    write(
        &agents,
        "demo",
        with(&format!("description: {}", "d".repeat(2000))),
    );
    let json = doctor_json(&world, "pi");
    assert_eq!(json["problems"], json!([]));
    write(&agents, "demo", with("description: a: b"));
    assert_eq!(doctor_json(&world, "gemini-cli")["problems"], json!([]));
}

#[test]
fn offsets_count_file_bytes_in_invalid_utf8() {
    let world = repository();
    let file = b"---\nname: demo\nlicense: \xff\xfe\xc3\ndescription: a: b\n---\n";
    write(&world.cwd.join(".claude/skills"), "demo", file);
    let json = doctor_json(&world, "claude-code");
    let cause = &json["problems"][0]["cause"];
    assert_eq!((&cause["offset"], &cause["line"]), (&json!(42), &json!(4)));
    assert_eq!(&file[42..44], b": ");
}

/// If several clients react to the same fault, the report has one problem that lists each client's message and source.
#[test]
fn one_fault_in_several_clients_is_one_problem_with_all_sources() {
    let world = repository();
    let file = with("description: Builds the report: every Friday");
    for root in [".claude/skills", ".kiro/skills", ".cursor/skills"] {
        write(&world.cwd.join(root), "demo", &file);
    }
    let output = doctor(&world, &["--client", "cursor,claude-code", "-o", "json"]);
    let json = output.json();
    // Cursor searches both folders; each file is a separate problem.
    let paths: Vec<&str> = list(&json["problems"])
        .iter()
        .map(|problem| {
            let path = text(&problem["path"]);
            path.split('/').rev().nth(3).expect("a folder")
        })
        .collect();
    assert_eq!(paths, [".claude", ".cursor"]);
    let effects = list(&json["problems"][0]["effects"]);
    let told: Vec<(&str, &str)> = effects
        .iter()
        .map(|effect| (text(&effect["client"]), text(&effect["loss"])))
        .collect();
    assert_eq!(told, [("claude-code", "lost"), ("cursor", "unknown")]);
    assert_eq!(effects[0]["words"], "treats every field as empty");
    assert_eq!(effects[0]["confirmed"], true);
    assert_eq!(effects[0]["source"], "code.claude.com/docs/en/skills");
    assert_eq!(effects[0]["date"], "2026-08-22");
    assert!(effects[1].get("source").is_none());
}

#[test]
fn a_changed_client_behaviour_names_the_version_and_the_old_behaviour() {
    let world = repository();
    write(
        &world.cwd.join(".agents/skills"),
        "demo",
        with(&format!("description: {}", "d".repeat(1025))),
    );
    let json = doctor_json(&world, "codex");
    let effect = &json["problems"][0]["effects"][0];
    assert_eq!(effect["before"], "until 0.137 it did not load the skill");
    write(
        &world.cwd.join(".github/skills"),
        "demo",
        with("description: x\nargument-hint: [a]"),
    );
    let json = doctor_json(&world, "copilot-cli");
    assert_eq!(json["problems"][0]["effects"][0]["since"], "1.0.65");
}
