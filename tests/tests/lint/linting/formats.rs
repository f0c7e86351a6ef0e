//! Output formats: `text`, `concise`, `json`, `sarif`, and properties common to all formats.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use skillc_core::testkit::read_skill;
use skillc_lint::finding::LintFinding;
use skillc_lint::testkit::lint_skill;
use skillc_ops::lint::LintResponse;
use skillc_render::{Format, Render};
use skillc_tests::{MINIMAL, World};

use crate::linting::sample::{TWO_DEEP, lint, several, shown, world};
use crate::linting::snapshot::check;

/// Removes machine-specific and version-specific text. Keeps only the beginning of a rule's page, because the wording
/// of the page may change.
fn normal(world: &World, text: &str) -> String {
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    let cwd = world.cwd.display().to_string();
    let text = text.replace(&cwd, "[CWD]");
    let text = text.replace(&version, "\"[VERSION]\"");
    let lines = text.lines().map(|line| match line.char_indices().nth(100) {
        // The digest of the settings depends on the working directory.
        _ if line.starts_with("{\"run\":") => "{\"run\":[…]}\n".to_owned(),
        Some((end, _)) if line.contains("Reports ") => format!("{}[…]\n", &line[..end]),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// Removes durations from output: `in 0.02 s`, `time="0.021"`.
fn untimed(text: &str) -> String {
    let lines = text.lines().map(|line| {
        if line.starts_with("1 skill: ") {
            let end = line.rfind(" in ").unwrap_or(line.len());
            return format!("{} in [TIME]\n", &line[..end]);
        }
        match line.split_once(" time=\"") {
            Some((before, _)) if line.starts_with("<testsuites ") => {
                format!("{before} time=\"[TIME]\">\n")
            }
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// C-DIAGNOSTICS.1, C-DIAGNOSTICS.4, D-LINT-TEXT, D-LINT-JSON, G-VALIDATE.3, G-VALIDATE.4.
#[test]
fn one_skill_matches_the_snapshot_in_every_format() {
    let world = world();
    for format in LintResponse::FORMATS {
        let format = format.name();
        let run = lint(&world, "tables", format);
        assert!(!run.ok, "{format}: errors fail the run");
        let (out, err) = (normal(&world, run.text()), normal(&world, &run.stderr));
        check(&format!("one-{format}"), &untimed(&out), &untimed(&err));
    }
}

/// C-DIAGNOSTICS.1, C-DIAGNOSTICS.4, D-LINT-TEXT, D-LINT-JSON, D-INFO-STREAM, G-VALIDATE.4.
#[test]
fn several_skills_match_the_snapshot_in_every_format() {
    let world = world();
    let several = several(&world);
    for format in LintResponse::FORMATS {
        let (out, err) = shown(&several, *format, false);
        let (out, err) = (normal(&world, &out), normal(&world, &err));
        check(&format!("several-{}", format.name()), &out, &err);
    }
}

/// D-LINT-TEXT, G-VALIDATE.4: locations are relative to the working directory, each skill with findings has a summary,
/// and a total follows.
#[test]
fn findings_are_followed_by_summaries_and_then_totals() {
    let world = World::project();
    for name in ["one", "two"] {
        world.project_skill(name, &[("SKILL.md", TWO_DEEP)]);
    }
    world.project_skill("clean", &[("SKILL.md", "# Clean\n")]);
    let run = world.skc(["lint", "--select", "SKL205"]).success();
    let places = run.stderr.lines().filter(|line| line.starts_with("  --> "));
    let folder = ".skillc/skills";
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            format!("  --> {folder}/one/SKILL.md:3:1"),
            format!("  --> {folder}/one/SKILL.md:7:1"),
            format!("  --> {folder}/two/SKILL.md:3:1"),
            format!("  --> {folder}/two/SKILL.md:7:1"),
        ]
    );
    let (lines, time) = run.text().rsplit_once(" in ").expect("a time");
    assert_eq!(
        lines.lines().collect::<Vec<_>>(),
        [
            "one: 0 errors, 2 warnings",
            "two: 0 errors, 2 warnings",
            "3 skills: 0 errors, 4 warnings",
        ]
    );
    let seconds = time.strip_suffix(" s\n").expect("a unit");
    assert!(seconds.parse::<f64>().is_ok(), "{time}");
}

/// D-LINT-TEXT: covers singular forms, and zero.
#[test]
fn a_summary_counts_each_severity() {
    let nameless = format!("---\ndescription: D.\n---\n{TWO_DEEP}");
    let world = World::demo(&[("SKILL.md", &nameless)]);
    assert_eq!(
        lint(&world, "demo", "text").text(),
        "demo: 1 error, 2 warnings\n"
    );
    let world = World::demo(&[("SKILL.md", &format!("{MINIMAL}\n### A\n"))]);
    assert_eq!(
        lint(&world, "demo", "text").text(),
        "demo: 0 errors, 1 warning\n"
    );
    let world = World::demo(&[]);
    assert_eq!(
        lint(&world, "demo", "text").text(),
        "demo: 0 errors, 0 warnings\n"
    );
}

/// C-DIAGNOSTICS.1, D-LINT-TEXT, G-VALIDATE.4.
#[test]
fn each_finding_has_the_normative_line_and_its_location() {
    let run = lint(&world(), "tables", "text");
    let lines: Vec<&str> = run.stderr.lines().collect();
    let findings = lines
        .windows(2)
        .filter(|pair| pair[1].starts_with("  --> "));
    let found: Vec<_> = findings.map(|pair| (pair[0], pair[1])).collect();
    let heading = "warning[W300]: SKL205 heading-hierarchy: ";
    let (third, fourth) = (
        "heading level jumps from H1 to H3; use H2",
        "heading level jumps from H1 to H4; use H2",
    );
    assert_eq!(
        found,
        [
            (
                "error[E300]: SKL101 name-required: missing required field 'name'",
                "  --> .skillc/skills/tables/SKILL.md:1:1"
            ),
            (
                &*format!("{heading}{third}"),
                "  --> .skillc/skills/tables/SKILL.md:7:1"
            ),
            (
                &*format!("{heading}{third}"),
                "  --> .skillc/skills/tables/references/wide text.md:3:1"
            ),
            (
                &*format!("{heading}{fourth}"),
                "  --> .skillc/skills/tables/references/wide text.md:7:1"
            ),
        ]
    );
    let coded = lines
        .iter()
        .filter(|line| line.contains("[E300]") || line.contains("[W300]"));
    assert_eq!(coded.count(), 4);
}

/// D-LINT-JSON, G-VALIDATE.3: the object has exactly these fields.
#[test]
fn json_of_one_skill_is_one_object() {
    let world = World::demo(&[(
        "SKILL.md",
        "---\ndescription: D.\n---\n\n# Demo\n\n### Deep\n",
    )]);
    let run = lint(&world, "demo", "json");
    assert!(!run.ok && run.stderr.is_empty(), "{run:?}");
    let place = |line| json!({"file": "SKILL.md", "line": line, "column": 1});
    let finding = |mut finding: Value, line| {
        let place = place(line);
        let fields = finding.as_object_mut().expect("an object");
        fields.extend(place.as_object().expect("an object").clone());
        finding
    };
    let expected = json!({
        "skill": "demo",
        "path": world.demo_source(),
        "diagnostics": [
            finding(json!({
                "rule": "SKL101", "name": "name-required", "code": "E300", "severity": "error",
                "message": "missing required field 'name'",
            }), 1),
            finding(json!({
                "rule": "SKL205", "name": "heading-hierarchy", "code": "W300", "severity": "warning",
                "message": "heading level jumps from H1 to H3; use H2", "fixable": "safe",
            }), 7),
        ],
        "error_count": 1,
        "warning_count": 1,
        "root": world.demo_source(),
    });
    assert_eq!(run.json(), expected);
}

/// D-LINT-JSON.
#[test]
fn json_of_several_skills_has_their_objects_and_totals() {
    let world = world();
    let several = several(&world);
    let (out, err) = shown(&several, Format::Json, false);
    let all: Value = serde_json::from_str(&out).expect("JSON");
    let fields: BTreeSet<&String> = all.as_object().expect("an object").keys().collect();
    assert_eq!(
        fields.into_iter().collect::<Vec<_>>(),
        ["error_count", "skills", "warning_count"]
    );
    assert_eq!(
        (&all["error_count"], &all["warning_count"]),
        (&json!(2), &json!(4))
    );
    let names: Vec<_> = all["skills"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|s| &s["skill"])
        .collect();
    assert_eq!(names, ["demo", "broken", "compiled", "demo", "tables"]);
    assert_eq!(all["skills"][2]["skipped"], json!(true));
    assert_eq!(all["skills"][3].get("skipped"), None);
    assert_eq!(err, "info: skipping compiled skill 'compiled'\n");
}

/// C-DIAGNOSTICS.3, F-48: the order does not depend on the number of threads.
#[test]
fn findings_have_a_fixed_order() {
    let names = (0..40).map(|at| format!("references/{}/{at}.md", ["Z", "a", "é"][at % 3]));
    let names: Vec<String> = names
        .chain(["A.md".to_owned(), "z.md".to_owned()])
        .collect();
    let nameless = format!("---\ndescription: D.\n---\n{TWO_DEEP}");
    let mut files = vec![("SKILL.md", &*nameless)];
    files.extend(names.iter().map(|name| (name.as_str(), TWO_DEEP)));
    let world = World::demo(&files);
    let first = lint(&world, "demo", "json").json();
    let findings = first["diagnostics"].as_array().expect("a list").iter();
    let key = |finding: &Value| {
        let file = finding["file"].as_str().expect("a file").to_owned();
        let (line, rule) = (finding["line"].as_u64(), finding["rule"].to_string());
        (file != "SKILL.md", file, line, rule)
    };
    let keys: Vec<_> = findings.map(key).collect();
    assert_eq!(keys.len(), 3 + 2 * names.len());
    assert!(keys.is_sorted(), "{keys:#?}");
    for _ in 0..10 {
        assert_eq!(lint(&world, "demo", "json").json(), first);
    }
}

/// A concise line has the form that compilers print and that editors and CI services parse: `<path>:<line>:<column>:
/// <severity>: <message>`.
#[test]
fn a_concise_line_has_the_exact_location() {
    let world = world();
    let run = lint(&world, "tables", "concise");
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(lines.len(), 4);
    for line in lines {
        let mut parts = line.splitn(5, ':');
        let mut part = || parts.next().unwrap_or_default();
        let (path, row, column, severity, message) = (part(), part(), part(), part(), part());
        let text = fs::read_to_string(world.cwd.join(path)).expect("a path from here");
        let row: usize = row.parse().expect("a line");
        let chars = text
            .lines()
            .nth(row - 1)
            .expect("that line")
            .chars()
            .count();
        let column: usize = column.parse().expect("a column");
        assert!((1..=chars + 1).contains(&column), "{line}");
        assert!([" error", " warning"].contains(&severity), "{line}");
        assert!(
            message.ends_with(']') && message.contains(" [SKL"),
            "{line}"
        );
    }
    assert_eq!(
        run.stderr,
        "tables: 1 error, 3 warnings\n[*] 3 fixable with --fix\n"
    );
}

/// Lines fit a terminal of 80 columns; only the text of a message may be longer.
#[test]
fn marked_lines_are_at_most_eighty_columns_wide() {
    let long = "word ".repeat(300);
    let skill = format!("{MINIMAL}\n### {long}\n");
    let run = lint(&World::demo(&[("SKILL.md", &skill)]), "demo", "text");
    let shown: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.contains(" | "))
        .collect();
    assert!(shown.len() > 3, "{run:?}");
    assert!(
        shown.iter().all(|line| line.chars().count() <= 80),
        "{run:?}"
    );
}

/// CL.5, E100: only `lint` has more than two formats.
#[test]
fn an_unsupported_format_is_refused() {
    let world = world();
    let error = |list: &str| {
        format!(
            "error[E100]: invalid option: '--format <FORMAT>: unknown value \"sarif\"; expected one of {list}'"
        )
    };
    world
        .skc(["list", "--format", "sarif"])
        .error(&error("text, json"));
    let run = world.skc(["lint", "tables", "--format", "yaml"]);
    let list: Vec<&str> = LintResponse::FORMATS.iter().map(|f| f.name()).collect();
    run.error(&error(&list.join(", ")).replace("\"sarif", "\"yaml"));
}

/// A finding about a skill as a whole has a location as well.
///
/// G-VALIDATE.3, G-VALIDATE.4.
#[test]
fn every_finding_has_a_file_and_a_line() {
    let world = world();
    let skill = read_skill(&world.demo_source());
    let mut found = lint_skill(
        &read_skill(&world.cwd.join(".skillc/skills/tables")),
        "SKL101",
    );
    found[0].file = None;
    let finding = LintFinding::new(found[0].clone(), &skill);
    assert_eq!(
        (&*finding.file.to_string(), finding.line, finding.column),
        ("SKILL.md", 1, 1)
    );
}
