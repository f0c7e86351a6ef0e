//! Tests that every rule reports exactly the findings that its fixtures expect; see
//! `skillc_lint::testkit::check_rule_fixtures`.

use std::path::Path;

use skillc_lint::PluginRegistry;
use skillc_lint::testkit::check_rule_fixtures;
use skillc_rules as _;

/// C-REGISTRY.1, C-REGISTRY.4, C-REGISTRY.5, C-REGISTRY.6, C-REGISTRY.7, C-REGISTRY.8, C-REGISTRY.9, C-REGISTRY.10,
/// C-REGISTRY.11, C-REGISTRY.12, D-RULE-IDS, D-DESC-LENGTH, D-TRIGGERS, D-KNOWN-FIELDS, F-44, F-48. C-REGISTRY.13,
/// C-REGISTRY.14, C-REGISTRY.15, C-REGISTRY.16, C-REGISTRY.17, D-SKL203-NAME. F-45: a `#` in code or YAML is not a
/// heading; underlined text is.
#[test]
fn fixtures_give_the_expected_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let plugins = PluginRegistry::linked().expect("no duplicates");
    check_rule_fixtures(&plugins, &folder);
}
