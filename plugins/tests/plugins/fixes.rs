//! Tests the text of a skill after its fixes are applied.

use std::path::Path;

use skillc_core::Skill;
use skillc_core::testkit::read_skill;
use skillc_lint::testkit::lint_skill;
use skillc_lint::{Diagnostic, Safety};
use skillc_plugins as _;

fn skill(case: &str) -> Skill {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules");
    read_skill(&fixtures.join(case))
}

/// Returns the safety of the only fix of the only finding in a skill, and the text of `SKILL.md` after applying the
/// fix.
fn fixed(case: &str) -> (Safety, String) {
    let (code, _) = case.split_once('/').expect("a rule and a case");
    let skill = skill(case);
    let found: Vec<Diagnostic> = lint_skill(&skill, code);
    let [finding] = found.as_slice() else {
        panic!("{found:?}")
    };
    let fix = finding.fix.as_ref().expect("a fix");
    let [edit] = fix.edits.as_slice() else {
        panic!("{fix:?}")
    };
    let document = skill.document(&edit.file).expect("a document");
    let mut text = document.text.clone();
    text.replace_range(edit.span.start..edit.span.end, &edit.text);
    (fix.safety, text)
}

#[test]
fn a_name_is_fixed_to_the_directory_name_with_single_hyphens() {
    let (safety, text) = fixed("AGS101/bad-directory-is-right/sql-tables");
    assert_eq!(safety, Safety::Safe);
    assert!(text.starts_with("---\nname: sql-tables\nd"), "{text}");
}

#[test]
fn a_name_fix_that_would_differ_from_the_directory_is_unsafe() {
    let (safety, text) = fixed("AGS101/bad-directory-has-them-too/sql---tables");
    assert_eq!(safety, Safety::Unsafe);
    let line = "---\nname: \"sql-tables\" # as the folder\n";
    assert!(text.starts_with(line), "{text}");
}

#[test]
fn a_name_behind_an_alias_is_not_fixed() {
    let skill = skill("AGS101/bad-behind-an-alias/sql-tables");
    assert_eq!(lint_skill(&skill, "AGS101")[0].fix, None);
}

#[test]
fn a_byte_order_mark_is_removed() {
    let (safety, text) = fixed("AGS109/bad-before-frontmatter/tables");
    assert_eq!(safety, Safety::Safe);
    assert!(text.starts_with("---\nname: tables\n"), "{text}");
}

#[test]
fn renumbering_a_list_is_an_unsafe_fix() {
    let (safety, text) = fixed("TXT108/bad-twice/demo");
    assert_eq!(safety, Safety::Unsafe);
    assert!(
        text.ends_with("\n2. Sow in rows.\n3. Cover the seeds.\n"),
        "{text}"
    );
}

#[test]
fn a_list_is_not_renumbered_if_a_step_is_referenced_or_a_number_grows() {
    for case in ["TXT108/bad-step-named/demo", "TXT108/bad-wider/demo"] {
        assert_eq!(lint_skill(&skill(case), "TXT108")[0].fix, None, "{case}");
    }
}
