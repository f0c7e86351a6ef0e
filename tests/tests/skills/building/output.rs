//! The files that a build writes, and those that it leaves unchanged.

use std::fs;

use skillc_tests::{World, index_in, snapshot};

use crate::building::support::{files_below, manifest, stub, write};

/// C-OVERVIEW@1.1, C-OUTPUT.1, C-OUTPUT.2, C-OUTPUT.3, D-INDEX-IN-RUNTIME, G-PUBLISH.1.
#[test]
fn a_build_writes_only_stub_manifests_index_and_bookkeeping_files() {
    let world = World::demo(&[
        ("docs/a.md", "# A\n"),
        ("run.sh", "true\n"),
        ("note.txt", "n"),
    ]);
    assert!(!world.cwd.join(".skillc/runtime").exists());
    world.skc(["build", "demo"]).success();
    let index = index_in(&world.demo_runtime(), &world.demo_source());
    let index = index
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    let hash16 = index
        .strip_prefix("search-")
        .and_then(|rest| rest.strip_suffix(".db"));
    let mut expected = vec![
        ".skillc-meta/build.lock".to_owned(),
        ".skillc-meta/logs.db".to_owned(),
        ".skillc-meta/manifest.json".to_owned(),
        format!(".skillc-meta/{index}"),
        format!(".skillc-meta/stamps-{}", hash16.expect("a hash")),
        ".skillc/manifest.json".to_owned(),
        "SKILL.md".to_owned(),
    ];
    expected.sort();
    let mut found = files_below(&world.demo_runtime());
    found.sort();
    assert_eq!(found, expected);
}

/// G-PUBLISH.2, G-INTRO.8, C-COMPAT-PORTABLE.1.
#[test]
fn a_build_does_not_modify_the_source() {
    let world = World::demo(&[
        ("docs/a.md", "# A\n"),
        ("run.sh", "true\n"),
        (".git/HEAD", "x"),
    ]);
    let before = snapshot(&world.demo_source());
    world.skc(["build", "demo"]).success();
    world
        .skc(["build", "demo", "--copy", "--force", "--global"])
        .success();
    world.skc(["search", "demo", "hello"]).success();
    assert_eq!(snapshot(&world.demo_source()), before);
}

/// G-TEST.4, D-STALE.
#[test]
fn readers_see_an_edit_at_once_and_the_index_after_a_build() {
    let world = World::built(&[("a.md", "# Old\n\nancient words\n")]);
    write(&world, "a.md", "# New\n\nmodern words\n");
    let outline = world.skc(["outline", "demo"]).success();
    assert!(outline.text().contains("New") && !outline.text().contains("Old"));
    let opened = world.skc(["open", "demo", "a.md"]).success();
    assert_eq!(opened.text(), "# New\n\nmodern words\n");
    let line = "error[E002]: search index unusable; run 'skc build demo' to rebuild";
    world.skc(["search", "demo", "modern"]).error(line);
    world.skc(["show", "demo", "--section", "New"]).error(line);

    world.skc(["build", "demo"]).success();
    let found = world
        .skc(["search", "demo", "modern", "-o", "json"])
        .success()
        .json();
    assert_eq!(found["results"][0]["file"], "a.md");
    let shown = world.skc(["show", "demo", "--section", "New"]).success();
    assert_eq!(shown.text(), "# New\n\nmodern words\n");
}

/// F-08, C-DEPLOYMENT.10.
#[test]
fn an_index_of_another_directory_stops_the_build_before_any_write() {
    let world = World::built(&[]);
    let index = world.demo_index();
    skillc_tests::database::change(
        &index,
        "UPDATE index_meta SET value = '/another/skill' WHERE key = 'skill_path'",
    );
    write(
        &world,
        "SKILL.md",
        &stub(&world).replace("A demo.", "Changed."),
    );
    let before = snapshot(&world.demo_runtime());
    world.skc(["build", "demo"]).code("E003");
    assert_eq!(snapshot(&world.demo_runtime()), before);
}

/// C-DEPLOYMENT.10.
#[test]
fn damaged_and_missing_outputs_are_recreated() {
    let world = World::built(&[("a.md", "# A\n")]);
    let runtime = world.demo_runtime();
    let (whole, hash) = (stub(&world), manifest(&runtime)["source_hash"].clone());
    for path in [
        "SKILL.md",
        ".skillc-meta/manifest.json",
        ".skillc/manifest.json",
    ] {
        for damage in [Some("damaged"), None] {
            match damage {
                Some(text) => fs::write(runtime.join(path), text).expect("a file"),
                None => fs::remove_file(runtime.join(path)).expect("removed"),
            }
            world.skc(["build", "demo"]).success();
            assert_eq!(stub(&world), whole, "{path} {damage:?}");
            assert_eq!(manifest(&runtime)["source_hash"], hash, "{path} {damage:?}");
            let (one, other) = (".skillc-meta/manifest.json", ".skillc/manifest.json");
            assert_eq!(
                fs::read(runtime.join(one)).ok(),
                fs::read(runtime.join(other)).ok()
            );
        }
    }
}
