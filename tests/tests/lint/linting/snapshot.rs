//! Outputs beside what is expected of them.
//!
//! With `UPDATE_FIXTURES=1` in the environment expectations are rewritten, to be read before they are committed.

use std::env::var_os;
use std::fs;
use std::path::Path;

/// Compares what a run printed on each stream with `snapshots/<name>.snap`.
#[track_caller]
pub(crate) fn check(name: &str, stdout: &str, stderr: &str) {
    let found = format!("=== standard error\n{stderr}=== standard output\n{stdout}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint/linting/snapshots");
    let path = folder.join(format!("{name}.snap"));
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if found == expected {
        return;
    }
    assert!(
        var_os("UPDATE_FIXTURES").is_some(),
        "{} differs; found:\n{found}",
        path.display()
    );
    fs::create_dir_all(folder).expect("a folder");
    fs::write(path, found).expect("it can be written");
}
