//! Every rule finds what its fixtures promise and nothing else; see `skillc_core::testkit::check_rule_fixtures`.

use std::path::Path;

use skillc_core::testkit::check_rule_fixtures;
use skillc_rules as _;

/// C-REGISTRY.17.
#[test]
fn fixtures_give_the_expected_findings() {
    check_rule_fixtures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
}
