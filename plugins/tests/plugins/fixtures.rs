//! Tests that every indexer produces the sections, and every rule the findings, that its fixtures expect; see
//! `skillc_lint::testkit`.

use std::path::{Path, PathBuf};

use skillc_lint::PluginRegistry;
use skillc_lint::testkit::{check_indexer_fixtures, check_rule_fixtures};
use skillc_plugins as _;
use skillc_script::Host;

/// Returns the plug-ins of this package, including scripts.
fn plugins() -> PluginRegistry {
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    Host::default().load_embedded(&mut plugins);
    assert_eq!(plugins.faults(), [""; 0]);
    plugins
}

fn folder(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(of)
}

#[test]
fn fixtures_give_the_expected_sections() {
    check_indexer_fixtures(&plugins(), &folder("indexers"));
}

#[test]
fn fixtures_give_the_expected_findings() {
    check_rule_fixtures(&plugins(), &folder("rules"));
}
