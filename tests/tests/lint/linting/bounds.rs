//! Limits on what a run reports.

use std::fs::File;

use skillc_tests::{MINIMAL, World};

fn broken(count: usize) -> String {
    let links: Vec<String> = (0..count).map(|n| format!("[a](m{n}.md)\n")).collect();
    links.concat()
}

/// Returns the number of findings of a rule and the message of the last one.
fn of_rule(world: &World, rule: &str) -> (usize, Vec<String>) {
    let report = world.skc(["lint", "demo", "--format", "json"]).json();
    let findings = report["diagnostics"].as_array().expect("findings");
    let findings = findings.iter().filter(|finding| finding["rule"] == rule);
    let messages: Vec<String> = findings
        .map(|finding| finding["message"].as_str().expect("a message").to_owned())
        .collect();
    let told = messages
        .iter()
        .filter(|message| message.contains("are omitted"));
    (messages.len(), told.cloned().collect())
}

#[test]
fn findings_of_a_rule_are_bounded_and_the_report_says_so() {
    let text = format!("{MINIMAL}\n{}", broken(10_000));
    let world = World::demo(&[("SKILL.md", &text)]);
    assert_eq!(of_rule(&world, "SKL301"), (10_000, Vec::new()));

    let told = vec!["more than 10000 findings; the rest are omitted".to_owned()];
    let text = format!("{MINIMAL}\n{}", broken(12_000));
    let world = World::demo(&[("SKILL.md", &text)]);
    assert_eq!(of_rule(&world, "SKL301"), (10_001, told.clone()));

    // Counted over all files of a skill, regardless of the number of threads.
    let part = broken(600);
    let names: Vec<String> = (0..20).map(|n| format!("r{n:02}.md")).collect();
    let mut files = vec![("SKILL.md", MINIMAL)];
    files.extend(names.iter().map(|name| (name.as_str(), part.as_str())));
    let world = World::demo(&files);
    assert_eq!(of_rule(&world, "SKL301"), (10_001, told));
}

#[test]
fn markdown_beyond_the_parse_limit_is_reported() {
    let text = format!("{MINIMAL}See 1.md, 2.md, 3.md.\n");
    let world = World::demo(&[("SKILL.md", &text)]);
    for name in ["1.md", "2.md", "3.md"] {
        let file = File::create(world.demo_source().join(name)).expect("made");
        file.set_len(22 << 20).expect("a sparse file");
    }
    // A sparse file reads as U+0000.
    let lint = world.skc(["lint", "demo", "--ignore", "TXT104,SEC118"]);
    assert_eq!(
        lint.stderr,
        "warning[W023]: file too large to index: '3.md'\n"
    );
}

#[test]
fn a_file_of_nothing_but_markup_is_read_to_a_bound_and_reported() {
    let dense = format!("# Top\n\n{}\n\n# End\n", "*_".repeat(1 << 20));
    let world = World::demo(&[
        ("SKILL.md", &format!("{MINIMAL}See r.md.\n")),
        ("r.md", &dense),
    ]);
    let warning = "warning[W023]: file too large to index: 'r.md'\n";
    for command in [
        &["lint", "demo", "--ignore", "SEC118"][..],
        &["outline", "demo"],
        &["build", "demo"],
    ] {
        let run = world.skc_at(&world.cwd, command);
        assert_eq!(run.stderr, warning, "{command:?}");
    }
    let outline = world.skc(["outline", "demo"]).success();
    assert!(outline.text().contains("# Top"), "{outline:?}");
    // Text beyond the bound belongs to the last section.
    world.skc(["search", "demo", "End"]).success();
}
