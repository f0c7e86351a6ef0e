//! `--watch` lints again after an edit of a script.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use skillc_tests::watching::Watching;

use crate::plugins::support::{PROJECT, TODO, world};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");

/// Replaces a file atomically. Otherwise, the program could read the script while it is empty, and an empty script has
/// no faults.
fn replace(file: &Path, text: &str) {
    let new = file.with_file_name(".new");
    fs::write(&new, text).expect("should be writable");
    fs::rename(&new, file).expect("should be writable");
}

#[test]
fn edited_and_new_scripts_trigger_a_run() {
    let world = world(&[]);
    let watching = Watching::start(PROGRAM, &world, &["demo"]);
    watching.says("0 errors, 0 warnings");
    let script = world.cwd.join(PROJECT).join("deep/a.rhai");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    replace(&script, TODO);
    watching.finds("a TODO was left");
    replace(&script, &TODO.replace("was left", "stayed"));
    watching.finds("a TODO stayed");
    replace(&script, "rule(");
    watching.finds("CFG201");
    // Wait for this summary, so that the next summary is from the run after the removal.
    watching.says("1 error, 0 warnings");
    fs::remove_file(&script).unwrap();
    watching.says("0 errors, 0 warnings");
    assert_eq!(watching.interrupt(), Some(0));
}

/// Cases run again after edits of the script or of its cases, but not after writes by `--update`.
#[test]
fn edits_of_scripts_and_cases_trigger_a_test_run() {
    let world = world(&[("a.rhai", TODO)]);
    let args = ["plugin", "test", "--watch", "--update"];
    let watching = Watching::new(world.process(PROGRAM, &args), Stdio::piped());
    watching.finds("a.rhai: has no cases");
    watching.finds("1 script: 0 cases");
    let cases = world.cwd.join(PROJECT).join("a.test.toml");
    fs::write(&cases, "[[case]]\ntext = \"TODO\"\n").unwrap();
    watching.finds("a.rhai: 1 of 1 case updated");
    let script = world.cwd.join(PROJECT).join("a.rhai");
    fs::write(&script, TODO.replace("was left", "stayed")).unwrap();
    watching.finds("+ 1:1 a TODO stayed");
    watching.finds("1 script: 1 case passed, 0 failed, 1 updated");
    fs::write(&script, "rule(").unwrap();
    watching.finds("a.rhai: could not be tested");
    assert_eq!(watching.interrupt(), Some(1));
}
