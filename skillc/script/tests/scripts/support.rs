//! Runs a script with a rule on a minimal skill.

use skillc_core::testkit::{read_skill, write_files};
use skillc_lint::testkit::lint_skill_by;
use skillc_lint::{Diagnostic, PluginRegistry, Settings};
use skillc_plugins as _;
use skillc_script::Host;
use tempfile::TempDir;

/// Returns the findings of rules whose codes begin with `TEAM`, and the faults.
pub(crate) fn findings_of(script: &str) -> Vec<Diagnostic> {
    let root = TempDir::new().expect("a directory");
    let dir = root.path().join("demo");
    write_files(&dir, &[("SKILL.md", "# A\n")]);
    let mut plugins = PluginRegistry::linked().expect("no duplicates");
    let script = Host::default().load("a.rhai", script.as_bytes());
    script
        .expect("loads")
        .register(&mut plugins)
        .expect("registers");
    let select = vec!["TEAM".to_owned()];
    lint_skill_by(&plugins, &read_skill(&dir), select, Settings::default())
}
