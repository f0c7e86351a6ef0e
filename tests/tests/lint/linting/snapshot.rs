//! Compares output with snapshots.
//!
//! If `UPDATE_FIXTURES=1` is set in the environment, the snapshots are rewritten; review them before committing.

use std::env::var_os;
use std::fs;
use std::path::Path;

/// Compares the two output streams of a run with `snapshots/<name>.snap`.
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
    fs::write(path, found).expect("the snapshot is writable");
}
