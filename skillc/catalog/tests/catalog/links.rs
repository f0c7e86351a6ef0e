//! Tests symlinks and special files.
#![cfg(unix)]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use skillc_catalog::entry::FailureKind;
use skillc_catalog::{Catalog, Scope};

use crate::support::{World, configure, errors, names, skill, write};

/// CAT-DISC.18, CAT-DISC.20: a symlinked directory is followed, and its skill is listed once, under its canonical
/// path.
#[test]
fn symlinked_directories_are_followed_and_listed_once() {
    let world = World::new();
    let real = world.base.join("elsewhere/x");
    skill(&real);
    let root = world.repo.join(".agents/skills");
    fs::create_dir_all(&root).unwrap();
    symlink(&real, root.join("x")).unwrap();
    symlink(&real, root.join("other-name")).unwrap();
    symlink(world.base.join("elsewhere"), root.join("all")).unwrap();
    let catalog = world.catalog();
    let [only] = catalog.skills() else { panic!() };
    assert_eq!(only.dir, real.to_str().unwrap());
    assert_eq!(only.name, "x");
    configure(&world.home, "[catalog]\nfollow_symlinks = false\n");
    assert_eq!(world.names(), [""; 0]);
}

/// Returns whether each root exists, and its number of skills.
fn seen(catalog: &Catalog) -> Vec<(bool, usize)> {
    let roots = catalog.found().roots.iter();
    roots.map(|root| (root.exists, root.entries)).collect()
}

/// CAT-DISC.18: a root that is a symlink to another root contributes no skills.
#[test]
fn roots_with_the_same_target_count_once() {
    let world = World::new();
    skill(world.repo.join(".agents/skills/x"));
    fs::create_dir_all(world.repo.join(".skillc")).unwrap();
    symlink("../.agents/skills", world.repo.join(".skillc/skills")).unwrap();
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["x"]);
    let expected = [(true, 1), (true, 0), (false, 0), (false, 0)];
    assert_eq!(seen(&catalog), expected);
    // The user's root comes first, even if it is the symlink.
    symlink(world.repo.join(".agents"), world.home.join(".agents")).unwrap();
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["x"]);
    let expected = [(true, 0), (true, 0), (false, 0), (true, 1)];
    assert_eq!(seen(&catalog), expected);
}

/// CAT-DISC.18, D23: a skill in one of the user's roots has user scope and the user's limits, even if a project links
/// to it.
#[test]
fn symlinks_of_a_project_do_not_take_over_the_users_skills() {
    let links = [
        (".skillc/skills/x", ".skillc/skills/x"),
        (".skillc/skills/other", ".skillc/skills/x"),
        (".skillc/skills", ".skillc/skills"),
        (".agents/skills", ".skillc/skills"),
        (".agents/skills/all", ".skillc"),
        (".agents/skills", ".skillc/skills/group"),
    ];
    for (link, target) in links {
        let world = World::new();
        skill(world.home.join(".skillc/skills/x"));
        skill(world.home.join(".skillc/skills/group/y"));
        let link = world.repo.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(world.home.join(target), &link).unwrap();
        configure(
            &world.repo,
            "[catalog]\nmax_depth = 1\nmax_dirs = 1\nfollow_symlinks = true\n",
        );
        let catalog = world.read().0;
        assert_eq!(names(&catalog), ["x", "y"], "{link:?}");
        let mut skills = catalog.skills().iter();
        assert!(skills.all(|entry| entry.scope == Scope::User), "{link:?}");
        let of_project = &catalog.found().roots[..2];
        assert!(of_project.iter().all(|root| root.entries == 0), "{link:?}");
    }
}

#[test]
fn symlink_cycles_terminate() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("a"));
    symlink("..", root.join("a/up")).unwrap();
    symlink("a", root.join("b")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("gone", root.join("dangling")).unwrap();
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["a"]);
    assert!(catalog.found().errors.is_empty() && !catalog.found().truncated);
}

#[test]
fn a_skill_md_symlink_out_of_its_directory_is_an_error() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    let outside = skill(world.base.join("outside/a"));
    fs::create_dir_all(root.join("a")).unwrap();
    symlink(outside, root.join("a/SKILL.md")).unwrap();
    fs::create_dir_all(root.join("gone")).unwrap();
    symlink("nothing", root.join("gone/SKILL.md")).unwrap();
    skill(root.join("inside/text"));
    let inside = "---\nname: inside\ndescription: d\n---\n";
    write(&root.join("inside/real.md"), inside);
    symlink("real.md", root.join("inside/SKILL.md")).unwrap();
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["inside", "text"]);
    let error = |path: &str, message: &str| (path.to_owned(), message.to_owned());
    let expected = [
        error("a/SKILL.md", "escapes skill directory"),
        error("gone/SKILL.md", "cannot be read: no such file or directory"),
    ];
    assert_eq!(errors(&catalog, &root), expected);
    assert_eq!(
        catalog.skills()[0].path,
        root.join("inside/real.md").to_str().unwrap()
    );
    assert_eq!(
        catalog.skills()[0].dir,
        root.join("inside").to_str().unwrap()
    );
}

#[test]
fn special_files_are_an_error_and_do_not_block() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    fs::create_dir_all(root.join("dir/SKILL.md")).unwrap();
    fs::create_dir_all(root.join("pipe")).unwrap();
    let pipe = root.join("pipe/SKILL.md");
    let made = Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    fs::create_dir_all(root.join("link")).unwrap();
    symlink("../pipe/SKILL.md", root.join("link/SKILL.md")).unwrap();
    let error = |path: &str, message: &str| (path.to_owned(), message.to_owned());
    let expected = [
        error("dir/SKILL.md", "not a file"),
        error("link/SKILL.md", "escapes skill directory"),
        error("pipe/SKILL.md", "not a file"),
    ];
    assert_eq!(errors(&world.catalog(), &root), expected);
}

/// CAT-DISC.22.
#[test]
fn a_root_that_is_not_a_directory_is_one_error_and_others_are_searched() {
    let world = World::new();
    let root = write(&world.repo.join(".agents/skills"), "");
    skill(world.home.join(".agents/skills/x"));
    let catalog = world.catalog();
    assert_eq!(names(&catalog), ["x"]);
    let [error] = &catalog.found().errors[..] else {
        panic!()
    };
    assert_eq!(error.path, root.to_str().unwrap());
    assert_eq!(error.message, "not a directory");
    assert_eq!(error.kind, FailureKind::Root);
}

/// CAT-DISC.22. The superuser finds both skills, because it can list every directory.
#[test]
fn an_unreadable_root_is_one_error_and_the_others_are_searched() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("hidden"));
    skill(world.home.join(".agents/skills/x"));
    let shut = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    shut(&root, 0o000).unwrap();
    let is_superuser = root.read_dir().is_ok();
    let catalog = world.catalog();
    shut(&root, 0o755).unwrap();
    if is_superuser {
        assert_eq!(names(&catalog), ["hidden", "x"]);
        return;
    }
    assert_eq!(names(&catalog), ["x"]);
    assert_eq!(catalog.found().errors.len(), 1);
    assert_eq!(catalog.found().errors[0].kind, FailureKind::Root);
}

#[test]
fn names_that_are_not_utf8_are_left_out_and_counted() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    skill(root.join("a"));
    for name in [&b"\xff1"[..], b"\xff2"] {
        let dir = root.join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir_all(&dir).unwrap();
        fs::copy(root.join("a/SKILL.md"), dir.join("SKILL.md")).unwrap();
    }
    let (catalog, notices) = world.read();
    assert_eq!(names(&catalog), ["a"]);
    let expected =
        "warning[W026]: skipped 2 file name(s) that are not UTF-8, for example '\u{fffd}1'";
    assert_eq!(notices, [expected]);
}
