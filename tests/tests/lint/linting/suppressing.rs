//! Directives: comments that suppress findings at their position.

use std::fs;
use std::path::Path;

use serde_json::json;
use skillc_tests::{World, without_colours};

use crate::linting::support::{findings, reports};

const HEAD: &str = "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n";

/// A skipped level that is suppressed, and one that is not.
const BODY: &str = "<!-- skilllint-disable-next-line SKL205 -- as in the form -->\n### Part A\n\n## Part B\n\n#### Part C\n";

fn demo(body: &str) -> World {
    World::demo(&[("SKILL.md", &format!("{HEAD}{body}"))])
}

/// Returns the codes and lines of the findings: `SKL205:12`.
fn found(world: &World, args: &[&str]) -> Vec<String> {
    let args = [&["lint", "demo", "-o", "json"], args].concat();
    let report = reports(&world.skc_at(&world.cwd, &args)).remove(0);
    let list = report["diagnostics"].as_array().expect("findings").iter();
    list.map(|of| format!("{}:{}", of["rule"].as_str().expect("a code"), of["line"]))
        .collect()
}

fn text(world: &World) -> String {
    fs::read_to_string(world.demo_source().join("SKILL.md")).expect("a file")
}

#[test]
fn suppressed_findings_are_in_no_output() {
    let world = demo(BODY);
    assert_eq!(found(&world, &[]), ["SKL205:13"]);
    let run = world.skc(["lint", "demo"]).success();
    let all = without_colours(&[run.text(), &run.stderr].concat());
    assert_eq!(all.matches("SKL205 heading").count(), 1, "{all}");
    assert!(all.contains("demo: 0 errors, 1 warning\n"), "{all}");
    let run = world.skc(["lint", "demo", "-o", "sarif"]).success();
    let results = &run.json()["runs"][0]["results"];
    assert_eq!(results.as_array().map(Vec::len), Some(1));
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], json!(13));
}

#[test]
fn a_suppressed_error_does_not_fail_the_run() {
    let world = demo("[a](nowhere.md)\n");
    assert!(!world.skc(["lint", "demo"]).ok);
    let world = demo("[a](nowhere.md) <!-- skilllint-disable-line SKL301 -- comes later -->\n");
    world.skc(["lint", "demo"]).success();
}

#[test]
fn directives_are_checked_and_cannot_suppress_that() {
    let body = "<!-- skilllint-disable-file -- all -->\n<!-- skilllint-disable-line CFG101, CFG102 -->\n\
                <!-- skilllint-disable-nextline SKL205 -->\n";
    let world = demo(body);
    // Each invalid selector is a separate finding.
    let each = ["CFG101:8", "CFG101:9", "CFG101:9", "CFG102:10"];
    assert_eq!(found(&world, &[]), each);
    let extended = found(
        &world,
        &["--extend-select", "CFG103", "--ignore", "CFG101,CFG102"],
    );
    assert_eq!(extended, ["CFG103:9"]);
    let config = world.demo_source().join(".skilllint.toml");
    fs::write(config, "rules.CFG101 = \"off\"\nrules.CFG102 = \"error\"").expect("a file");
    assert_eq!(found(&world, &[]), ["CFG102:10"]);
    assert!(!world.skc(["lint", "demo"]).ok);
}

#[test]
fn a_selection_does_not_make_a_directive_look_unused() {
    let world = demo(&BODY.replace("SKL205", "SKL2"));
    for select in ["CFG101", "CFG,SKL301", "CFG,SKL202"] {
        assert_eq!(found(&world, &["--select", select]), [""; 0], "{select}");
    }
    let world = demo("<!-- skilllint-disable-file SKL205 -->\n");
    assert_eq!(found(&world, &["--select", "CFG,SKL205"]), ["CFG101:8"]);
    assert_eq!(found(&world, &["--select", "CFG,SKL202"]), [""; 0]);
}

#[test]
fn a_rule_about_directives_is_configured_like_others() {
    let world = World::project();
    let rules = world.skc(["rules"]).success();
    for code in ["CFG101", "CFG102", "CFG103"] {
        assert!(rules.text().contains(code));
        let page = world.skc(["explain", code]).success();
        assert!(page.text().contains("skilllint-"), "{}", page.text());
    }
}

#[test]
fn suppressed_findings_are_not_fixed() {
    let world = demo(BODY);
    let before = text(&world);
    world.skc(["lint", "demo", "--fix"]).success();
    assert_eq!(text(&world), before.replace("#### Part C", "### Part C"));
}

#[test]
fn a_fix_may_move_a_directive_with_its_finding() {
    let unused = "<!-- skilllint-disable-file SKL301 -- no longer -->\n\n";
    let world = demo(&format!("{unused}{BODY}\n[a]: b.md\n"));
    let run = world.skc(["lint", "demo", "--fix"]).success();
    assert!(!run.stderr.contains("not fixed"), "{}", run.stderr);
    let fixed = BODY.replace("#### Part C", "### Part C");
    assert_eq!(text(&world), format!("{HEAD}{fixed}\n[a]: b.md\n"));
}

#[test]
fn unused_directives_are_removed_with_their_end_markers() {
    let body = "<!-- skilllint-disable SKL205, SKL301 -->\n\n### Part A\n\n<!-- skilllint-enable -->\n\n\
                <!-- skilllint-disable SKL302 -->\n\nText.\n\n<!-- skilllint-enable SKL302 -->\n\nMore.\n";
    let world = demo(body);
    assert_eq!(found(&world, &[]), ["CFG101:8", "CFG101:14"]);
    world.skc(["lint", "demo", "--fix"]).success();
    let left = "<!-- skilllint-disable SKL205 -->\n\n### Part A\n\n<!-- skilllint-enable -->\n\nText.\n\nMore.\n";
    assert_eq!(text(&world), format!("{HEAD}{left}"));
    assert_eq!(found(&world, &[]), [""; 0]);
}

/// The examples on the page cause findings only if directives are disabled.
#[test]
fn the_examples_of_the_page_work_as_described() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/suppressing.md");
    let page = fs::read_to_string(page).expect("a page");
    let mut examples = 0;
    for block in page.split("```markdown\n").skip(1) {
        let block = block.split("```").next().expect("an example");
        let with_head = |block: &str| {
            let head = if block.starts_with("---") { "" } else { HEAD };
            format!("{head}{block}")
        };
        let world = World::demo(&[("SKILL.md", &with_head(block))]);
        let report = &reports(&world.skc(["lint", "demo", "-o", "json"]))[0];
        assert_eq!(findings(report), [""; 0], "{block}");
        let plain = block.replace("skilllint-", "other-");
        let world = World::demo(&[("SKILL.md", &with_head(&plain))]);
        let report = &reports(&world.skc(["lint", "demo", "-o", "json"]))[0];
        assert_ne!(findings(report), [""; 0], "{block}");
        examples += 1;
    }
    assert!(examples >= 5, "{examples}");
}
