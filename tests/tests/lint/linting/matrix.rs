//! `--matrix`: how each client handles each skill.

use std::fs;
use std::path::Path;

use serde_json::Value;
use skillc_core::clients::Clients;
use skillc_ops::lint::LintResponse;
use skillc_render::Render;
use skillc_tests::{MINIMAL, Output, World};

/// A skill from the clients page: it has a list where most clients expect a string.
const FORMS: &str = "---\nname: pdf-forms\ndescription: Fills in PDF forms. Use when a form has fields to fill in.\n\
                     argument-hint: [file]\n---\n\n# PDF forms\n";

/// A skill from the clients page: its description contains a colon.
const REPORT: &str = "---\nname: weekly-report\ndescription: Writes the weekly report. Use when: the week is over.\n\
                      ---\n\n# Weekly report\n";

/// Creates a world with both skills in a folder.
fn two(below: &str) -> World {
    let world = World::new();
    let write =
        |name: &str, text| world.directory(&format!("{below}/{name}"), &[("SKILL.md", text)]);
    write("pdf-forms", FORMS);
    write("weekly-report", REPORT);
    world
}

fn matrix(world: &World, args: &[&str]) -> Output {
    world.skc_at(&world.cwd, &[&["lint", "--matrix"], args].concat())
}

/// Returns the cell for a skill and a client in the JSON output.
fn cell<'a>(json: &'a Value, skill: &str, client: &str) -> &'a Value {
    let list = |of: &'a Value, key: &str| of[key].as_array().expect("a list").iter();
    let row = list(json, "skills").find(|row| row["skill"] == skill);
    let cell = list(row.expect("a row"), "cells").find(|cell| cell["client"] == client);
    cell.expect("a cell")
}

fn result(json: &Value, skill: &str, client: &str) -> String {
    let result = &cell(json, skill, client)["result"];
    result.as_str().expect("a word").to_owned()
}

#[test]
fn one_skill_is_a_column_and_each_client_a_row_of_its_own() {
    let world = two("skills");
    let run = matrix(&world, &["./skills/pdf-forms"]).success();
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(lines[0], "CLIENT         pdf-forms");
    assert_eq!(lines[1], "spec           drops");
    let clients = Clients::shared().clients.len();
    assert_eq!(lines[clients + 1], "", "{lines:?}");
    assert!(!run.text().contains("TOTALS"));
}

#[test]
fn some_clients_are_columns_and_their_cells_words() {
    let world = two("skills");
    let run = matrix(&world, &["skills", "--for", "codex,kiro"]);
    let head = "SKILL          codex     kiro\npdf-forms      ignores   ?\nweekly-report  ok        drops\n\nTOTALS";
    assert!(run.text().starts_with(head), "{}", run.text());
}

#[test]
fn many_skills_and_clients_are_letters_within_80_columns() {
    let world = World::new();
    for at in 0..9 {
        let name = format!("a-skill-with-quite-a-long-name-for-the-table-{at}");
        let text = MINIMAL.replace("name: demo", &format!("name: {name}"));
        world.directory(&format!("skills/{name}"), &[("SKILL.md", &text)]);
    }
    let run = matrix(&world, &["skills"]).success();
    let mut lines = run.text().lines();
    let head = lines.next().unwrap_or_default();
    assert!(
        head.starts_with("SKILL ") && head.ends_with(" A B C D E F G H I J K L M N O P Q R"),
        "{head}"
    );
    let row = lines.next().unwrap_or_default();
    assert!(
        row.starts_with("a-skill-with-quite-a-long-name") && row.contains("… . . . "),
        "{row}"
    );
    assert!(run.text().contains("\nD  codex "), "{}", run.text());
    assert!(
        run.text().lines().all(|line| line.chars().count() <= 80),
        "{}",
        run.text()
    );
}

#[test]
fn skills_with_one_name_are_distinguished_by_their_folders() {
    let world = World::new();
    let deep = "a-folder-with-a-name/and-another-one-below-it/and-one-more/of-these";
    for parent in ["one", "two"] {
        world.directory(&format!("{deep}/{parent}/demo"), &[]);
    }
    let run = matrix(&world, &["."]).success();
    for parent in ["one", "two"] {
        assert!(
            run.text().contains(&format!("of-these/{parent}/demo ")),
            "{}",
            run.text()
        );
    }
    assert!(run.text().lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn json_has_a_cell_for_each_client_with_reasons_and_sources() {
    let world = two("skills");
    let json = matrix(&world, &["skills", "-o", "json"]).success().json();
    let ids: Vec<&str> = Clients::shared()
        .clients
        .iter()
        .map(|client| &*client.id)
        .collect();
    assert_eq!(json["clients"], serde_json::json!(ids));
    assert_eq!(result(&json, "pdf-forms", "claude-code"), "ok");
    assert_eq!(result(&json, "pdf-forms", "codex"), "field-ignored");
    assert_eq!(result(&json, "pdf-forms", "copilot-cli"), "dropped");
    assert_eq!(result(&json, "weekly-report", "codex"), "ok");
    let reason = &cell(&json, "weekly-report", "kiro")["reasons"][0];
    assert_eq!(reason["rule"], "CLT101");
    let message = "a value without quotes contains ': '; kiro does not load the skill";
    assert_eq!(reason["message"], message);
    let help = reason["help"].as_str().unwrap_or_default();
    assert!(
        help.ends_with("kirodotdev/Kiro#8329, seen 2026-05-09"),
        "{help}"
    );
}

#[test]
fn unknown_is_neither_ok_nor_a_finding() {
    let world = two("skills");
    let json = matrix(&world, &["skills", "-o", "json"]).success().json();
    let of = |client| cell(&json, "weekly-report", client);
    assert_eq!(of("goose")["result"], "unknown");
    assert_eq!(of("goose")["reasons"][0]["rule"], Value::Null);
    let message = "a value without quotes contains ': '; the reaction of goose is not known";
    assert_eq!(of("goose")["reasons"][0]["message"], message);
    let unknown = json["unknown"].as_array().expect("a list");
    assert!(unknown.contains(&"cursor".into()) && !unknown.contains(&"goose".into()));
    let message = "how cursor handles faults is not known";
    let reasons = of("cursor")["reasons"].as_array().expect("a list");
    assert!(reasons.iter().any(|reason| reason["message"] == message));
    let text = matrix(&world, &["skills"]).success();
    let once = "No data on reactions of these clients: cursor, amp, windsurf, junie, trae.\n";
    assert!(text.text().ends_with(once), "{}", text.text());
    assert!(!text.text().contains("what cursor does"));
}

#[test]
fn a_skill_dropped_by_a_named_client_fails_the_run() {
    let world = two("skills");
    assert!(matrix(&world, &["skills"]).ok, "no client was named");
    assert!(!matrix(&world, &["skills", "--for", "kiro"]).ok);
    assert!(matrix(&world, &["skills", "--for", "codex,cursor"]).ok);
    fs::write(world.cwd.join(".skilllint.toml"), "clients = ['kiro']").expect("a file");
    let run = matrix(&world, &["skills"]);
    assert!(
        !run.ok && run.text().starts_with("SKILL          kiro\n"),
        "{}",
        run.text()
    );
}

/// Each skill is checked against its own configured clients, not its neighbour's.
#[test]
fn each_skill_is_checked_against_its_own_clients() {
    let world = two("skills");
    let config = |skill: &str, text: &str| {
        fs::write(
            world.cwd.join("skills").join(skill).join(".skilllint.toml"),
            text,
        )
        .expect("a file");
    };
    config("pdf-forms", "clients = ['kiro']");
    config("weekly-report", "clients = ['codex']");
    let run = matrix(&world, &["skills", "-o", "json"]);
    assert!(run.ok, "kiro drops only the skill that does not target it");
    assert_eq!(run.json()["clients"], serde_json::json!(["codex", "kiro"]));
    assert_eq!(result(&run.json(), "weekly-report", "kiro"), "dropped");
}

#[test]
fn levels_and_comments_do_not_change_the_matrix() {
    let world = two("skills");
    fs::write(world.cwd.join(".skilllint.toml"), "rules.CLT = 'off'").expect("a file");
    let json = matrix(&world, &["skills", "--ignore", "CLT101", "-o", "json"]).json();
    assert_eq!(result(&json, "weekly-report", "kiro"), "dropped");
}

#[test]
fn a_skill_without_frontmatter_is_dropped_only_where_that_is_known() {
    let world = World::new();
    world.directory("skills/bare", &[("SKILL.md", "# Bare\n")]);
    let json = matrix(&world, &["skills", "-o", "json"]).success().json();
    assert_eq!(result(&json, "bare", "claude-code"), "ok");
    assert_eq!(result(&json, "bare", "goose"), "dropped");
    assert_eq!(result(&json, "bare", "vscode"), "unknown");
    assert_eq!(cell(&json, "bare", "goose")["reasons"][0]["rule"], "SKL100");
}

#[test]
fn an_unreadable_skill_fails_the_run_and_the_others_keep_their_rows() {
    let world = two("skills");
    let broken = world.cwd.join("skills/broken");
    fs::create_dir_all(&broken).expect("a folder");
    let mut large = b"---\nname: broken\n---\n".to_vec();
    large.resize(33 << 20, b'x');
    fs::write(broken.join("SKILL.md"), large).expect("a file");
    let run = matrix(&world, &["skills", "--for", "codex"]);
    assert!(!run.ok);
    assert!(run.stderr.contains("too large"), "{}", run.stderr);
    assert!(
        run.text().contains("\nweekly-report  ok\n"),
        "{}",
        run.text()
    );
    assert!(!run.text().contains("broken"), "{}", run.text());
    let json = matrix(&world, &["skills", "-o", "json"]).json();
    let rows = json["skills"].as_array().expect("a list");
    let row = rows
        .iter()
        .find(|row| row["skill"] == "broken")
        .expect("a row");
    assert!(row["failure"].is_string() && row["cells"] == serde_json::json!([]));
}

#[test]
fn an_unknown_client_is_rejected_with_a_suggestion() {
    let run = matrix(&two("skills"), &["skills", "--for", "codx"]);
    run.error("error[E100]: invalid option: 'unknown client \"codx\"'");
    assert!(
        run.stderr
            .contains("Did you mean 'codex'? Known clients: spec, "),
        "{}",
        run.stderr
    );
}

#[test]
fn finding_formats_are_refused() {
    let world = two("skills");
    for format in ["concise", "sarif", "github", "gitlab", "junit"] {
        let run = matrix(&world, &["skills", "-o", format]);
        run.error(&format!(
            "error[E100]: invalid option: '--matrix does not support format \"{format}\"'"
        ));
        assert!(run.stdout.is_empty(), "{format}");
    }
}

#[test]
fn finding_options_conflict_with_the_matrix() {
    let world = two("skills");
    let own: [&[&str]; 6] = [
        &["--baseline", "b.toml"],
        &["--write-baseline"],
        &["--statistics"],
        &["--fix"],
        &["--diff"],
        &["--stdin"],
    ];
    for option in own {
        let run = world.skc_at(&world.cwd, &[&["lint", "--matrix"], option].concat());
        run.code("E100");
        assert!(
            run.stderr
                .contains(&format!("--matrix cannot be used with {}", option[0])),
            "{}",
            run.stderr
        );
    }
    assert!(!world.cwd.join(".skilllint-baseline.toml").exists());
}

#[test]
fn a_project_without_skills_has_no_matrix() {
    let world = World::project();
    matrix(&world, &[]).code("E068");
}

#[test]
fn names_are_escaped_for_the_terminal() {
    let world = World::new();
    let name = "a\u{1b}[31mb";
    world.directory(&format!("skills/{name}"), &[("SKILL.md", "# x\n")]);
    world.directory("skills/other", &[]);
    let run = matrix(&world, &["skills"]);
    assert!(!run.text().contains('\u{1b}') && !run.stderr.contains('\u{1b}'));
}

/// Runs the real program as a user would, with output to a pipe.
#[test]
fn exit_status_reflects_dropped_skills_and_pipes_get_no_colour() {
    let world = two("skills");
    let program = env!("CARGO_BIN_EXE_skc-under-test");
    let run = |args: &[&str]| {
        let output = world
            .process(program, args)
            .output()
            .expect("the program runs");
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("UTF-8"),
        )
    };
    let (status, text) = run(&["lint", "skills", "--matrix", "--for", "kiro"]);
    assert_eq!(status, Some(1));
    assert!(
        text.starts_with("SKILL          kiro\n") && !text.contains('\u{1b}'),
        "{text}"
    );
    let (status, text) = run(&["budget", "skills", "--max", "10", "--color", "always"]);
    assert_eq!(status, Some(1));
    assert!(text.contains("\u{1b}[31m"), "{text}");
    assert_eq!(run(&["budget", "skills"]).0, Some(0));
}

/// Every code block on the page that shows output matches the command's actual output.
#[test]
fn the_examples_of_the_page_print_what_it_shows() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/clients.md");
    let page = fs::read_to_string(page).expect("a page");
    let world = two(".agents/skills");
    fs::create_dir_all(world.cwd.join(".git")).expect("a folder");
    world.directory(".claude/skills/pdf-forms", &[("SKILL.md", FORMS)]);
    let mut examples = 0;
    for block in page.split("```console\n$ skc ").skip(1) {
        let block = block.split("\n```").next().expect("an example");
        let (command, shown) = block.split_once('\n').unwrap_or((block, ""));
        let args: Vec<&str> = command.split(' ').collect();
        let run = world.skc_at(&world.cwd, &args);
        assert!(
            !run.stderr.contains("error[E100]"),
            "{command}: {}",
            run.stderr
        );
        if !shown.is_empty() {
            assert_eq!(run.text().trim_end(), shown, "{command}");
            examples += 1;
        }
    }
    assert_eq!(examples, 2);
}

/// The absence of findings proves nothing if the client's behaviour is unknown.
#[test]
fn a_client_without_known_behaviour_is_named() {
    let world = two("skills");
    let said = "No data on how these clients react to faults: cursor\n";
    for format in LintResponse::FORMATS {
        let format = format.name();
        let run = |client: &str| {
            let args = ["lint", "skills", "--client", client, "-o", format];
            world.skc_at(&world.cwd, &args).stderr
        };
        assert_eq!(run("codex,cursor").matches(said).count(), 1, "{format}");
        assert!(!run("codex").contains("is known of"), "{format}");
    }
    let run = world.skc(["lint", "skills", "--for", "cursor", "-q"]);
    assert_eq!(run.stderr, "", "--quiet suppresses it");
    let run = matrix(&world, &["skills", "--for", "cursor"]);
    assert!(!run.stderr.contains(said), "the table includes it");
}

/// One citation covers several fields. The output lists each field, but the source only once.
#[test]
fn a_source_is_shown_once_with_all_its_fields() {
    let world = World::new();
    let text = MINIMAL.replace(
        "name: demo\n",
        "name: demo\nallowed-tools: Read\nargument-hint: file\n",
    );
    world.directory("skills/demo", &[("SKILL.md", &text)]);
    let run = matrix(&world, &["skills", "--client", "codex,vscode"]).success();
    let text = run.text();
    for line in [
        "  CLT201 codex ignores the field 'allowed-tools'\n",
        "  CLT201 codex ignores the field 'argument-hint'\n",
        "  CLT201 vscode ignores the field 'allowed-tools' with a warning\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(
        text.matches("openai/codex codex-rs/skills").count(),
        1,
        "{text}"
    );
}

/// A client that searches one level deep does not find skills below that level.
#[test]
fn a_skill_below_the_search_depth_of_a_client_is_not_found() {
    let world = World::new();
    for place in [".agents/skills/tea", ".agents/skills/kitchen/kettle"] {
        let name = place.rsplit('/').next().expect("a name");
        let text = format!(
            "---\nname: {name}\ndescription: Makes tea. Use when tea is asked for.\n---\n\n# Tea\n"
        );
        world.directory(place, &[("SKILL.md", &text)]);
    }
    let args = [".agents", "--for", "gemini-cli,codex"];
    let json = matrix(&world, &[&args[..], &["-o", "json"]].concat());
    assert!(!json.ok, "a named client does not find it");
    let json = json.json();
    for (skill, client, expected) in [
        ("tea", "gemini-cli", "ok"),
        ("tea", "codex", "ok"),
        ("kettle", "gemini-cli", "not-found"),
        ("kettle", "codex", "ok"),
    ] {
        assert_eq!(result(&json, skill, client), expected, "{skill} {client}");
    }
    let text = matrix(&world, &args);
    for said in [
        "not found",
        "NOT FOUND",
        "it is 2 levels below 'skills'; gemini-cli searches 1 level deep",
        "the skill is nested deeper than the client searches",
    ] {
        assert!(text.text().contains(said), "{said}: {}", text.text());
    }
    let flat = matrix(&world, &[".agents/skills/tea"]);
    assert!(!flat.text().contains("not found"), "{}", flat.text());
}
