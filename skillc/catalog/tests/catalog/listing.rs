//! Tests the list of a skill's files, which excludes its `SKILL.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use skillc_catalog::listing::{Listing, listing};
use skillc_catalog::settings::LoadLimits;
use skillc_catalog::{
    CatalogEntry, Loaded, Resend, Resolved, Settings, Versions, Wanted, load, resolve,
};

use crate::support::{World, configure, skill, write};

/// A project with a skill `x`.
fn one() -> (World, CatalogEntry) {
    let world = World::new();
    skill(world.repo.join(".agents/skills/x"));
    let entry = world.catalog().skills()[0].clone();
    (world, entry)
}

fn add(entry: &CatalogEntry, files: &[&str]) {
    for file in files {
        write(&Path::new(&entry.dir).join(file), "");
    }
}

/// Returns the listed files below the skill's directory.
fn listed(entry: &CatalogEntry) -> Vec<String> {
    let listing = with(entry, 200, 16_384);
    assert!(!listing.truncated);
    assert_eq!(listing.total, listing.files.len());
    below(entry, &listing)
}

fn below(entry: &CatalogEntry, listing: &Listing) -> Vec<String> {
    let dir = format!("{}/", entry.dir);
    let files = listing.files.iter();
    let below = files.map(|file| file.strip_prefix(&dir).expect("a file of the skill"));
    below.map(str::to_owned).collect()
}

fn with(entry: &CatalogEntry, max_files: usize, max_listing_bytes: usize) -> Listing {
    let limits = LoadLimits {
        max_files,
        max_listing_bytes,
        ..Settings::default().load
    };
    listing(entry, &BTreeSet::new(), &limits)
}

#[track_caller]
fn loaded(world: &World, name: &str) -> Loaded {
    let (catalog, _) = world.read();
    let loaded = resolve(&catalog, &Wanted::argument(name))
        .and_then(Resolved::permitted)
        .and_then(|permitted| load(&catalog, permitted, Resend::Changed, &Versions::default()));
    loaded.expect("a skill")
}

/// CAT-LOAD.8: files are sorted bytewise by their whole path, which differs from the order of a walk.
#[test]
fn other_files_are_listed_in_the_order_of_their_paths() {
    let (_world, entry) = one();
    add(
        &entry,
        &[
            "b.md",
            "a/z",
            "a.txt",
            "a-b",
            "a/b/c",
            "B",
            "é",
            "a0",
            "sub/SKILL.md",
        ],
    );
    let expected = [
        "B",
        "a-b",
        "a.txt",
        "a/b/c",
        "a/z",
        "a0",
        "b.md",
        "sub/SKILL.md",
        "é",
    ];
    assert_eq!(listed(&entry), expected);
}

/// CAT-LOAD.8.
#[test]
fn hidden_and_installed_files_are_left_out() {
    let (_world, entry) = one();
    add(
        &entry,
        &[
            ".env",
            ".git/config",
            ".skillc-meta/manifest.json",
            "node_modules/a/index.js",
            "a/node_modules/b.js",
            "a/.b/c",
            "kept",
        ],
    );
    fs::create_dir(Path::new(&entry.dir).join("empty")).unwrap();
    assert_eq!(listed(&entry), ["kept"]);
}

/// CAT-LOAD.15.
#[cfg(unix)]
#[test]
fn symlinks_out_of_the_skill_are_left_out_and_none_is_followed() {
    use std::os::unix::fs::symlink;
    let (world, entry) = one();
    add(&entry, &["a/real.md"]);
    let dir = Path::new(&entry.dir);
    let outside = write(&world.base.join("outside/secret"), "");
    skill(world.repo.join(".agents/skills/xy"));
    symlink("/etc", dir.join("etc")).unwrap();
    symlink(outside, dir.join("secret")).unwrap();
    symlink("../xy/SKILL.md", dir.join("sibling")).unwrap();
    symlink("a", dir.join("dir")).unwrap();
    symlink("..", dir.join("a/up")).unwrap();
    symlink("loop", dir.join("loop")).unwrap();
    symlink("gone", dir.join("dangling")).unwrap();
    symlink("a/real.md", dir.join("inside")).unwrap();
    symlink("../a/../a/real.md", dir.join("a/winding")).unwrap();
    assert_eq!(listed(&entry), ["a/real.md", "a/winding", "inside"]);
}

#[cfg(unix)]
#[test]
fn only_files_are_listed() {
    let (_world, entry) = one();
    let dir = Path::new(&entry.dir);
    let made = std::process::Command::new("mkfifo")
        .arg(dir.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("pipe", dir.join("link")).unwrap();
    let _bound = std::os::unix::net::UnixListener::bind(dir.join("socket")).unwrap();
    assert_eq!(listed(&entry), [""; 0]);
}

/// CAT-LOAD.17.
#[test]
fn with_too_many_files_the_first_are_listed_and_all_counted() {
    let (world, entry) = one();
    let names: Vec<String> = (0..250).map(|number| format!("f{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // The list does not depend on the order of creation.
    let mut shuffled = names.clone();
    shuffled.sort_by_key(|name| name.bytes().rev().collect::<Vec<u8>>());
    add(&entry, &shuffled);
    let loaded = loaded(&world, "x");
    assert!(loaded.files_truncated);
    assert_eq!(loaded.files.len(), 200);
    assert!(loaded.files[199].ends_with("/f199"));
    let tag = "<skill_files truncated=\"true\" total=\"250\">\n";
    assert!(loaded.content.contains(tag));
    assert_eq!(loaded.content.matches("<file>").count(), 200);
    let all = with(&entry, 250, usize::MAX);
    assert_eq!(
        (all.files.len(), all.total, all.truncated),
        (250, 250, false)
    );
}

/// CAT-LOAD.17.
#[test]
fn the_list_has_a_maximum_size() {
    let (world, entry) = one();
    add(&entry, &["a", "b&", "c"]);
    let line = format!("<file>{}/a</file>\n", entry.dir).len();
    // The second name contains a character that must be escaped.
    for (bytes, count) in [
        (line - 1, 0),
        (line, 1),
        (2 * line + 4, 1),
        (2 * line + 5, 2),
        (3 * line + 4, 2),
        (3 * line + 5, 3),
    ] {
        let listing = with(&entry, 200, bytes);
        assert_eq!(listing.files.len(), count, "{bytes}");
        assert_eq!((listing.total, listing.truncated), (3, count < 3));
    }
    configure(&world.home, "[skills.load]\nmax_listing_bytes = 1\n");
    let loaded = loaded(&world, "x");
    assert!(loaded.files_truncated);
    let tag = "<skill_files truncated=\"true\" total=\"3\"></skill_files>";
    assert!(loaded.content.contains(tag), "{}", loaded.content);
}

/// CAT-LOAD.17: the first name that does not fit ends the list, even if a later name is shorter.
#[test]
fn nothing_is_listed_after_the_first_that_does_not_fit() {
    let (_world, entry) = one();
    add(&entry, &["a-long-name-indeed", "b"]);
    let line = format!("<file>{}/b</file>\n", entry.dir).len();
    let listing = with(&entry, 200, line);
    assert_eq!((listing.files.len(), listing.total), (0, 2));
}

/// CAT-LOAD.17.
#[test]
fn files_are_counted_to_ten_thousand() {
    let (_world, entry) = one();
    let dir = Path::new(&entry.dir);
    fs::create_dir(dir.join("many")).unwrap();
    for number in 0..10_000 {
        fs::write(dir.join(format!("many/{number:05}")), "").unwrap();
    }
    let all = with(&entry, usize::MAX, usize::MAX);
    assert_eq!(
        (all.files.len(), all.total, all.truncated),
        (10_000, 10_000, false)
    );
    fs::write(dir.join("zz"), "").unwrap();
    let more = with(&entry, usize::MAX, usize::MAX);
    assert_eq!(
        (more.files.len(), more.total, more.truncated),
        (10_000, 10_000, true)
    );
    let few = with(&entry, 1, usize::MAX);
    assert_eq!(
        (few.files.len(), few.total, few.truncated),
        (1, 10_000, true)
    );
}

/// R20.
#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_left_out_and_counted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let (world, entry) = one();
    let dir = Path::new(&entry.dir);
    for name in [&b"\xff2"[..], b"\xff1"] {
        fs::write(dir.join(OsStr::from_bytes(name)), "").unwrap();
    }
    let odd = dir.join(OsStr::from_bytes(b"dir\xff"));
    write(&odd.join("below"), "");
    add(&entry, &["a"]);
    assert_eq!(listed(&entry), ["a"]);
    let notices = loaded(&world, "x").notices;
    let said: Vec<String> = notices.iter().map(ToString::to_string).collect();
    let expected =
        "warning[W026]: skipped 3 file name(s) that are not UTF-8, for example 'dir\u{fffd}'";
    assert_eq!(said, [expected]);
}

#[cfg(unix)]
#[test]
fn control_characters_in_names_do_not_start_lines() {
    let (world, entry) = one();
    add(
        &entry,
        &["a\nBase directory: b", "c\u{1b}[2J", "<file>", "\"'&"],
    );
    let content = loaded(&world, "x").content;
    for line in [
        "\"'&amp;".replace('"', "&quot;"),
        "&lt;file&gt;".into(),
        "a&#10;Base directory: b".into(),
        "c\u{fffd}[2J".into(),
    ] {
        let line = format!("\n<file>{}/{line}</file>\n", entry.dir);
        assert!(content.contains(&line), "{content}");
    }
}

/// CAT-PERM.9: files of a denied or disabled nested skill are not listed with the outer skill.
#[test]
fn files_of_a_nested_skill_are_listed_only_if_it_may_be_loaded() {
    let (world, entry) = one();
    for inner in ["a", "b", "c"] {
        skill(Path::new(&entry.dir).join(inner));
        add(&entry, &[&format!("{inner}/more")]);
    }
    add(&entry, &["bb/c"]);
    #[cfg(unix)]
    for target in ["a/more", "b/SKILL.md"] {
        let link = Path::new(&entry.dir).join(target.replace('/', "-"));
        std::os::unix::fs::symlink(target, link).unwrap();
    }
    configure(
        &world.home,
        "[[skills.override]]\nname = \"a\"\nenabled = false\n\
         [permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"b\" }]\n",
    );
    let files = loaded(&world, "x").files;
    let dir = format!("{}/", entry.dir);
    let files: Vec<&str> = files.iter().map(|file| &file[dir.len()..]).collect();
    assert_eq!(files, ["bb/c", "c/SKILL.md", "c/more"]);
}

#[cfg(unix)]
#[derive(Debug, Clone)]
enum Made {
    File(String),
    Link(String, String),
}

#[cfg(unix)]
fn made() -> impl Strategy<Value = Made> {
    let path = "[ab.](/[ab.]){0,2}";
    let target = "(\\.\\./){0,4}[abo](/[ab.]){0,2}|/etc|/";
    prop_oneof![
        path.prop_map(Made::File),
        (path, target).prop_map(|(path, target)| Made::Link(path, target)),
    ]
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// CAT-LOAD.15: for any symlinks in the skill, every listed file belongs to the skill, and the list is sorted and
    /// has no duplicates.
    #[test]
    fn the_list_never_leaves_the_directory(all in prop::collection::vec(made(), 0..16)) {
        let (world, entry) = one();
        write(&world.base.join("o/a"), "");
        write(&world.repo.join(".agents/skills/o/b"), "");
        let dir = Path::new(&entry.dir);
        for made in all {
            let path = match &made { Made::File(path) | Made::Link(path, _) => dir.join(path) };
            // Create entries only below the skill, regardless of existing symlinks.
            let parent = path.parent().unwrap();
            let is_below = fs::create_dir_all(parent).is_ok()
                && parent.canonicalize().is_ok_and(|parent| parent.starts_with(dir));
            match made {
                Made::File(_) if is_below && path.symlink_metadata().is_err() => {
                    let _ = fs::write(path, "");
                }
                Made::Link(_, target) if is_below => {
                    let _ = std::os::unix::fs::symlink(target, path);
                }
                _ => {}
            }
        }
        let files = with(&entry, 200, usize::MAX).files;
        prop_assert!(files.is_sorted_by(|a, b| a < b));
        for file in files {
            let real = Path::new(&file).canonicalize().unwrap();
            prop_assert!(real.starts_with(dir) && real.is_file());
            prop_assert!(!file.contains("/.."));
            let parent = Path::new(&file).parent().unwrap();
            prop_assert_eq!(parent.canonicalize().unwrap(), parent);
        }
    }
}
