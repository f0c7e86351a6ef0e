//! Edits of configuration files preserve the user's formatting.

use std::fs;
use std::thread;

use skillc_tests::World;

use crate::catalog::support::{PROGRAM, configure, json, project_file, skc, skill};

/// Disables `demo` in a configuration file and enables it again. Returns the file's content between these two edits.
#[track_caller]
fn disable_and_enable(before: &str) -> String {
    let world = World::project();
    skill(&world, "demo", "One");
    configure(&world, before);
    skc(&world, &["catalog", "disable", "demo"]).success();
    let between = project_file(&world);
    skc(&world, &["catalog", "load", "demo"]).code("E064");
    skc(&world, &["catalog", "enable", "demo"]).success();
    assert_eq!(project_file(&world), before);
    between
}

#[test]
fn comments_order_and_line_ends_are_preserved() {
    let text =
        "# Ours.\nversion = 1 # the first\n\n[search] # words\ntokenizer = \"cjk\"\n\n# The end.\n";
    assert_eq!(
        disable_and_enable(text),
        format!("{text}\n[[skills.override]]\nname = \"demo\"\nenabled = false\n")
    );
    let windows = text.replace('\n', "\r\n");
    let between = disable_and_enable(&windows);
    assert_eq!(
        between.matches('\n').count(),
        between.matches("\r\n").count()
    );
    let marked = format!("\u{feff}{text}");
    assert!(disable_and_enable(&marked).starts_with("\u{feff}# Ours."));
}

#[test]
fn the_form_of_a_list_is_preserved() {
    let other = "{ name = \"other\", enabled = false }";
    for (before, between) in [
        (
            format!("version = 1\nskills = {{ override = [{other}] }}\n"),
            format!("version = 1\nskills = {{ override = [{other}, {{ name = \"demo\", enabled = false }}] }}\n"),
        ),
        (
            format!("version = 1\nskills.override = [{other}]\n"),
            format!("version = 1\nskills.override = [{other}, {{ name = \"demo\", enabled = false }}]\n"),
        ),
        (
            format!("version = 1\n[skills]\noverride = [\n    {other}, # why\n]\n"),
            format!("version = 1\n[skills]\noverride = [\n    {other}, # why\n    {{ name = \"demo\", enabled = false }},\n]\n"),
        ),
        (
            "version = 1\n\n[[skills.override]]\nname = \"other\"\nenabled = false\n\n[mcp]\ntoolset = \"all\"\n".to_owned(),
            "version = 1\n\n[[skills.override]]\nname = \"other\"\nenabled = false\n\n[[skills.override]]\nname = \"demo\"\nenabled = false\n\n[mcp]\ntoolset = \"all\"\n".to_owned(),
        ),
    ] {
        assert_eq!(disable_and_enable(&before), between);
    }
}

#[test]
fn a_comment_above_a_removed_entry_is_preserved() {
    let world = World::project();
    skill(&world, "demo", "One");
    configure(
        &world,
        "version = 1\n\n# About demo.\n[[skills.override]]\nname = \"demo\"\nenabled = false\n\n[search]\ntokenizer = \"cjk\"\n",
    );
    skc(&world, &["catalog", "enable", "demo"]).success();
    assert_eq!(
        project_file(&world),
        "version = 1\n\n# About demo.\n\n[search]\ntokenizer = \"cjk\"\n"
    );
}

#[test]
fn an_invalid_file_is_not_changed() {
    let world = World::project();
    skill(&world, "demo", "One");
    for (text, words) in [
        ("version = 1\n[skills\n", "is not valid TOML"),
        ("version = \"one\"\n", "'version'"),
        (
            "version = 1\nskills = 3\n",
            "sets 'skills' to a value of type integer",
        ),
        (
            "version = 1\n[skills]\noverride = \"x\"\n",
            "sets 'skills.override' to a value of type string",
        ),
    ] {
        configure(&world, text);
        let output = skc(&world, &["catalog", "disable", "demo"]);
        assert!(
            !output.ok && output.stderr.contains("error[E999]"),
            "{output:?}"
        );
        assert!(output.stderr.contains(words), "{output:?}");
        assert!(output.stderr.contains("Nothing was changed."), "{output:?}");
        assert_eq!(project_file(&world), text);
    }
    configure(&world, "version = 1\npermissions = \"x\"\n");
    let output = skc(&world, &["catalog", "deny", "demo"]);
    assert!(
        !output.ok
            && output
                .stderr
                .contains("sets 'permissions' to a value of type string"),
        "{output:?}"
    );
}

#[cfg(unix)]
#[test]
fn symlinks_and_permissions_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let world = World::project();
    skill(&world, "demo", "One");
    let real = world.home.join("dotfiles.toml");
    fs::write(&real, "version = 1\n").expect("a file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("permissions can be set");
    fs::create_dir_all(world.home.join(".skillc")).expect("a directory");
    let link = world.home.join(".skillc/config.toml");
    symlink(&real, &link).expect("a link");
    skc(&world, &["catalog", "disable", "demo", "--global"]).success();
    assert!(link.symlink_metadata().expect("should exist").is_symlink());
    assert!(fs::read_to_string(&real).expect("text").contains("demo"));
    let mode = real.metadata().expect("should exist").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A symlink out of a project is not followed.
    symlink(&real, world.cwd.join(".skillc/config.toml")).expect("a link");
    let output = skc(&world, &["catalog", "disable", "demo"]);
    assert!(output.stderr.contains("is outside"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_not_changed() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::project();
    skill(&world, "demo", "One");
    configure(&world, "version = 1\n");
    let path = world.cwd.join(".skillc/config.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("permissions can be set");
    let output = skc(&world, &["catalog", "disable", "demo"]);
    assert!(
        !output.ok && output.stderr.contains("is read-only"),
        "{output:?}"
    );
    assert_eq!(project_file(&world), "version = 1\n");
}

#[test]
fn concurrent_writes_are_not_lost() {
    const COUNT: usize = 12;
    let world = World::project();
    for number in 0..COUNT {
        skill(&world, &format!("skill-{number}"), "One");
    }
    thread::scope(|scope| {
        for number in 0..COUNT {
            let mut command = world.process(PROGRAM, &["catalog", "disable"]);
            command.arg(format!("skill-{number}"));
            scope.spawn(move || assert!(command.status().expect("should run").success()));
        }
    });
    let list = json(&world, &["list"]);
    let skills = list["skills"].as_array().expect("a list");
    assert!(
        skills.iter().all(|skill| skill["enabled"] == false),
        "{}",
        project_file(&world)
    );
    assert_eq!(
        project_file(&world).matches("[[skills.override]]").count(),
        COUNT
    );
    let left: Vec<_> = fs::read_dir(world.cwd.join(".skillc"))
        .expect("a list")
        .collect();
    // Only the configuration, the store and `.gitignore` are left.
    assert_eq!(left.len(), 3, "{left:?}");
}
