//! A downstream build searches files with its own indexer.

mod program;

use std::fs;

use program::skc;

#[test]
fn files_of_a_custom_indexer_are_searchable() {
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
