//! Symlinks inside a skill, and which files each command reads.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use skillc_tests::{World, snapshot};

use crate::building::support::source_hash;

/// C-ERRORS@1.2, C-CONSTRAINTS.4, D-SYMLINK, CL.2.
#[test]
fn a_symlink_out_of_the_skill_is_e012_and_nothing_is_written() {
    for (link, target) in [
        ("out.md", "../../../outside/x.md"),
        ("sub/out", "../../../../outside"),
        (".hidden/out", "/etc"),
        ("gone.md", "../gone.md"),
        (".git/gone", "/nowhere/at/all"),
        ("round.md", "../demo2/SKILL.md"),
        ("up", ".."),
    ] {
        let world = World::demo(&[("sub/a.md", "# A\n"), (".hidden/b", "b"), (".git/c", "c")]);
        world.directory("outside", &[("x.md", "# Outside\n")]);
        symlink(target, world.demo_source().join(link)).expect("a link");
        let before = (snapshot(&world.cwd), snapshot(&world.home));
        let line = format!("error[E012]: path escapes skill root: '{link}'");
        let failed = world.skc(["build", "demo"]);
        failed.error(&line);
        let root = world.demo_source().canonicalize().expect("a directory");
        let hint = format!("'{link}' in '{}' is a link to '", root.display());
        assert!(failed.stderr.contains(&hint), "{failed:?}");
        assert_eq!(
            (snapshot(&world.cwd), snapshot(&world.home)),
            before,
            "{link}"
        );
    }
}

/// D-SYMLINK.
#[test]
fn a_symlink_to_a_file_is_read_and_a_symlinked_directory_is_not() {
    let world = World::demo(&[("docs/a.md", "# Inside\n\nlinked words\n")]);
    let at = |path: &str| world.demo_source().join(path);
    symlink("docs/a.md", at("again.md")).expect("a link");
    symlink("docs", at("folder")).expect("a link");
    symlink("not/there.md", at("broken.md")).expect("a link");
    symlink(".", at("docs/loop")).expect("a link");
    let first = {
        world.skc(["build", "demo"]).success();
        source_hash(&world)
    };
    let found = world
        .skc(["search", "demo", "linked", "-o", "json"])
        .success()
        .json();
    let files: Vec<_> = found["results"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|hit| hit["file"].as_str().expect("a text"))
        .collect();
    assert_eq!(files, ["again.md", "docs/a.md"]);

    // The hash covers the symlink under its own path, with the content of its target.
    fs::write(at("docs/a.md"), "# Inside\n\nother words\n").expect("a file");
    world.skc(["build", "demo"]).success();
    assert_ne!(source_hash(&world), first);
    fs::remove_file(at("broken.md")).expect("removed");
    let second = source_hash(&world);
    world.skc(["build", "demo"]).success();
    assert_eq!(
        source_hash(&world),
        second,
        "a broken symlink is not a file"
    );
}

/// C-CONSTRAINTS.3.
#[test]
fn outline_and_show_read_only_markdown_open_and_sources_any_file() {
    let world = World::built(&[("a.md", "# A\n"), ("b.txt", "# B\n"), ("c.sh", "# C\n")]);
    let outline = world.skc(["outline", "demo"]).success();
    assert!(outline.text().contains('A') && !outline.text().contains("b.txt"));
    world.skc(["show", "demo", "--section", "B"]).code("E020");
    for (file, text) in [("a.md", "# A\n"), ("b.txt", "# B\n"), ("c.sh", "# C\n")] {
        assert_eq!(world.skc(["open", "demo", file]).success().text(), text);
        let sources = world.skc(["sources", "demo"]).success();
        assert!(sources.text().contains(file), "{file}");
    }
}
