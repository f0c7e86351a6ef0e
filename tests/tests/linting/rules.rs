//! The rules as a whole: which there are, and to which files and texts they apply.

use skillc_tests::World;

use crate::support::{findings, reports};

/// The rules that RFC-0008 names, with their severities.
const RFC: &str = "SKL001 skip-compiled warning, SKL100 frontmatter-valid error, SKL101 name-required error, \
    SKL102 name-format error, SKL103 name-length error, SKL104 name-match-dir warning, \
    SKL105 description-required error, SKL106 description-nonempty error, SKL107 description-length warning, \
    SKL108 description-triggers warning, SKL109 frontmatter-known warning, SKL201 skill-size warning, \
    SKL202 heading-h1 warning, SKL203 heading-match-name warning, SKL204 heading-first-h1 warning, \
    SKL205 heading-hierarchy warning, SKL301 link-file-exists error, SKL302 link-anchor-exists warning, \
    SKL303 link-no-escape error, SKL401 no-orphans warning";

/// Lints a skill of these files, which is called `tables`, and returns the codes and files of its findings.
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
fn the_rules_of_the_rfc_are_there_and_on() {
    let json = World::new().skc(["rules", "-o", "json"]).success().json();
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

/// G-VALIDATE.6.
#[test]
fn a_link_to_a_missing_file_is_reported_and_one_to_a_file_that_is_there_is_not() {
    let main = main("See [one](./examples.md) and [two](./examples/usage.md).");
    let files = [("SKILL.md", &*main), ("examples/usage.md", "# Usage\n")];
    assert_eq!(found(&files), ["SKL301 SKILL.md"]);
}

/// CL.10, C-REGISTRY.22.
#[test]
fn links_in_code_are_no_links() {
    let main = main(
        "Write `[a](missing.md)`, or\n\n```markdown\n[b](missing.md#c)\n```\n\n    [d](../out.md)\n",
    );
    assert_eq!(found(&[("SKILL.md", &main)]), [""; 0]);
}

/// C-REFERENCE-FRONTMATTER.1: neither linted, nor a heading, nor a source of links.
#[test]
fn the_frontmatter_of_a_reference_is_its_own_affair() {
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
    assert_eq!(found(&files), ["SKL401 notes.md"]);
}
