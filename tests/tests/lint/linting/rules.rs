//! The rule set as a whole: which rules exist, and to which files and parts of a file they apply.

use std::fs;

use skillc_core::testkit::write_files;
use skillc_tests::{MINIMAL, World};

use crate::linting::support::{findings, reports};

/// The rules named in the specification, with their severities.
const RFC: &str = "SKL001 skip-compiled warning, SKL100 frontmatter-valid error, SKL101 name-required error, \
    SKL102 name-format error, SKL103 name-length error, SKL104 name-match-dir warning, \
    SKL105 description-required error, SKL106 description-nonempty error, SKL107 description-length warning, \
    SKL108 description-triggers warning, SKL109 frontmatter-known warning, SKL201 skill-size warning, \
    SKL202 heading-h1 warning, SKL203 heading-match-name warning, SKL204 heading-first-h1 warning, \
    SKL205 heading-hierarchy warning, SKL301 link-file-exists error, SKL302 link-anchor-exists warning, \
    SKL303 link-no-escape error, SKL401 no-orphans warning";

/// Lints a skill named `tables` with these files and returns the codes and files of its findings.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let world = World::project();
    world.project_skill("tables", files);
    let run = world.skc(["lint", "tables", "-o", "json"]);
    findings(&reports(&run)[0])
}

fn main(body: &str) -> String {
    format!(
        "---\nname: tables\ndescription: Formats tables. Use when a table is ragged.\n---\n\n# Tables\n\n{body}\n"
    )
}

/// G-VALIDATE.5, D-RULE-IDS.
#[test]
fn the_rules_of_the_rfc_exist_and_are_enabled() {
    let listed = World::new().skc(["rules", "--preset", "spec", "-o", "json"]);
    let json = listed.success().json();
    let rules = json["rules"].as_array().expect("rules");
    for expected in RFC.split(", ") {
        let (code, rest) = expected.split_once(' ').expect("a code");
        let rule = rules.iter().find(|rule| rule["code"] == code);
        let rule = rule.unwrap_or_else(|| panic!("no {code}"));
        let text = |field: &str| rule[field].as_str().expect("a text").to_owned();
        assert_eq!(text("name") + " " + text("severity").as_str(), rest);
        assert_eq!(rule["default"], true, "{code}");
    }
}

/// R39: a single setting, on the command line or in a file, selects strict conformance to the specification or another
/// preset.
#[test]
fn presets_select_rules_and_strictness() {
    let text = MINIMAL.replace("# Demo", "# Other");
    let world = World::demo(&[("SKILL.md", &text), ("AGENTS.md", "# A\n")]);
    let codes = |args: &[&str]| {
        let json = world
            .skc_at(
                &world.cwd,
                &[&["lint", "demo", "-o", "json"], args].concat(),
            )
            .json();
        let found = json["diagnostics"].as_array().expect("findings").iter();
        let codes = found.map(|finding| finding["rule"].as_str().expect("a code").to_owned());
        codes.collect::<Vec<String>>().join(" ")
    };
    assert_eq!(codes(&[]), "");
    assert_eq!(codes(&["--preset", "spec"]), "SKL203 SKL401");
    assert_eq!(codes(&["--preset", "spec", "--ignore", "SKL401"]), "SKL203");
    assert!(codes(&["--preset", "strict"]).contains("SKL203"));
    let file = world.cwd.join(".skilllint.toml");
    fs::write(&file, "preset = \"spec\"\n").expect("a file");
    assert_eq!(codes(&[]), "SKL203 SKL401");
    assert_eq!(codes(&["--preset", "recommended"]), "");
    fs::write(&file, "preset = \"spec\"\n[rules]\nSKL203 = \"off\"\n").expect("a file");
    assert_eq!(codes(&[]), "SKL401");
    fs::write(&file, "preset = \"loose\"\n").expect("a file");
    let run = world.skc(["lint", "demo"]);
    run.code("E100");
    assert!(run.stderr.contains("recommended"), "{run:?}");
    let listed = |preset: &str| {
        let json = world
            .skc(["rules", "--preset", preset, "-o", "json"])
            .success()
            .json();
        let rules = json["rules"].as_array().expect("rules").clone();
        rules.iter().filter(|rule| rule["default"] == true).count()
    };
    assert!(listed("recommended") < listed("spec") && listed("spec") < listed("strict"));
}

/// Public skills link to skills that are installed with them (R34).
#[test]
fn a_nested_skill_may_link_to_files_of_the_outer_one() {
    let world = World::demo(&[("SKILL.md", MINIMAL), ("shared.md", "# Shared\n")]);
    let inner = MINIMAL.replace("demo", "inner") + "\n[a](../shared.md) [b](../../other.md)\n";
    let source = world.demo_source();
    write_files(
        &source,
        &[("inner/SKILL.md", &inner), ("docs/SKILL.md", "# How\n")],
    );
    let run = world.skc(["lint", ".", "--select", "SKL303,SKL100", "-o", "concise"]);
    assert_eq!(run.text().matches("SKL303").count(), 1, "{}", run.text());
    assert!(run.text().contains("../../other.md"), "{}", run.text());
    assert!(!run.text().contains("SKL100"), "{}", run.text());
}

/// G-VALIDATE.6.
#[test]
fn only_links_to_missing_files_are_reported() {
    let main = main("See [one](./examples.md) and [two](./examples/usage.md).");
    let files = [("SKILL.md", &*main), ("examples/usage.md", "# Usage\n")];
    assert_eq!(found(&files), ["SKL301 SKILL.md"]);
}

/// CL.10, C-REGISTRY.22.
#[test]
fn links_in_code_are_ignored() {
    let main = main(
        "Write `[a](missing.md)`, or\n\n```markdown\n[b](missing.md#c)\n```\n\n    [d](../out.md)\n",
    );
    assert_eq!(found(&[("SKILL.md", &main)]), [""; 0]);
}

/// C-REFERENCE-FRONTMATTER.1: the frontmatter is not linted, and has neither headings nor links.
#[test]
fn the_frontmatter_of_a_reference_is_ignored() {
    let main = main("See [wide](references/wide.md).");
    let wide = "---\nname: Any Name\ndescription: See [x](missing.md) and narrow.md.\ntitle: '# Not a heading'\n---\n\n# Wide\n";
    let files = [
        ("SKILL.md", &*main),
        ("references/wide.md", wide),
        ("references/narrow.md", "# Narrow\n"),
    ];
    assert_eq!(found(&files), ["SKL401 references/narrow.md"]);
}

/// D-ORPHAN-MD-ONLY.
#[test]
fn only_markdown_can_be_an_orphan() {
    let main = main("");
    let files = [
        ("SKILL.md", &*main),
        ("notes.md", "# Notes\n"),
        ("notes.txt", "notes"),
        ("scripts/run.py", "print()"),
        ("assets/table.csv", "a,b"),
    ];
    let found = found(&files);
    let orphans = found.iter().filter(|found| found.starts_with("SKL401"));
    assert_eq!(orphans.collect::<Vec<_>>(), ["SKL401 notes.md"]);
}
