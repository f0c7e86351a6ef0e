//! Tests that every indexer produces the sections that its fixtures expect; see
//! `skillc_lint::testkit::check_indexer_fixtures`.

use std::path::Path;

use skillc_formats as _;
use skillc_lint::PluginRegistry;
use skillc_lint::testkit::check_indexer_fixtures;

#[test]
fn fixtures_give_the_expected_sections() {
    let plugins = PluginRegistry::linked().expect("no duplicates");
    check_indexer_fixtures(
        &plugins,
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"),
    );
}
