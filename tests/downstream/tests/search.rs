//! A downstream build finds what its own indexer indexed.

use std::fs;
use std::process::{Command, Output};

fn skc(args: &[&str], dir: &std::path::Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skc-with-ini"));
    command
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("SKILLC_HOME", dir.join("home"));
    command.output().expect("the program starts")
}

#[test]
fn a_build_with_a_further_indexer_searches_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let skill = dir.path().join(".skillc/skills/tuning");
    fs::create_dir_all(&skill).unwrap();
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: tuning\ndescription: Settings. Use when tuning.\n---\n# Tuning\n",
    )
    .unwrap();
    fs::write(
        skill.join("server.ini"),
        "owner = ops\n[cache]\nsize = zebra\n[log]\nlevel = info\n",
    )
    .unwrap();

    let built = skc(&["build", "tuning"], dir.path());
    assert!(built.status.success(), "{built:?}");
    let found = skc(&["search", "tuning", "zebra"], dir.path());
    assert!(
        String::from_utf8_lossy(&found.stdout).starts_with("server.ini#cache "),
        "{found:?}"
    );
}
