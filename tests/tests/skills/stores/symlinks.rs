//! Symlinks in and around a store.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use skillc_tests::database::meta;
use skillc_tests::{World, index_in, snapshot};

use crate::stores::support::{column, entries, names, place, skill};

/// Creates a project whose store contains `linked`, a symlink to the directory `dev/real`. Also returns that directory.
fn linked(frontmatter_name: &str) -> (World, PathBuf) {
    let world = World::project();
    let text = skill(frontmatter_name, "needle");
    let real = world.directory("dev/real", &[("SKILL.md", &text)]);
    symlink("../../dev/real", world.cwd.join(".skillc/skills/linked")).expect("a link");
    (world, real)
}

/// D-SYMLINKED-SKILL, F-14.
#[test]
fn build_search_and_show_agree_on_a_symlinked_skill() {
    for name in ["linked", "real", "third"] {
        let (world, _) = linked(name);
        let build = world.skc(["build", "linked", "-o", "json"]).success();
        assert_eq!(build.json()["skill"], "linked");
        assert_eq!(build.json()["scope"], "project");
        assert_eq!(entries(&world.cwd.join(".skillc/runtime")), ["linked"]);
        let found = world.skc(["search", "linked", "needle"]).success();
        assert!(found.text().contains("SKILL.md#Place"), "{found:?}");
        let shown = world
            .skc(["show", "linked", "--section", "Place"])
            .success();
        assert!(shown.text().contains("needle"), "{shown:?}");
        let list = world
            .skc(["list", "--check-obsolete", "-o", "json"])
            .success();
        assert_eq!(names(&list), ["linked"]);
        assert_eq!(column(&list, "status"), ["normal"]);
    }
}

/// D-SYMLINKED-SKILL.
#[test]
fn the_index_of_a_symlinked_skill_belongs_to_the_real_directory() {
    let (world, real) = linked("linked");
    world.skc(["build", "linked"]).success();
    let index = index_in(&world.cwd.join(".skillc/runtime/linked"), &real);
    assert_eq!(meta(&index, "skill_path").as_deref(), real.to_str());
}

/// D-SYMLINKED-SKILL, C-REGISTRY.8.
#[test]
fn lint_compares_the_name_with_the_directory_as_it_was_found() {
    let (world, _) = linked("real");
    for path in ["dev/real", "dev/real/", "dev/../dev/real/.", "./dev/real"] {
        let lint = world.skc(["lint", path, "--select", "SKL104"]).success();
        assert!(lint.stderr.is_empty(), "{path}: {lint:?}");
    }
    for asked in ["linked", ".skillc/skills/linked/"] {
        let lint = world.skc(["lint", asked, "--select", "SKL104"]).success();
        let begin =
            "warning[W300]: SKL104 name-match-dir: name 'real' does not match directory 'linked'\n";
        assert!(lint.stderr.starts_with(begin), "{asked}: {lint:?}");
    }
}

/// D-SYMLINKED-SKILL, D-BUILD-ARG.
#[test]
fn a_linked_skill_named_by_its_path_in_the_store_is_the_same_skill() {
    let (world, _) = linked("other");
    world.skc(["build", ".skillc/skills/linked"]).success();
    assert_eq!(entries(&world.cwd.join(".skillc/runtime")), ["linked"]);
    assert_eq!(entries(&world.cwd.join(".skillc/skills")), ["linked"]);
    world.skc(["search", "linked", "needle"]).success();
    let by_path = ["search", ".skillc/skills/linked", "needle"];
    world.skc(by_path).success();
}

/// D-SYMLINKED-SKILL, G-TEST.4.
#[test]
fn an_edit_of_the_real_directory_is_noticed_through_the_link() {
    let (world, real) = linked("linked");
    world.skc(["build", "linked"]).success();
    fs::write(real.join("new.md"), "# New\n").unwrap();
    let search = ["search", "linked", "needle"];
    world
        .skc(search)
        .error("error[E002]: search index unusable; run 'skc build linked' to rebuild");
    world.skc(["build", "linked"]).success();
    world.skc(search).success();
}

/// D-RUNTIME-STORE, D-SYMLINKED-SKILL.
#[test]
fn a_link_in_the_global_store_is_a_global_skill() {
    let world = World::project();
    let real = world.directory("dev/demo", &[]);
    let store = world.home.join(".skillc/skills");
    fs::create_dir_all(&store).unwrap();
    symlink(&real, store.join("tool")).unwrap();
    let build = world.skc(["build", "tool", "-o", "json"]).success();
    assert_eq!(build.json()["scope"], "global");
    assert!(world.home.join(".skillc/runtime/tool/SKILL.md").is_file());
    world.skc(["search", "tool", "hello"]).success();
    assert_eq!(
        entries(&world.cwd.join(".skillc")),
        [".gitignore", "skills"]
    );
}

/// C-RESOLUTION@7.3, C-LIST.9.
#[test]
fn a_dangling_symlink_is_not_a_skill() {
    let world = World::project();
    let store = world.cwd.join(".skillc/skills");
    symlink("../../gone", store.join("gone")).unwrap();
    symlink("loop", store.join("loop")).unwrap();
    for name in ["gone", "loop"] {
        world
            .skc(["outline", name])
            .error(&format!("error[E001]: skill '{name}' not found"));
    }
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(list.json()["total"], 0);
    assert!(list.stderr.is_empty(), "{list:?}");
}

/// C-INIT.4.
#[test]
fn init_does_not_write_through_symlinks() {
    let world = World::project();
    let outside = world.cwd.join("outside.md");
    let dir = world.cwd.join(".skillc/skills/demo");
    fs::create_dir(&dir).unwrap();
    symlink(&outside, dir.join("SKILL.md")).unwrap();
    world
        .skc(["init", "demo"])
        .error("error[E050]: skill 'demo' already exists");
    assert!(!outside.exists());
}

/// C-LIST.9, D-SYMLINK.
#[test]
fn a_skill_md_symlink_out_of_its_skill_is_never_read() {
    let world = World::project();
    let secret = world.cwd.join("secret.md");
    fs::write(&secret, skill("out", "TOPSECRET")).unwrap();
    let dir = world.project_skill("out", &[("a.md", "# A\n")]);
    fs::remove_file(dir.join("SKILL.md")).unwrap();
    symlink(&secret, dir.join("SKILL.md")).unwrap();
    let before = snapshot(&world.cwd);

    let escapes = "error[E012]: path escapes skill root: 'SKILL.md'";
    world.skc(["build", "out"]).error(escapes);
    world.skc(["open", "out", "SKILL.md"]).error(escapes);
    world.skc(["search", "out", "topsecret"]).code("E002");
    world
        .skc(["show", "out", "--section", "Place"])
        .code("E002");
    for command in ["outline", "sources", "lint"] {
        let run = world.skc([command, "out"]);
        assert!(!run.text().contains("Place"), "{run:?}");
        assert!(!run.stderr.contains("TOPSECRET"), "{run:?}");
    }
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(list.json()["total"], 0);
    assert!(
        list.stderr.starts_with("warning[W021]: skipped 'out': "),
        "{list:?}"
    );
    assert_eq!(snapshot(&world.cwd), before);
}

/// C-RESOLUTION@7.1, D-SYMLINK.
#[test]
fn a_skill_md_symlink_within_its_skill_is_an_ordinary_file() {
    let world = World::project();
    let text = skill("in", "inside");
    let dir = world.project_skill("in", &[("real.md", &text)]);
    fs::remove_file(dir.join("SKILL.md")).unwrap();
    symlink("real.md", dir.join("SKILL.md")).unwrap();
    world.skc(["build", "in"]).success();
    assert_eq!(place(&world, &world.cwd, "in"), "inside");
    assert_eq!(names(&world.skc(["list", "-o", "json"])), ["in"]);
}

/// G-INTRO.5, D-PROJECT-ROOT.
#[test]
fn a_symlinked_store_is_a_store() {
    let world = World::new();
    let real = world.directory("shared/demo", &[]);
    fs::create_dir(world.cwd.join(".skillc")).unwrap();
    symlink(real.parent().unwrap(), world.cwd.join(".skillc/skills")).unwrap();
    world.skc(["build", "demo"]).success();
    assert_eq!(entries(&world.cwd.join(".skillc/runtime")), ["demo"]);
    world.skc(["search", "demo", "hello"]).success();
    assert_eq!(names(&world.skc(["list", "-o", "json"])), ["demo"]);
}
