//! Total limits on a project's scripts.

use skillc_core::budget::MAX_OPERATIONS;
use skillc_core::testkit::write_files;
use skillc_tests::{MINIMAL, World};

use crate::plugins::support::{PROJECT, found};

/// Script code that executes nearly the maximum number of operations per call.
const COSTLY: &str = "let n = 0; while n < 150000 { n += 1; }";

/// Returns a script with `count` rules, `LOAD000` and so on. Each rule reports every document and then executes
/// `steps`.
fn rules(count: usize, steps: &str) -> String {
    let rule = |n: usize| {
        format!(
            "/// Reports each document.\nrule(#{{ code: \"LOAD{n:03}\", name: \"load-{n:03}\", check_document: |doc, skill, out| {{ \
             out.file(doc.path, \"seen\"); {steps} }} }});\n"
        )
    };
    (0..count).map(rule).collect()
}

/// A script for the home folder, with a cheap rule.
const OTHER: &str = "/// Reports each document.\nrule(#{ code: \"TEAM001\", name: \"other\", check_document: |doc, skill, out| \
                     out.file(doc.path, \"other\") });\n";

fn world(count: usize) -> World {
    let world = World::demo(&[("SKILL.md", MINIMAL)]);
    let skill = world.cwd.join(".skillc/skills/demo");
    for n in 0..10 {
        write_files(&skill, &[(&format!("a{n}.md"), "# A\n")]);
    }
    write_files(
        &world.cwd.join(PROJECT),
        &[("many.rhai", &rules(count, COSTLY))],
    );
    write_files(&world.home.join(PROJECT), &[("other.rhai", OTHER)]);
    world
}

#[test]
fn many_rules_of_a_project_are_stopped_together_and_reported_once() {
    let world = world(100);
    // Scripts named on the command line, and scripts in the home folder, do not count towards the limit.
    let named = rules(1, COSTLY)
        .replace("LOAD", "MINE")
        .replace("load", "mine");
    write_files(&world.cwd, &[("mine.rhai", &named)]);
    let run = world.skc(["lint", "demo", "-o", "json", "--plugin", "mine.rhai"]);
    assert!(!run.ok, "{}", run.text());
    let lines = found(&run);
    let said = format!("this project's scripts used more than {MAX_OPERATIONS} operations");
    let (about, other): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.starts_with("CFG201"));
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(about[0].contains(&said), "{about:?}");
    assert_eq!(other.len(), 11, "{other:?}");
    assert_eq!(run.text().matches("MINE000").count() % 11, 0);
    assert!(run.text().contains("MINE000"), "{}", run.text());
    // Earlier findings of those rules are discarded.
    assert!(!run.text().contains("LOAD0"), "{}", run.text());
}

/// Findings stay in memory until the run ends, so a large number of findings exceeds the budget, even if creating them
/// takes few operations.
#[test]
fn many_findings_of_a_project_are_stopped_together() {
    let world = world(1);
    let many = "let p = doc.headings.first; for i in 0..900 { out.at(p, \"seen\"); }";
    write_files(&world.cwd.join(PROJECT), &[("many.rhai", &rules(20, many))]);
    let run = world.skc(["lint", "demo", "-o", "json"]);
    let lines = found(&run);
    let about: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("CFG201"))
        .collect();
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(about[0].contains("operations for one skill"), "{about:?}");
    assert!(!run.text().contains("LOAD0"), "{}", run.text());
    assert_eq!(run.text().matches("\"rule\": \"TEAM001\"").count(), 11);
}

/// A call takes time even if it does nothing.
#[test]
fn calls_that_do_nothing_are_stopped_together() {
    let world = world(1);
    let script = "for n in 0..100 { let code = `LOAD${100 + n}`;\n/// Does nothing.\n\
                  rule(#{ code: code, name: `load-${n}`, check_document: |doc, skill, out| {} }); }\n";
    for n in 0..10 {
        let script = script.replace("LOAD", &format!("LOAD{}", char::from(b'A' + n)));
        let script = script.replace("load-", &format!("load-{n}-"));
        write_files(
            &world.cwd.join(PROJECT),
            &[(&format!("many{n}.rhai"), &script)],
        );
    }
    let skill = world.cwd.join(".skillc/skills/demo");
    for n in 0..600 {
        write_files(&skill, &[(&format!("b{n}.md"), "# B\n")]);
    }
    let run = world.skc(["lint", "demo", "-o", "json"]);
    let lines = found(&run);
    let about: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("CFG201"))
        .collect();
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(about[0].contains("operations for one skill"), "{about:?}");
}

/// The skills of a run share one budget; a skill that exhausts its share does not affect the others, in any order.
#[test]
fn skills_of_a_run_share_the_budget_of_their_scripts() {
    let slow = "let n = 0; if doc.path.contains(\"slow\") { while n < 150000 { n += 1; } }";
    let world = World::project();
    write_files(
        &world.cwd.join(PROJECT),
        &[("many.rhai", &rules(100, slow))],
    );
    for skill in 0..10 {
        let text = MINIMAL.replace("demo", &format!("s{skill}"));
        let name = if skill == 4 { "slow.md" } else { "other.md" };
        world.project_skill(
            &format!("s{skill}"),
            &[("SKILL.md", &text), (name, "# A\n")],
        );
    }
    let run = world.skc(["lint", "-o", "json"]);
    let text = run.text();
    assert_eq!(text.matches("\"rule\": \"CFG201\"").count(), 1, "{text}");
    assert!(text.contains("more than 10000000 operations for one skill"));
    let others = text.matches("\"rule\": \"LOAD");
    assert_eq!(others.count(), 9 * 2 * 100);
}

/// Loading counts towards the limit as well: there may be many scripts, and each is run once for its declarations.
#[test]
fn many_slow_loading_scripts_of_a_project_are_skipped_together() {
    let world = World::demo(&[("SKILL.md", MINIMAL)]);
    for n in 0..40 {
        let number = format!("{n:03}");
        let rule = rules(1, "")
            .replace("D000", &format!("D{number}"))
            .replace("-000", &format!("-{number}"));
        let script = format!("{COSTLY}\n{rule}");
        let name = format!("{n:03}.rhai");
        write_files(&world.cwd.join(PROJECT), &[(&name, &script)]);
    }
    let run = world.skc(["lint", "demo", "-o", "json"]);
    assert!(!run.ok, "{}", run.text());
    let about = found(&run);
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(
        about[0].contains("loading this project's scripts took more than"),
        "{about:?}"
    );
    assert!(run.text().contains("LOAD000") && !run.text().contains("LOAD039"));
}

/// Once the budget is exhausted, the remaining files are indexed as text, with a warning at the first of these files.
#[test]
fn an_indexer_of_a_project_is_limited_per_build() {
    let world = World::demo(&[("SKILL.md", MINIMAL)]);
    let format = format!(
        "/// Slow lines.\nindexer(#{{ id: \"slow\", extensions: [\"slow\"], sections: |file, out| {{ \
         {COSTLY} out.section(\"slow\", \"slow part\", 1, 1); }} }});\n",
    );
    write_files(&world.cwd.join(PROJECT), &[("slow.rhai", &format)]);
    for n in 0..100 {
        write_files(
            &world.demo_source(),
            &[(&format!("f{n:03}.slow"), "words here\n")],
        );
    }
    let run = world.skc(["build", "demo"]);
    assert!(run.ok, "{run:?}");
    assert_eq!(run.stderr.matches("for one skill").count(), 1, "{run:?}");
    let sections = world.skc([
        "search",
        "demo",
        "slow part",
        "--limit",
        "200",
        "-o",
        "json",
    ]);
    let made = sections.text().matches("\"section\": \"slow\"").count();
    assert!((1..100).contains(&made), "{made}");
}

/// A repository may contain any number of scripts and cases.
#[test]
fn the_cases_of_all_scripts_are_stopped_together() {
    let world = World::project();
    for n in [1, 2] {
        let number = format!("{n:03}");
        let script = rules(1, COSTLY)
            .replace("D000", &format!("D{number}"))
            .replace("-000", &format!("-{number}"));
        let case = format!("[[case]]\nrule = \"LOAD{number}\"\ntext = \"# A\"\nfound = []\n\n");
        let (name, cases) = (format!("{number}.rhai"), format!("{number}.test.toml"));
        write_files(
            &world.cwd.join(PROJECT),
            &[(&name, &script), (&cases, &case.repeat(500))],
        );
    }
    let run = world.skc(["plugin", "test", "-o", "json"]);
    assert!(!run.ok, "{}", run.text());
    let answer = run.json();
    let scripts = answer["scripts"].as_array().expect("a list");
    assert_eq!((scripts.len(), &answer["faults"]), (1, &1.into()));
    let fault = scripts[0]["fault"].to_string();
    assert!(
        fault.contains(&format!("more than {MAX_OPERATIONS} operations")),
        "{fault}"
    );
    let ran = scripts[0]["cases"].as_array().expect("a list").len();
    assert!((1..500).contains(&ran), "{ran}");
}

/// Checking fixes that do not remove their findings runs the rule hundreds of times.
#[test]
fn the_fixes_of_a_single_case_are_stopped() {
    let world = World::project();
    let script = format!(
        "/// Reports bad words.\nrule(#{{ code: \"TEAM001\", name: \"no-bad\", check_document: |doc, skill, out| {{ \
         {COSTLY} for bad in doc.find_prose(`\\bbad\\b`) {{ \
         out.at(bad, \"bad\").fix(\"replace it\", edit(bad, \"bad bad\")); }} }} }});\n"
    );
    let words = "bad\\n".repeat(100);
    let case = format!("[[case]]\ntext = \"{words}\"\nfixed = \"\"\n");
    write_files(
        &world.cwd.join(PROJECT),
        &[("a.rhai", &script), ("a.test.toml", &case)],
    );
    let run = world.skc(["plugin", "test", "-o", "json"]);
    assert!(!run.ok, "{}", run.text());
    let answer = run.json();
    let failure = answer["scripts"][0]["cases"][0]["failure"].to_string();
    let told = format!("trying the fixes took more than {MAX_OPERATIONS} operations");
    assert!(failure.contains(&told), "{failure}");
}
