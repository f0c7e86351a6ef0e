//! The registry with the corpus of real skills, if available.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_tests::{World, corpus};

use crate::registry::support::{counts, get, project, registry, sync};

/// Copies the `SKILL.md` of every corpus skill into the project, each into a separate folder. Returns the number of
/// skills.
fn tree() -> Option<(World, usize)> {
    let world = project();
    let mut count = 0;
    for (number, dir) in corpus::skills()?.into_iter().enumerate() {
        let name = dir.file_name().expect("a name");
        let place = format!(".agents/skills/{number}");
        let to = world.cwd.join(place).join(name);
        fs::create_dir_all(&to).expect("a directory");
        fs::copy(dir.join("SKILL.md"), to.join("SKILL.md")).expect("a copy");
        count += 1;
    }
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    fs::write(
        world.home.join(".skillc/config.toml"),
        "[catalog]\nmax_dirs = 100000\n",
    )
    .expect("a file");
    Some((world, count))
}

fn skills_in(dir: &Path) -> Vec<PathBuf> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Case: corpus a. REG-LOAD.3.
#[test]
fn every_corpus_skill_is_counted() {
    let Some((world, count)) = tree() else {
        return;
    };
    let synced = sync(&world);
    let [loaded, _, _, total] = counts(&synced);
    let folders = skills_in(&world.cwd.join(".agents/skills"));
    assert_eq!(folders.len(), count);
    assert_eq!(total, count as u64);
    let rows = registry(&world, &["list"]).success().json()["total_count"].as_u64();
    let shadowed = synced.json()["shadowed"].as_u64();
    assert_eq!(rows, shadowed.map(|shadowed| loaded - shadowed));
    assert!(loaded > 0);
}

/// Case: corpus b. REG-READ.1.
#[test]
fn every_corpus_row_can_be_read() {
    let Some((world, _)) = tree() else {
        return;
    };
    sync(&world);
    let list = registry(&world, &["list"]).success().json();
    for row in list["skills"].as_array().expect("a list") {
        let found = get(&world, row["name"].as_str().expect("a name"));
        assert_eq!(found["description"], row["description"]);
        let text = found["frontmatter_json"].as_str().expect("a text");
        let fields: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(fields["name"], row["name"]);
    }
}
