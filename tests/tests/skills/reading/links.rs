//! Symbolic links in skills, built or not. Design: C-OPEN, D-SYMLINK.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;
use skillc_tests::{Output, World};

/// A file outside the skill. No command may print its text. If lint read the file, there would be a finding.
const SECRET: &str = "# Secret\n\n#### Token\n\nhunter2\n";

/// Creates an unbuilt skill next to a directory with [`SECRET`]. Also returns that directory.
fn world() -> (World, PathBuf) {
    let world = World::demo(&[("docs/a.md", "# A\n\nword\n"), (".hidden/h.md", "# H\n")]);
    let outside = world.cwd.join("outside");
    fs::create_dir(&outside).expect("made");
    fs::write(outside.join("secret.md"), SECRET).expect("written");
    (world, outside)
}

fn link(world: &World, target: &str, at: &str) {
    symlink(target, world.demo_source().join(at)).expect("a link");
}

/// Runs every command that reads a whole skill.
fn read_all(world: &World) -> [Output; 3] {
    [
        world.skc(["outline", "demo"]).success(),
        world.skc(["sources", "demo"]).success(),
        world.skc(["lint", "demo"]).success(),
    ]
}

#[track_caller]
fn leaks_nothing(world: &World) {
    for out in read_all(world) {
        for word in ["Secret", "Token", "hunter2", "secret", "SKL205"] {
            assert!(
                !out.text().contains(word) && !out.stderr.contains(word),
                "{out:?}"
            );
        }
    }
}

/// F-05.
#[test]
fn symlinks_out_of_an_unbuilt_skill_are_never_read() {
    let (world, outside) = world();
    let absolute = outside.join("secret.md");
    link(&world, absolute.to_str().expect("UTF-8"), "absolute.md");
    link(&world, "../../../outside/secret.md", "relative.md");
    link(&world, "../../../../outside/secret.md", "docs/nested.md");
    link(&world, "absolute.md", "chained.md");
    link(&world, "../../../outside", "dir");
    leaks_nothing(&world);
    let sources = world.skc(["sources", "demo"]).success();
    assert_eq!(
        sources.text(),
        "demo/\n├── docs/\n│   └── a.md\n└── SKILL.md\n"
    );
}

/// F-05.
#[test]
fn a_main_file_symlinked_out_of_the_skill_is_not_read() {
    let (world, _) = world();
    fs::remove_file(world.demo_source().join("SKILL.md")).expect("removed");
    link(&world, "../../../outside/secret.md", "SKILL.md");
    let outline = world.skc(["outline", "demo"]).success();
    assert_eq!(outline.text(), "docs/a.md\n  # A\n");
    let lint = world.skc(["lint", "demo"]);
    assert!(!lint.stderr.contains("SKL205"), "{lint:?}");
    world.skc(["open", "demo", "SKILL.md"]).code("E012");
}

/// C-OPEN.3.
#[test]
fn opening_a_symlink_out_of_the_skill_is_refused_even_if_dangling() {
    let (world, _) = world();
    link(&world, "../../../outside", "dir");
    link(&world, "../../../outside/secret.md", ".hidden/link");
    link(&world, "../../../outside/none", "none");
    link(&world, "none", "chained");
    link(&world, "/etc/passwd", "passwd");
    for path in [
        "dir/secret.md",
        "dir/none",
        "dir",
        ".hidden/link",
        "none",
        "chained",
        "passwd",
    ] {
        let message = format!("error[E012]: path escapes skill root: '{path}'");
        world.skc(["open", "demo", path]).error(&message);
    }
    for dir in ["dir", "dir/none", "none"] {
        let message = format!("error[E012]: path escapes skill root: '{dir}'");
        world.skc(["sources", "demo", "--dir", dir]).error(&message);
    }
}

/// F-05.
#[test]
fn the_index_does_not_expose_symlinks_out_of_the_skill() {
    let (world, _) = world();
    fs::write(world.demo_source().join("b.md"), SECRET).expect("written");
    world.skc(["build", "demo"]).success();
    fs::remove_file(world.demo_source().join("b.md")).expect("removed");
    link(&world, "../../../outside/secret.md", "b.md");
    world
        .skc(["show", "demo", "--section", "Secret"])
        .code("E002");
    world.skc(["search", "demo", "hunter2"]).code("E002");
    world
        .skc(["build", "demo"])
        .error("error[E012]: path escapes skill root: 'b.md'");
}

/// C-SOURCES.1, C-OPEN.5.
#[test]
fn an_internal_symlink_to_a_file_is_a_file_under_its_own_path() {
    let (world, _) = world();
    link(&world, "docs/a.md", "alias.md");
    let absolute = world.demo_source().join("docs/a.md");
    link(&world, absolute.to_str().expect("UTF-8"), "docs/z.md");
    world.skc(["build", "demo"]).success();
    let [outline, sources, _] = read_all(&world);
    let expected = "SKILL.md\n  # Demo\nalias.md\n  # A\ndocs/a.md\n  # A\ndocs/z.md\n  # A\n";
    assert_eq!(outline.text(), expected);
    assert!(
        sources
            .text()
            .ends_with("│   └── z.md\n├── SKILL.md\n└── alias.md\n")
    );
    assert_eq!(
        world.skc(["open", "demo", "alias.md"]).success().text(),
        "# A\n\nword\n"
    );
    let show = world.skc(["show", "demo", "--section", "a", "--file", "alias.md"]);
    assert_eq!(show.success().text(), "# A\n\nword\n");
    let search = world
        .skc(["search", "demo", "word", "-o", "json"])
        .success();
    assert_eq!(
        search.json()["results"].as_array().expect("a list").len(),
        3
    );
}

/// C-SOURCES.4, C-SOURCES.8, C-OPEN.3.
#[test]
fn an_internal_symlink_to_a_directory_is_not_descended_into() {
    let (world, _) = world();
    link(&world, "docs", "shortcut");
    let [outline, sources, _] = read_all(&world);
    assert_eq!(outline.text(), "SKILL.md\n  # Demo\ndocs/a.md\n  # A\n");
    assert!(!sources.text().contains("shortcut"));
    let open = world.skc(["open", "demo", "shortcut/a.md"]).success();
    assert_eq!(open.text(), "# A\n\nword\n");
    let tree = world
        .skc(["sources", "demo", "--dir", "shortcut"])
        .success();
    assert_eq!(tree.text(), "demo/shortcut/\n└── a.md\n");
    let tree = world.skc(["sources", "demo", "--dir", "shortcut", "-o", "json"]);
    assert_eq!(
        tree.success().json(),
        json!([{"type": "file", "path": "docs/a.md"}])
    );
}

/// C-SOURCES.8.
#[test]
fn symlink_loops_are_not_files() {
    let (world, _) = world();
    link(&world, ".", "here");
    link(&world, "..", "docs/up");
    link(&world, "self.md", "self.md");
    link(&world, "pong.md", "ping.md");
    link(&world, "ping.md", "pong.md");
    world.skc(["build", "demo"]).success();
    let [outline, sources, _] = read_all(&world);
    assert_eq!(outline.text(), "SKILL.md\n  # Demo\ndocs/a.md\n  # A\n");
    assert_eq!(
        sources.text(),
        "demo/\n├── docs/\n│   └── a.md\n└── SKILL.md\n"
    );
    for path in ["self.md", "ping.md", "here/self.md"] {
        world.skc(["open", "demo", path]).code("E021");
    }
    let through = world.skc(["open", "demo", "here/docs/up/docs/a.md"]);
    assert_eq!(through.success().text(), "# A\n\nword\n");
}

/// C-OPEN.4.
#[test]
fn a_dangling_internal_symlink_is_not_a_file() {
    let (world, _) = world();
    link(&world, "gone.md", "broken.md");
    link(&world, "docs", "shortcut");
    link(&world, "../docs/gone.md", "docs/broken.md");
    world.skc(["build", "demo"]).success();
    let [outline, sources, _] = read_all(&world);
    assert!(!outline.text().contains("broken") && !sources.text().contains("broken"));
    for path in [
        "broken.md",
        "docs/broken.md",
        "shortcut/broken.md",
        "broken.md/x",
    ] {
        world.skc(["open", "demo", path]).code("E021");
    }
}
