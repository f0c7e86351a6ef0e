//! SARIF: the OASIS schema, and the additional requirements of GitHub code scanning.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};
use skillc_render::Format;
use skillc_tests::{MINIMAL, World};

use crate::linting::sample::{FAULTY, lint, several, shown, world};

/// GitHub's maximum length of a name and of a description, in characters.
const MAX_NAME: usize = 255;
const MAX_DESCRIPTION: usize = 1024;

fn validator() -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/sarif-2.1.0.json");
    let schema = fs::read_to_string(path).expect("the schema");
    // One pattern in the schema has an extra bracket, which strict regex engines reject. The pattern is for a property
    // that we never write.
    let schema = schema.replace("{2}]?$", "{2}$");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).expect("a schema")
}

#[track_caller]
fn check_schema(log: &Value) {
    let faults: Vec<String> = validator()
        .iter_errors(log)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert_eq!(faults, [""; 0], "{log:#}");
}

/// Returns the log of a run over one skill.
fn log_of(world: &World, skill: &str) -> Value {
    lint(world, skill, "sarif").json()
}

fn results(log: &Value) -> Vec<&Value> {
    let results = log["runs"][0]["results"].as_array();
    results.expect("a list").iter().collect()
}

fn rules(log: &Value) -> Vec<&Value> {
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array();
    rules.expect("a list").iter().collect()
}

fn uri(result: &Value) -> &str {
    let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    place.as_str().expect("a URI")
}

fn fingerprint(result: &Value) -> &str {
    let print = &result["partialFingerprints"]["primaryLocationLineHash"];
    print.as_str().expect("a fingerprint")
}

/// Returns the text at a JSON pointer; fails if it is missing or empty.
#[track_caller]
fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    let found = value
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default();
    assert!(!found.trim().is_empty(), "no {path} in {value:#}");
    found
}

/// C-DIAGNOSTICS.4.
#[test]
fn every_log_conforms_to_the_schema() {
    let world = world();
    check_schema(&log_of(&world, "tables"));
    check_schema(&log_of(&world, "demo"));
    let (out, _) = shown(&several(&world), Format::Sarif, false);
    check_schema(&serde_json::from_str(&out).expect("JSON"));
    let all = world.skc(["lint", "tables", "--select", "ALL", "-o", "sarif"]);
    check_schema(&all.json());
}

/// C-DIAGNOSTICS.4: checks that the validation against the schema detects faults.
#[test]
fn an_invalid_log_fails_the_schema() {
    let mut log = log_of(&world(), "tables");
    log["runs"][0]["results"][0]["level"] = json!("fatal");
    assert!(!validator().is_valid(&log));
    let mut log = log_of(&world(), "tables");
    log["runs"][0]["columnKind"] = json!("bytes");
    assert!(!validator().is_valid(&log));
}

/// C-DIAGNOSTICS.4: checks `sarifLog`, `run` and `toolComponent` against GitHub's list.
#[test]
fn a_log_has_what_code_scanning_requires() {
    let log = log_of(&world(), "tables");
    assert!(
        text(&log, "/$schema").starts_with("https://") && text(&log, "/$schema").contains("2.1.0")
    );
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "skillc");
    assert_eq!(driver["semanticVersion"], env!("CARGO_PKG_VERSION"));
    assert_eq!(log["runs"][0]["columnKind"], "unicodeCodePoints");
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
    // CFG201 runs regardless of the selection.
    assert_eq!((rules(&log).len(), results(&log).len()), (3, 4));
    assert_eq!(results(&log_of(&world(), "demo")), [&Value::Null; 0]);
}

/// C-DIAGNOSTICS.4: checks the `reportingDescriptor` of every rule against GitHub's list.
#[test]
fn a_rule_has_what_code_scanning_requires() {
    let run = world().skc(["lint", "tables", "--select", "ALL", "-o", "sarif"]);
    let log = run.json();
    let rules = rules(&log);
    assert!(rules.len() >= 2);
    for rule in rules {
        let length = |path| text(rule, path).chars().count();
        let id = text(rule, "/id");
        assert!(length("/name") <= MAX_NAME);
        assert!(length("/shortDescription/text") <= MAX_DESCRIPTION);
        assert!(length("/fullDescription/text") <= MAX_DESCRIPTION);
        assert!(text(rule, "/help/text").contains("## Example"), "{id}");
        assert!(!text(rule, "/help/markdown").contains("## Source"), "{id}");
        let level = text(rule, "/defaultConfiguration/level");
        assert!(["error", "warning"].contains(&level), "{id}: {level}");
        let tags = rule["properties"]["tags"].as_array().expect("a list");
        assert!(
            tags.iter()
                .all(|tag| id.starts_with(tag.as_str().expect("a text"))),
            "{tags:?}"
        );
    }
}

/// C-DIAGNOSTICS.4: checks `result`, `location` and `physicalLocation` against GitHub's list.
#[test]
fn a_result_has_what_code_scanning_requires() {
    let log = log_of(&world(), "tables");
    let rules = rules(&log);
    for result in results(&log) {
        let rule = result["ruleIndex"]
            .as_u64()
            .and_then(|at| rules.get(usize::try_from(at).ok()?));
        let rule = rule.expect("a rule of the list");
        assert_eq!(result["ruleId"], rule["id"]);
        assert_eq!(result["level"], rule["defaultConfiguration"]["level"]);
        text(result, "/message/text");
        text(result, "/partialFingerprints/primaryLocationLineHash");
        assert_eq!(result["locations"].as_array().map(Vec::len), Some(1));
        assert!(
            uri(result).starts_with(".skillc/skills/tables/"),
            "{result}"
        );
        let region = &result["locations"][0]["physicalLocation"]["region"];
        let number = |name: &str| region[name].as_u64().expect(name);
        let start = (number("startLine"), number("startColumn"));
        let end = (number("endLine"), number("endColumn"));
        assert!(start >= (1, 1) && start < end, "{region}");
    }
}

/// C-DIAGNOSTICS.4: columns count characters, and the end column is after the last character.
#[test]
fn a_region_covers_the_marked_text() {
    let world = world();
    let log = log_of(&world, "tables");
    let marked = results(&log).into_iter().map(|result| {
        let place = &result["locations"][0]["physicalLocation"]["region"];
        let at = |name: &str| usize::try_from(place[name].as_u64().expect(name)).expect("small");
        assert_eq!(place["startLine"], place["endLine"]);
        let file = world.cwd.join(uri(result).replace("%20", " "));
        let text = fs::read_to_string(file).expect("a file from here");
        let line = text.lines().nth(at("startLine") - 1).expect("that line");
        let length = at("endColumn") - at("startColumn");
        line.chars()
            .skip(at("startColumn") - 1)
            .take(length)
            .collect::<String>()
    });
    let found: Vec<String> = marked.collect();
    let last = FAULTY[1].1.lines().last().expect("a line");
    assert_eq!(found, ["---", "### Rows", "### 单元格\tand `cells`", last]);
}

/// C-DIAGNOSTICS.4: issue trackers recognise a finding even after its line has moved.
#[test]
fn fingerprints_survive_moved_lines_and_distinguish_equal_lines() {
    let prints = |body: &str| {
        let world = World::demo(&[("SKILL.md", &format!("{MINIMAL}{body}"))]);
        let log = log_of(&world, "demo");
        let prints: Vec<String> = results(&log)
            .into_iter()
            .map(|r| fingerprint(r).to_owned())
            .collect();
        prints
    };
    let twice = "\n### Deep\n\nText.\n\n# Next\n\n### Deep\n\nText.\n";
    let before = prints(twice);
    let after = prints(&format!(
        "\nA new paragraph.\n\n{}",
        twice.replace('\n', "\r\n")
    ));
    assert_eq!(before, after);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
    // The hash covers only the first 100 characters, which are equal here: only the count distinguishes the two
    // fingerprints.
    let alike = format!("# Top\n\n### Deep\n\n{}\n\n", "word ".repeat(30)).repeat(2);
    let found = prints(&format!("\n{alike}"));
    let (hash, count) = found[0].split_once(':').expect("a count");
    assert_eq!((count, &*found[1]), ("1", &*format!("{hash}:2")));
}

/// C-DIAGNOSTICS.4: even an unusual file name becomes a relative URI reference that resolves to the file.
#[test]
fn uris_are_relative_and_escaped() {
    let world = World::project();
    let deep = "# A\n\n### B\n";
    world.project_skill("odd", &[("a b/100%#?.md", deep), ("ü&[1].md", deep)]);
    let log = log_of(&world, "odd");
    check_schema(&log);
    let found: Vec<&str> = results(&log).into_iter().map(uri).collect();
    let folder = ".skillc/skills/odd";
    assert_eq!(
        found,
        [
            format!("{folder}/a%20b/100%25%23%3F.md"),
            format!("{folder}/%C3%BC%26%5B1%5D.md")
        ]
    );
    let inside = world.cwd.join(folder);
    let run = world.skc_at(&inside, &["lint", ".", "--select", "SKL205", "-o", "sarif"]);
    assert_eq!(uri(results(&run.json())[1]), "%C3%BC%26%5B1%5D.md");
    let elsewhere = world.home.as_path();
    let inside = inside.to_str().expect("UTF-8");
    let run = world.skc_at(
        elsewhere,
        &["lint", inside, "--select", "SKL205", "-o", "sarif"],
    );
    let found = uri(results(&run.json())[0]).to_owned();
    assert!(
        found.starts_with("file:///") && found.ends_with("/a%20b/100%25%23%3F.md"),
        "{found}"
    );
}

/// C-DIAGNOSTICS.4: a service must not mistake an unread skill for one without findings.
#[test]
fn a_failure_makes_the_run_unsuccessful() {
    let world = world();
    let (out, _) = shown(&several(&world), Format::Sarif, false);
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"]
        .as_array()
        .expect("a list");
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["level"], "error");
    assert!(text(&notes[0], "/message/text").contains("permission denied"));
    let mut by_file = BTreeMap::<&str, usize>::new();
    for result in results(&log) {
        *by_file.entry(uri(result)).or_default() += 1;
    }
    let files: Vec<_> = by_file.into_iter().collect();
    assert_eq!(
        files,
        [
            (".skillc/skills/tables/SKILL.md", 2),
            (".skillc/skills/tables/references/wide%20text.md", 2),
            ("drafts/demo/SKILL.md", 1)
        ]
    );
}

/// F-48: equal skills produce equal logs.
#[test]
fn a_log_depends_only_on_the_skill() {
    let (one, other) = (world(), world());
    assert_eq!(log_of(&one, "tables"), log_of(&other, "tables"));
}

/// Applies the fixes as a consumer of the log would; returns the text of the one changed file.
fn fixed_text(world: &World, log: &Value) -> String {
    let mut changes = Vec::new();
    let mut place = String::new();
    for fix in results(log)
        .iter()
        .filter_map(|result| result["fixes"][0].as_object())
    {
        for change in fix["artifactChanges"].as_array().expect("a list") {
            change["artifactLocation"]["uri"]
                .as_str()
                .expect("a URI")
                .clone_into(&mut place);
            let all = change["replacements"].as_array().expect("a list");
            changes.extend(all.iter().cloned());
        }
    }
    let text = fs::read_to_string(world.cwd.join(place)).expect("a file from here");
    let offset = |line: &Value, column: &Value| {
        let at =
            |value: &Value| usize::try_from(value.as_u64().expect("a number")).expect("small") - 1;
        let start: usize = text
            .split_inclusive('\n')
            .take(at(line))
            .map(str::len)
            .sum();
        let columns = text[start..].chars().take(at(column)).map(char::len_utf8);
        start + columns.sum::<usize>()
    };
    let mut spans: Vec<_> = changes
        .iter()
        .map(|change| {
            let region = &change["deletedRegion"];
            let start = offset(&region["startLine"], &region["startColumn"]);
            let end = offset(&region["endLine"], &region["endColumn"]);
            (
                start,
                end,
                change["insertedContent"]["text"]
                    .as_str()
                    .unwrap_or_default(),
            )
        })
        .collect();
    spans.sort_unstable();
    let mut out = text.clone();
    for (start, end, new) in spans.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

/// R22: applying the fixes of a log gives the same text as `--fix`.
#[test]
fn the_fixes_of_a_log_match_those_applied() {
    for (rule, body) in [
        ("SKL205", "\nDünn 😀\r\n\n### Tiefer 日本\r\n"),
        ("SKL204", "\n## Not first\n"),
        ("SKL203", "\n# Another title\n"),
        (
            "SKL301",
            "\n[é](reference/field.md) and [é](references/fields.md)\n",
        ),
    ] {
        let files = [
            ("SKILL.md", &*format!("{MINIMAL}{body}")),
            ("references/fields.md", "# F\n"),
        ];
        let world = World::demo(&files);
        let args = ["lint", "demo", "--select", rule];
        let log = world
            .skc_at(&world.cwd, &[&args[..], &["-o", "sarif"]].concat())
            .json();
        check_schema(&log);
        let found = results(&log);
        let Some(fix) = found
            .iter()
            .find_map(|result| result["fixes"][0].as_object())
        else {
            assert!(found.is_empty(), "{rule}: no fix: {log:#}");
            continue;
        };
        let told = fix["description"]["text"].as_str().expect("a text");
        assert!(
            told.ends_with(" (safe)") || told.ends_with(" (unsafe: review the result)"),
            "{told}"
        );
        let expected = fixed_text(&world, &log);
        world.skc_at(
            &world.cwd,
            &[&args[..], &["--fix", "--unsafe-fixes"]].concat(),
        );
        let text = fs::read_to_string(world.demo_source().join("SKILL.md")).expect("a file");
        assert_eq!(text, expected, "{rule}");
    }
}
