//! Every rule finds what its fixtures promise and nothing else; see `skillc_core::testkit::check_rule_fixtures`.

use std::path::Path;

use skillc_core::testkit::check_rule_fixtures;
use skillc_ops::lint::LintFinding;
use skillc_render::finding_text;
use skillc_rules as _;

/// C-REGISTRY.17.
#[test]
fn fixtures_give_the_expected_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    check_rule_fixtures(&folder, &|diagnostic, skill| {
        finding_text(&LintFinding::of(diagnostic.clone(), skill))
    });
}
