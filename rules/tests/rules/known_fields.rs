//! Tests which fields SKL109 renames, and to which names.

use std::path::Path;

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill;
use skillc_lint::{Edit, Safety};
use skillc_rules as _;

/// Returns the replaced text and the replacement of each finding's fix.
fn fixes(name: &str, fields: &str) -> Vec<Option<(String, String)>> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(name)
        .join("demo");
    let main = format!("---\n{fields}---\n\n# Demo\n");
    write_files(&root, &[("SKILL.md", &main)]);
    let found = lint_skill(&read_skill(&root), "SKL109");
    let written = found.iter().map(|found| {
        let fix = found.fix.as_ref()?;
        // Granting a permission needs review.
        let is_permission = ["allowed-tools", "user-invocable"].contains(&&*fix.edits[0].text);
        assert_eq!(fix.safety == Safety::Unsafe, is_permission, "{fix:?}");
        let [Edit { file, span, text }] = &fix.edits[..] else {
            panic!("{fix:?}")
        };
        assert_eq!(file.as_str(), "SKILL.md");
        Some((main[span.start..span.end].to_owned(), text.clone()))
    });
    written.collect()
}

fn written(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

/// R1.
#[test]
fn variants_and_typos_of_a_standard_field_are_fixed() {
    let fields = "name: demo\ndescripton: x\nallowedTools: Read\nargument_hint: x\n\"user invocable\": true\n";
    assert_eq!(
        fixes("known-fields-meant", fields),
        [
            Some(written("descripton", "description")),
            Some(written("allowedTools", "allowed-tools")),
            Some(written("argument_hint", "argument-hint")),
            Some(written("\"user invocable\"", "user-invocable")),
        ]
    );
}

/// A fix never creates a duplicate key, and never renames a field to one that is merely similar.
#[test]
fn a_field_that_exists_or_is_merely_similar_is_not_written() {
    let fields = "name: demo\nlicense: MIT\nlicence: MIT\nallowedTools: Read\nallowed_tools: Write\nagents: []\ntools: x\n";
    assert_eq!(
        fixes("known-fields-other", fields),
        [
            None,
            Some(written("allowedTools", "allowed-tools")),
            None,
            None,
            None
        ]
    );
}
