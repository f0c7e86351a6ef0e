//! The work per finding is bounded even for thousands of findings.

use std::path::Path;

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill;
use skillc_rules as _;

const HEAD: &str = "---\nname: demo\ndescription: A demo. Use when testing.\n---\n\n# Demo\n\n";

/// C-REGISTRY.18: similar names are searched for 50 links of `SKILL.md`; a repeated link costs nothing.
#[test]
fn names_are_gone_through_for_a_bounded_number_of_links() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("many-mistyped/demo");
    let letters = || ('a'..='z').flat_map(|a| ['q', 'w', 'v'].map(|b| format!("{a}{b}")));
    let files: Vec<String> = letters().map(|end| format!("table-{end}.md")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "# T\n")).collect();
    let links = letters().map(|end| format!("[x](tabel-{end}.md)\n"));
    let main = links.chain(["[x](tabel-aq.md#again)".to_owned()]);
    let main = HEAD.to_owned() + &main.collect::<String>();
    write_files(&root, &files);
    write_files(&root, &[("SKILL.md", &main)]);

    let found = lint_skill(&read_skill(&root), "SKL301");
    let helps: Vec<Option<&str>> = found.iter().map(|found| found.help.as_deref()).collect();
    assert_eq!(helps.len(), 26 * 3);
    assert_eq!(helps[49], Some("did you mean 'table-qw.md'?"));
    assert!(helps[50..26 * 3].iter().all(Option::is_none), "{helps:?}");
    assert_eq!(helps[0], Some("did you mean 'table-aq.md'?"));
    assert_eq!(found[0].labels.len(), 1);
}
