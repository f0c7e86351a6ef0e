//! Limits on the findings of a run, and on the Markdown that it checks.

use std::fs::File;

use serde_json::Value;
use skillc_core::testkit::write_files;
use skillc_tests::{MINIMAL, World};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

fn broken(count: usize) -> String {
    let links: Vec<String> = (0..count).map(|n| format!("[a](m{n}.md)\n")).collect();
    links.concat()
}

/// Returns the number of findings of a rule, and the rule's messages about omitted findings.
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

    // The findings are counted over all files of a skill, regardless of the number of threads.
    let part = broken(600);
    let names: Vec<String> = (0..20).map(|n| format!("r{n:02}.md")).collect();
    let mut files = vec![("SKILL.md", MINIMAL)];
    files.extend(names.iter().map(|name| (name.as_str(), part.as_str())));
    let world = World::demo(&files);
    assert_eq!(of_rule(&world, "SKL301"), (10_001, told));
}

/// Memory is bounded: once a run has 100,000 findings, only a few findings of each later skill are kept, regardless of
/// the number of threads.
#[test]
fn findings_of_a_run_are_bounded_and_the_report_says_so() {
    let text = format!("{MINIMAL}\n{}", broken(9_000));
    let world = World::new();
    for n in 10..24 {
        let skill = world.cwd.join(format!("skills/s{n}"));
        write_files(&skill, &[("SKILL.md", &text)]);
    }
    for threads in ["1", "8"] {
        let mut run = world.process(
            PROGRAM,
            &["lint", "skills", "--format", "json", "--select", "SKL301"],
        );
        let out = run
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .expect("it runs");
        let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let skills = report["skills"].as_array().expect("skills");
        let counts = skills
            .iter()
            .map(|skill| skill["error_count"].as_u64().expect("a number"));
        let expected: Vec<u64> = [vec![9_000; 12], vec![11; 2]].concat();
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{threads} threads");
        let last = &skills[13]["diagnostics"][10]["message"];
        assert_eq!(last, "more than 10 findings; the rest are omitted");
    }
}

/// Hostile: a thousand symlinks to one document must not cost a thousand times as much.
#[cfg(unix)]
#[test]
fn a_document_with_many_names_is_checked_under_few_of_them() {
    let document = format!("# Names\n\n{}", "word ".repeat(13_000));
    let world = World::demo(&[
        ("SKILL.md", &format!("{MINIMAL}See references/0.md.\n")),
        ("references/0.md", &format!("{document}\n[a](gone.md)\n")),
    ]);
    for n in 1..20 {
        let link = world.demo_source().join(format!("references/{n}.md"));
        std::os::unix::fs::symlink("0.md", link).expect("a link");
    }
    // The file is linted under its own name, and under other names as long as their text is at most 256 KiB in total.
    assert_eq!(of_rule(&world, "SKL301"), (1 + 4, Vec::new()));
    for command in [["lint", "demo"], ["outline", "demo"], ["build", "demo"]] {
        let run = world.skc_at(&world.cwd, &command);
        let warnings = run.stderr.matches("warning[W023]: ").count();
        assert_eq!(warnings, 15, "{command:?}: {}", run.stderr);
    }
    let first = world.skc(["search", "demo", "Names"]).success();
    assert!(first.text().contains("references/0.md"), "{first:?}");
}

#[test]
fn markdown_beyond_the_parse_limit_is_reported() {
    let text = format!("{MINIMAL}See 1.md, 2.md, 3.md.\n");
    let world = World::demo(&[("SKILL.md", &text)]);
    for name in ["1.md", "2.md", "3.md"] {
        let file = File::create(world.demo_source().join(name)).expect("made");
        file.set_len(6 << 20).expect("a sparse file");
    }
    // The sparse file consists of U+0000 characters.
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
    // Text beyond the limit belongs to the last section.
    world.skc(["search", "demo", "End"]).success();
}
