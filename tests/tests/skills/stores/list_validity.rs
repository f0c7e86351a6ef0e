//! `skc list`: which directories are skills.

use std::fs;

use skillc_tests::World;

use crate::stores::support::names;

/// C-LIST.1, C-LIST.9, D-UNCODED-WARNINGS, F-54.
#[test]
fn an_invalid_skill_is_left_out_with_one_warning_naming_it() {
    let faulty = [
        ("no-block", "# Just text\n"),
        ("empty", ""),
        ("unclosed", "---\nname: x\n"),
        ("broken-yaml", "---\nname: [a\n---\n"),
        ("no-name", "---\ndescription: d\n---\n"),
        ("null-name", "---\nname:\ndescription: d\n---\n"),
        ("blank-name", "---\nname: \" \"\ndescription: d\n---\n"),
        ("list-name", "---\nname: [a]\ndescription: d\n---\n"),
        ("not-a-map", "---\n- a\n---\n"),
    ];
    for (name, text) in faulty {
        let world = World::demo(&[]);
        world.project_skill(name, &[("SKILL.md", text)]);
        let list = world.skc(["list", "-o", "json"]).success();
        assert_eq!(names(&list), ["demo"], "{name}");
        assert_eq!(list.json()["total"], 1, "{name}");
        let warnings: Vec<&str> = list.stderr.lines().collect();
        assert_eq!(warnings.len(), 1, "{list:?}");
        let begin = format!("warning[W021]: skipped '{name}': ");
        assert!(warnings[0].starts_with(&begin), "{list:?}");
    }
}

/// C-LIST.1, C-COMPAT-FORMAT.1.
#[test]
fn a_name_is_enough_to_be_listed_with_any_line_endings() {
    let world = World::project();
    let valid = [
        ("bare", "---\nname: x\n---\n"),
        ("crlf", "---\r\nname: x\r\ndescription: d\r\n---\r\n# X\r\n"),
        ("bom", "\u{feff}---\nname: x\n---\n"),
        ("number", "---\nname: 123\n---\n"),
        ("other-name", "---\nname: differs\n---\n"),
    ];
    for (name, text) in valid {
        world.project_skill(name, &[("SKILL.md", text)]);
    }
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(
        names(&list),
        ["bare", "bom", "crlf", "number", "other-name"]
    );
    assert!(list.stderr.is_empty(), "{list:?}");
}

/// C-LIST.9.
#[test]
fn directories_without_skill_md_are_skipped_silently() {
    let world = World::demo(&[]);
    let store = world.cwd.join(".skillc/skills");
    fs::create_dir_all(store.join("empty")).unwrap();
    fs::create_dir_all(store.join("odd/SKILL.md")).unwrap();
    fs::create_dir_all(store.join("lower")).unwrap();
    fs::write(store.join("lower/README.md"), "# R\n").unwrap();
    fs::create_dir_all(store.join(".git/skills")).unwrap();
    fs::write(store.join(".git/SKILL.md"), skillc_tests::MINIMAL).unwrap();
    fs::write(store.join("README.md"), "# Not a skill\n").unwrap();
    fs::write(store.join("SKILL.md"), skillc_tests::MINIMAL).unwrap();
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(names(&list), ["demo"]);
    assert_eq!(list.json()["total"], 1);
    assert!(list.stderr.is_empty(), "{list:?}");
}

/// C-LIST.9, C-CODES.6.
#[test]
fn directory_names_are_escaped_for_the_terminal() {
    let world = World::project();
    world.project_skill("a\u{1b}[31mb", &[("SKILL.md", "no block")]);
    world.project_skill("c\u{7}\u{1b}[31md", &[]);
    let list = world.skc(["list", "-v"]).success();
    assert!(!list.text().contains(['\u{1b}', '\u{7}']), "{list:?}");
    assert!(!list.stderr.contains('\u{1b}'), "{list:?}");
    assert!(
        list.stderr
            .contains("warning[W021]: skipped 'a\\u{1b}[31mb'")
    );
}

/// C-LIST.1.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_name_that_is_not_utf8_is_left_out_with_one_warning() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = World::demo(&[]);
    for bytes in [&b"x\xff"[..], b"y\xfe"] {
        let dir = world
            .cwd
            .join(".skillc/skills")
            .join(OsStr::from_bytes(bytes));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("SKILL.md"), skillc_tests::MINIMAL).unwrap();
    }
    let list = world.skc(["list", "-o", "json"]).success();
    assert_eq!(names(&list), ["demo"]);
    assert_eq!(list.stderr.lines().count(), 1, "{list:?}");
    assert!(
        list.stderr.starts_with("warning[W026]: skipped 2 "),
        "{list:?}"
    );
}
