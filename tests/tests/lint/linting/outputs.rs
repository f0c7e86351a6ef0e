//! The CI formats `github` and `gitlab`, and `--statistics`, with hostile names and content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};
use skillc_ops::lint::{LintResponse, StatisticsRequest};
use skillc_render::Format;
use skillc_tests::{MINIMAL, World};

use crate::linting::sample::{TWO_DEEP, lint, several, shown, world};

/// A file's name and content, which both contain characters with a special meaning in some format or in terminals.
pub(crate) const HOSTILE: (&str, &str) = (
    "references/a,b::error::%0A]]>&<'\" \u{1b}[31m\n::warning::x.md",
    "# A\n\n### B\n\n# C\n\n### ]]> & <b> \u{fffe}\u{202e}\n",
);

pub(crate) fn hostile() -> World {
    World::demo(&[HOSTILE])
}

/// Returns the report of one skill whose first finding has this message.
pub(crate) fn with_message(world: &World, message: &str) -> LintResponse {
    let mut response = several(world);
    let report = response.skills.last_mut().expect("a skill");
    message.clone_into(&mut report.diagnostics[0].message);
    response
}

/// A workflow command as a GitHub runner parses it.
#[derive(Debug)]
struct Command {
    name: String,
    properties: BTreeMap<String, String>,
    message: String,
}

/// Parses a line as the runner does: name and properties end at the next `::`. Returns `None` if the line is not a
/// command.
fn command(line: &str) -> Option<Command> {
    let (head, message) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let value = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n");
        let text = text.replace("%3A", ":").replace("%2C", ",");
        text.replace("%25", "%")
    };
    let pairs = properties
        .split(',')
        .filter_map(|pair| pair.split_once('='));
    let message = message.replace("%0D", "\r").replace("%0A", "\n");
    Some(Command {
        name: name.to_owned(),
        properties: pairs
            .map(|(key, text)| (key.to_owned(), value(text)))
            .collect(),
        message: message.replace("%25", "%"),
    })
}

fn commands(out: &str) -> Vec<Command> {
    let read = |line| command(line).unwrap_or_else(|| panic!("no command: {line}"));
    out.lines().map(read).collect()
}

#[test]
fn a_workflow_annotates_each_finding_at_its_line() {
    let run = lint(&world(), "tables", "github");
    assert!(!run.ok, "errors fail the run");
    let folder = ".skillc/skills/tables";
    let first = format!(
        "::error file={folder}/SKILL.md,line=1,endLine=1,col=1,endColumn=4,title=SKL101 name-required::\
         {folder}/SKILL.md:1:1: missing required field 'name'%0Ahelp: add 'name: tables', the directory's name"
    );
    assert_eq!(run.text().lines().next(), Some(&*first));
    let found = commands(run.text());
    let names: Vec<&str> = found.iter().map(|command| &*command.name).collect();
    assert_eq!(names, ["error", "warning", "warning", "warning"]);
    let places = found.iter().map(|found| {
        let of = |name: &str| found.properties[name].as_str();
        (of("file"), of("line"), of("title"))
    });
    let file = format!("{folder}/references/wide text.md");
    let title = "SKL205 heading-hierarchy";
    assert_eq!(
        places.skip(2).collect::<Vec<_>>(),
        [(&*file, "3", title), (&*file, "7", title)]
    );
    assert!(
        run.stderr.starts_with("1 skill: 1 error, 3 warnings in "),
        "{run:?}"
    );
}

#[test]
fn names_and_messages_cannot_inject_commands() {
    let run = lint(&hostile(), "demo", "github");
    let found = commands(run.text());
    assert_eq!(found.len(), 2, "{run:?}");
    for found in &found {
        assert_eq!(found.name, "warning");
        let keys: Vec<&str> = found.properties.keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["col", "endColumn", "endLine", "file", "line", "title"]
        );
        let path = HOSTILE.0.replace('\u{1b}', "\\u{1b}");
        assert_eq!(
            found.properties["file"],
            format!(".skillc/skills/demo/{path}")
        );
        assert!(found.message.contains("; use H2") || found.message.contains("\nhelp: "));
    }
    let text = "a\r\n::error::%0A, ##[error]\u{1b}]0;x\u{7}";
    let (out, err) = shown(&with_message(&world(), text), Format::Github, false);
    let found = commands(&out);
    assert!(
        found.iter().any(|found| found.message.contains(
            "tables/SKILL.md:1:1: a\r\n::error::%0A, ## [error]\\u{1b}]0;x\\u{7}\nhelp: "
        )),
        "{out}"
    );
    assert_eq!(found.len(), 6);
    assert!(err.lines().all(|line| command(line).is_none()), "{err}");
}

/// GitHub workflows also interpret standard error.
#[test]
fn skill_names_cannot_inject_commands_on_standard_error() {
    let mut response = several(&world());
    for report in &mut response.skills {
        report.skill = "::error::x ##[error]".to_owned();
        report.failure = Some("::warning::y ##[error]".to_owned());
    }
    response.skills.truncate(1);
    for is_single in [true, false] {
        response.is_single = is_single;
        let (out, err) = shown(&response, Format::Github, false);
        assert!(!err.contains("::") && !err.contains("##["), "{err}");
        assert_eq!(commands(&out).len(), 2, "{out}");
    }
}

/// GitLab requires `description`, `check_name`, `fingerprint`, one of five values of `severity`, `location.path`, and a
/// line.
#[test]
fn a_code_quality_report_has_what_gitlab_requires() {
    let run = lint(&world(), "tables", "gitlab");
    assert!(!run.ok && run.stderr.is_empty(), "{run:?}");
    let report = run.json();
    let issues = report.as_array().expect("a list");
    assert_eq!(issues.len(), 4);
    let mut prints = BTreeSet::new();
    for issue in issues {
        let keys: Vec<&String> = issue.as_object().expect("an object").keys().collect();
        let expected = [
            "check_name",
            "description",
            "fingerprint",
            "location",
            "severity",
        ];
        assert_eq!(keys, expected);
        let print = issue["fingerprint"].as_str().expect("a text");
        assert!(print.len() == 64 && print.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(prints.insert(print), "duplicate {print}");
        let path = issue["location"]["path"].as_str().expect("a text");
        assert!(path.starts_with(".skillc/skills/tables/"), "{path}");
        assert!(issue["location"]["lines"]["begin"].as_u64() >= Some(1));
    }
    let brief = |issue: &Value| {
        json!([
            issue["severity"],
            issue["check_name"],
            issue["location"]["lines"]
        ])
    };
    assert_eq!(brief(&issues[0]), json!(["major", "SKL101", {"begin": 1}]));
    assert_eq!(brief(&issues[3]), json!(["minor", "SKL205", {"begin": 7}]));
    let description = "SKL101 name-required: missing required field 'name'\nhelp: add 'name: tables', the directory's \
                       name";
    assert_eq!(issues[0]["description"], description);
    assert_eq!(lint(&world(), "demo", "gitlab").json(), json!([]));
}

#[test]
fn gitlab_fingerprints_are_unique_and_survive_moved_lines() {
    let prints = |body: &str| {
        let world = World::demo(&[("SKILL.md", &format!("{MINIMAL}{body}"))]);
        let report = lint(&world, "demo", "gitlab").json();
        let issues = report.as_array().expect("a list").iter();
        issues
            .map(|issue| issue["fingerprint"].to_string())
            .collect::<Vec<_>>()
    };
    let twice = format!(
        "\n### Deep\n\n{0}\n\n# Next\n\n### Deep\n\n{0}\n",
        "word ".repeat(40)
    );
    let found = prints(&twice);
    assert_eq!(found.len(), 2);
    assert_ne!(found[0], found[1]);
    assert_eq!(prints(&format!("\nA new paragraph.\n{twice}")), found);
    assert_ne!(prints("\n### Other\n"), prints("\n### Deep\n"));
}

#[test]
fn an_unreadable_skill_is_a_gitlab_issue() {
    let (out, _) = shown(&several(&world()), Format::Gitlab, false);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let issues = report.as_array().expect("a list");
    let failed = issues
        .iter()
        .find(|issue| issue["check_name"] == "unreadable-skill");
    let failed = failed.expect("exists");
    assert_eq!(failed["severity"], "critical");
    assert_eq!(failed["location"]["path"], "broken/SKILL.md");
    assert!(
        failed["description"]
            .to_string()
            .contains("permission denied")
    );
}

/// In the statistics, as next to findings, `[*]` means that `--fix` alone applies the fix.
#[test]
fn statistics_do_not_mark_unsafe_fixes() {
    use skillc_lint::Safety;

    let world = world();
    let mut response = several(&world);
    response.summing.statistics = true;
    let reports = response.skills.iter_mut();
    for finding in reports.flat_map(|report| &mut report.diagnostics) {
        finding.fixable = Some(Safety::Unsafe);
    }
    let (out, err) = shown(&response, Format::Text, false);
    assert!(!out.contains("[*]") && !out.contains("[-]"), "{out}");
    assert!(!err.contains("can be fixed"), "{err}");
    let counts = response.counts();
    assert!(counts.iter().all(|count| count.fixable == count.count));
}

/// D-LINT-JSON.
#[test]
fn statistics_count_findings_by_rule() {
    let world = world();
    world.project_skill("two", &[("SKILL.md", TWO_DEEP)]);
    let args = ["lint", "--select", "SKL100,SKL101,SKL205", "--statistics"];
    let run = world.skc_at(&world.cwd, &args);
    assert!(!run.ok, "errors are a failure");
    let (table, totals) = run.text().rsplit_once("3 skills: ").expect("totals");
    assert_eq!(
        table,
        "5  SKL205  [*]  heading-hierarchy\n\
         1  SKL100       frontmatter-valid\n\
         1  SKL101       name-required\n"
    );
    assert!(totals.starts_with("2 errors, 5 warnings in "), "{totals}");
    assert_eq!(run.stderr, "[*] all can be fixed\n5 fixable with --fix\n");
    let run = world.skc_at(&world.cwd, &[&args[..], &["-o", "concise"]].concat());
    assert_eq!(
        run.text(),
        "5 SKL205 heading-hierarchy [*]\n1 SKL100 frontmatter-valid\n1 SKL101 name-required\n"
    );
    let run = world.skc_at(&world.cwd, &[&args[..], &["-o", "json"]].concat());
    let row = |rule: &str, name: &str, severity: &str, counts: [usize; 3]| {
        json!({"rule": rule, "name": name, "severity": severity,
            "count": counts[0], "skills": counts[1], "fixable": counts[2]})
    };
    let expected = json!({
        "statistics": [
            row("SKL205", "heading-hierarchy", "warning", [5, 2, 5]),
            row("SKL100", "frontmatter-valid", "error", [1, 1, 0]),
            row("SKL101", "name-required", "error", [1, 1, 0]),
        ],
        "error_count": 2,
        "warning_count": 5,
        "failures": [],
    });
    assert_eq!(run.json(), expected);
}

/// D-LINT-JSON.
#[test]
fn json_statistics_include_failures_and_omissions() {
    let mut response = several(&world());
    response.summing = StatisticsRequest { statistics: true };
    let (out, _) = shown(&response, Format::Json, false);
    let found: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(found["failures"][0]["skill"], "broken");
    let message = found["failures"][0]["message"].to_string();
    assert!(message.contains("permission denied"), "{message}");
    let world = world();
    world.skc(["lint", "tables", "--write-baseline"]).success();
    let list = ["--baseline", ".skilllint-baseline.toml"];
    let args = ["lint", "tables", "--statistics", "-o", "json"];
    let run = world.skc_at(&world.cwd, &[&args[..], &list].concat());
    assert_eq!(run.json()["baseline"]["known"], 5, "{run:?}");
}

#[test]
fn an_unwritable_skill_is_not_reported_as_unreadable() {
    let mut response = several(&world());
    let last = response.skills.last_mut().expect("a skill");
    last.failure = Some("E999: writing 'x': permission denied".to_owned());
    let (out, _) = shown(&response, Format::Text, false);
    assert!(out.contains(", 1 unreadable, 1 not fixed in "), "{out}");
}

/// GitHub workflows also interpret standard error.
#[test]
fn baseline_entries_cannot_inject_commands_on_standard_error() {
    let world = world();
    world.skc(["lint", "tables", "--write-baseline"]).success();
    let list = world.cwd.join(".skilllint-baseline.toml");
    let text = fs::read_to_string(&list).expect("a list");
    let said = "missing required field 'name'";
    assert!(text.contains(said), "{text}");
    fs::write(
        &list,
        text.replace(said, "##[stop-commands]x ::error::")
            .replace("SKL101", "SKL104"),
    )
    .expect("a list");
    let args = [
        "lint",
        "tables",
        "--baseline",
        ".skilllint-baseline.toml",
        "-o",
        "github",
    ];
    let err = world.skc_at(&world.cwd, &args).stderr;
    assert!(err.contains("1 known finding stale\n"), "{err}");
    assert!(!err.contains("[stop") && !err.contains("::"), "{err}");
}

#[test]
fn statistics_mark_partially_fixable_rules() {
    let mut response = several(&world());
    response.summing = StatisticsRequest { statistics: true };
    let last = response.skills.last_mut().expect("a skill");
    last.diagnostics[1].fixable = None;
    let (out, err) = shown(&response, Format::Text, false);
    assert!(
        out.starts_with("4  SKL205  [-]  heading-hierarchy\n1  SKL101       name-required\n"),
        "{out}"
    );
    assert!(err.contains("[-] some can be fixed\n"), "{err}");
    assert!(err.contains("permission denied"), "{err}");
}

/// E100.
#[test]
fn statistics_conflict_with_diff_and_finding_formats() {
    let run = world().skc(["lint", "tables", "--statistics", "--diff"]);
    run.code("E100");
    for format in ["sarif", "github", "gitlab", "junit"] {
        let run = world().skc(["lint", "tables", "--statistics", "-o", format]);
        run.code("E100");
    }
    let run = world().skc(["lint", "demo", "--select", "SKL205", "--statistics"]);
    assert_eq!(run.success().text(), "demo: 0 errors, 0 warnings\n");
}
