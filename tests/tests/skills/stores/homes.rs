//! `$SKILLC_HOME` and the user's home directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_core::Context;
use skillc_core::testkit::{FixedClock, NOW};
use skillc_tests::{Output, World, snapshot};

use crate::stores::support::{column, entries, names, tokenizer};

/// Creates a world in which `$SKILLC_HOME` is not the user's home directory. Also returns the directory of
/// `$SKILLC_HOME`.
fn moved() -> (World, PathBuf) {
    let mut world = World::new();
    let other = world.home.with_file_name("other");
    fs::create_dir(&other).expect("a directory");
    world.set("SKILLC_HOME", other.to_str().expect("UTF-8"));
    (world, other)
}

/// C-ENV-OVERRIDE.1, D-OLD-LAYOUT.
#[test]
fn skillc_home_moves_store_runtime_and_agent_directories() {
    let (world, other) = moved();
    world.skc(["init", "demo", "--global"]).success();
    world.skc(["build", "demo"]).success();
    world.skc(["search", "demo", "demo"]).success();
    assert!(other.join(".skillc/skills/demo/SKILL.md").is_file());
    assert!(other.join(".skillc/runtime/demo/SKILL.md").is_file());
    assert!(other.join(".claude/skills/demo/SKILL.md").is_file());
    assert_eq!(entries(&other.join(".skillc")), ["runtime", "skills"]);
    assert!(entries(&world.home).is_empty());
    let list = world.skc(["list", "-o", "json"]).success();
    let runtime = other.join(".skillc/runtime/demo");
    assert_eq!(column(&list, "runtime_path"), [runtime.to_string_lossy()]);
}

/// C-ENV-OVERRIDE.1.
#[test]
fn skillc_home_moves_the_global_configuration() {
    let (world, other) = moved();
    world.project_skill("demo", &[]);
    fs::create_dir_all(other.join(".skillc")).unwrap();
    let text = "[search]\ntokenizer = \"cjk\"\n[targets]\nmine = \"~/agents\"\n";
    fs::write(other.join(".skillc/config.toml"), text).unwrap();
    assert_eq!(tokenizer(&world), "unicode61");
    world.skc(["build", "demo", "--target", "mine"]).success();
    assert!(other.join("agents/demo/SKILL.md").is_file());
    assert!(entries(&world.home).is_empty());
}

/// F-42, D-PROJECT-ROOT, C-RESOLUTION@9.2.
#[test]
fn the_real_homes_configuration_is_ignored_if_skillc_home_is_elsewhere() {
    let mut world = World::new();
    let other = world.home.with_file_name("other");
    world.set("SKILLC_HOME", other.to_str().unwrap());
    world.cwd = world.home.join("code/here");
    world.project_skill("demo", &[]);
    let text = "nonsense = 1\n[search]\ntokenizer = \"cjk\"\n";
    fs::create_dir_all(world.home.join(".skillc")).unwrap();
    fs::write(world.home.join(".skillc/config.toml"), text).unwrap();
    assert_eq!(tokenizer(&world), "porter");
    assert_eq!(world.skc(["list"]).stderr, "");
}

/// C-ENV-OVERRIDE.2, D-PROJECT-ROOT, F-56.
#[test]
fn neither_home_is_a_project() {
    let mut world = World::new();
    let other = world.home.join("other");
    world.set("SKILLC_HOME", other.to_str().unwrap());
    world.global_skill("real", &[]);
    let kept = world.home.join(".skillc/skills/real");
    for home in [world.home.clone(), other] {
        fs::create_dir_all(home.join(".skillc/skills")).unwrap();
        let sub = home.join("sub");
        fs::create_dir(&sub).unwrap();
        world.skc_at(&sub, &["init", "x"]).success();
        assert_eq!(entries(&sub.join(".skillc/skills")), ["x"]);
        fs::remove_dir_all(sub.join(".skillc")).unwrap();
        assert_eq!(names(&world.skc_at(&sub, &["list", "-o", "json"])), [""; 0]);
        world
            .skc_at(&sub, &["outline", "real"])
            .error("error[E001]: skill 'real' not found");
    }
    assert!(kept.is_dir());
}

/// C-ENV-OVERRIDE.2, F-56.
#[cfg(unix)]
#[test]
fn a_symlinked_home_is_not_a_project() {
    let (mut world, other) = moved();
    let link = other.with_file_name("link");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    world.set("SKILLC_HOME", link.to_str().unwrap());
    world.directory("../other/.skillc/skills/demo", &[]);
    let sub = other.join("sub");
    fs::create_dir(&sub).unwrap();
    let list = world.skc_at(&sub, &["list", "-o", "json"]).success();
    assert_eq!(column(&list, "scope"), ["global"]);
}

/// C-ENV-OVERRIDE.3.
#[test]
fn an_unset_or_empty_skillc_home_is_the_users_home() {
    let mut world = World::new();
    world.global_skill("demo", &[]);
    assert_eq!(names(&world.skc(["list", "-o", "json"])), ["demo"]);
    world.set("SKILLC_HOME", "");
    assert_eq!(names(&world.skc(["list", "-o", "json"])), ["demo"]);

    let program = env!("CARGO_BIN_EXE_skc-under-test");
    for value in [None, Some("")] {
        let mut command = world.process(program, &["list", "-o", "json"]);
        command.env_remove("SKILLC_HOME");
        command.envs(value.map(|value| ("SKILLC_HOME", value)));
        assert_eq!(names(&Output::new(command.output().unwrap())), ["demo"]);
    }
}

/// C-ENV-OVERRIDE.3.
#[test]
fn without_a_home_skillc_home_is_required() {
    let context = |env: &[(&str, &str)]| {
        let env = env.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        Context::new(
            "/work".into(),
            None,
            env.collect(),
            Arc::new(FixedClock(NOW)),
        )
    };
    let error = context(&[("SKILLC_HOME", "")]).unwrap_err();
    assert_eq!(error.code(), "E999");
    assert!(
        error
            .details()
            .is_some_and(|hint| hint.contains("SKILLC_HOME"))
    );
    let home = context(&[("SKILLC_HOME", "/x")]).unwrap().home;
    assert_eq!(home, Path::new("/x"));
}

/// C-ENV-OVERRIDE.4: a relative path would make the files of a project count as the user's own.
#[test]
fn a_relative_skillc_home_is_refused() {
    let world = World::new();
    let program = env!("CARGO_BIN_EXE_skc-under-test");
    let before = snapshot(&world.cwd);
    for value in [".", "home2", "./home2/.", "..", "~", "~/x"] {
        let mut command = world.process(program, &["init", "x", "-g"]);
        command.env("SKILLC_HOME", value);
        let output = Output::new(command.output().unwrap());
        output.code("E100");
        assert!(output.stderr.contains("absolute path"), "{output:?}");
    }
    assert_eq!(snapshot(&world.cwd), before);
    assert!(entries(&world.home).is_empty());
}

/// C-ENV-OVERRIDE.3, C-ENV-OVERRIDE.4.
#[test]
fn a_relative_home_counts_as_none() {
    let context = |home: &str, env: &[(&str, &str)]| {
        let env = env.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        let home = Some(PathBuf::from(home));
        Context::new(
            "/work".into(),
            home,
            env.collect(),
            Arc::new(FixedClock(NOW)),
        )
    };
    for home in ["", ".", "home", "../home", "~"] {
        assert_eq!(context(home, &[]).unwrap_err().code(), "E999", "{home}");
        let moved = context(home, &[("SKILLC_HOME", "/x")]).unwrap();
        assert_eq!(
            (&*moved.home, &*moved.user_home),
            (Path::new("/x"), Path::new("/x"))
        );
    }
    let usual = context("/home/./me", &[]).unwrap();
    assert_eq!(usual.home, Path::new("/home/me"));
    let error = context("/home/me", &[("SKILLC_HOME", "x")]).unwrap_err();
    assert_eq!(error.code(), "E100");
}

/// C-ENV-OVERRIDE.1, C-LIST.8.
#[test]
fn a_missing_skillc_home_is_empty_until_something_is_written() {
    let mut world = World::new();
    let other = world.home.with_file_name("new/er");
    world.set("SKILLC_HOME", other.to_str().unwrap());
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(list.json()["total"], 0);
    world.skc(["outline", "x"]).code("E001");
    assert!(!other.exists() && list.stderr.is_empty());
    world.skc(["init", "x", "--global"]).success();
    assert!(other.join(".skillc/skills/x/SKILL.md").is_file());
}

/// C-ENV-OVERRIDE.1, C-INIT.5.
#[test]
fn a_skillc_home_that_is_a_file_has_no_skills_and_accepts_none() {
    let (world, other) = moved();
    fs::remove_dir(&other).unwrap();
    fs::write(&other, "a file").unwrap();
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(list.json()["total"], 0);
    world.skc(["init", "x", "-g"]).code("E999");
    world.skc(["outline", "x"]).code("E001");
    assert_eq!(fs::read_to_string(other).unwrap(), "a file");
    assert!(entries(&world.home).is_empty());
}

/// C-ENV-OVERRIDE.1.
#[cfg(target_os = "linux")]
#[test]
fn a_skillc_home_that_is_not_utf8_works() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = World::new();
    let other = world.cwd.join(OsStr::from_bytes(b"h\xffme"));
    let mut command = world.process(
        env!("CARGO_BIN_EXE_skc-under-test"),
        &["init", "x", "--global"],
    );
    let output = command.env("SKILLC_HOME", &other).output().unwrap();
    assert!(Output::new(output).ok);
    assert!(other.join(".skillc/skills/x/SKILL.md").is_file());
    assert!(entries(&world.home).is_empty());
}

/// D-OLD-LAYOUT.
#[test]
fn the_directories_of_old_versions_are_neither_read_nor_written() {
    let world = World::project();
    for old in [".skillc/src/old"] {
        for root in [&world.home, &world.cwd] {
            fs::create_dir_all(root.join(old)).unwrap();
            fs::write(root.join(old).join("SKILL.md"), skillc_tests::MINIMAL).unwrap();
        }
    }
    fs::write(
        world.home.join(".skillc/registry.json"),
        "{\"skills\":{\"old\":{}}}",
    )
    .unwrap();
    let before = snapshot(&world.home);
    world
        .skc(["outline", "old"])
        .error("error[E001]: skill 'old' not found");
    assert_eq!(world.skc(["list", "-o", "json"]).json()["total"], 0);
    assert_eq!(snapshot(&world.home), before);

    world.skc(["init", "new", "-g"]).success();
    world.skc(["build", "new"]).success();
    assert_eq!(
        entries(&world.home.join(".skillc")),
        ["registry.json", "runtime", "skills", "src"]
    );
    assert_eq!(entries(&world.home.join(".skillc/src")), ["old"]);
}
