//! Runs the program under test in a directory.

use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn skc(args: &[&str], dir: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skc-with-ini"));
    command
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("SKILLC_HOME", dir.join("home"));
    command.output().expect("the program starts")
}
