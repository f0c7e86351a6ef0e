//! Line coverage of scripts.

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{PluginRegistry, Settings};
use skillc_script::{Covered, Host};

const SCRIPT: &str = r#"fn told(level) {
    if level > 2 {
        return "deep";
    }
    "flat"
}
/// Tells of headings.
rule(#{
    code: "TEAM001",
    name: "levels",
    check_document: |doc, skill, out| {
        let found = doc.headings;
        for heading in found {
            let level = heading.level;
            if level > 1 { out.at(heading, told(level)); }
        }
    },
    check_skill: |skill, out| if skill.files.len() > 1 { out.skill("many") },
});
"#;

const WITHIN_THE_HOST: &str = r#"/// Tells.
rule(#{
    code: "TEAM001",
    name: "numbers",
    check_document: |doc, skill, out| {
        let numbers = [1, 2, 3];
        numbers.filter(|n| {
            n > 1
        });
        [].map(|n| {
            n + 1
        });
    },
});
"#;

fn covered(script: &str, text: &str) -> Covered {
    let root = tempfile::tempdir().expect("a directory");
    write_files(&root.path().join("demo"), &[("SKILL.md", text)]);
    let (host, coverage) = Host::default().covering();
    let script = host.load("a.rhai", script.as_bytes()).expect("loads");
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    script.register(&mut plugins).expect("registers");
    let skill = read_skill(&root.path().join("demo"));
    let all = vec!["ALL".to_owned()];
    lint_skill_by(&plugins, &skill, all, Settings::default());
    script.covered(&coverage)
}

#[test]
fn a_line_is_covered_once_everything_that_starts_on_it_ran() {
    let none = covered(SCRIPT, "text\n");
    assert_eq!(none.missed, [2, 3, 5, 14, 15, 18]);
    assert_eq!((none.lines, none.percent()), (9, 33));
    assert_eq!(covered(SCRIPT, "# A\n").missed, [2, 3, 5, 15, 18]);
    assert_eq!(covered(SCRIPT, "# A\n\n## B\n").missed, [3, 18]);
    assert_eq!(covered(SCRIPT, "# A\n\n### B\n\n## C\n").missed, [18]);
}

#[test]
fn functions_called_by_the_host_are_covered() {
    assert_eq!(covered(WITHIN_THE_HOST, "text\n").missed, [11]);
}
