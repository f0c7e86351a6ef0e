//! Responses of the tool `skill_list`, and catalogs created without reading files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillc_catalog::{Audience, Catalog};
use skillc_core::Context;
use skillc_core::source::Stamp;
use skillc_core::testkit::{FixedClock, write_files};
use skillc_core::time::Timestamp;
use tempfile::TempDir;

use super::listed::{skill_list, skill_list_in_memory};
use super::sync::{RegistrySyncRequest, sync_now};
use super::*;
use crate::catalog::settings;
use crate::notes::Notes;
use crate::toolkit::Toolkit;

/// A home directory and a project next to each other.
struct World {
    _dir: TempDir,
    home: PathBuf,
    repo: PathBuf,
}

impl World {
    /// Creates the skills `a` and `b` in the project and `c` in the home directory.
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (home, repo) = (base.join("home"), base.join("repo"));
        fs::create_dir_all(repo.join(".git")).unwrap();
        let world = Self {
            _dir: dir,
            home,
            repo,
        };
        world.skill("a", "capabilities: [read]\n");
        world.skill("b", "version: 1\n");
        skill(&world.home.join(".agents/skills/c"), "");
        world
    }

    fn skills(&self) -> PathBuf {
        self.repo.join(".agents/skills")
    }

    fn skill(&self, name: &str, more: &str) -> PathBuf {
        skill(&self.skills().join(name), more)
    }

    /// Returns a context whose clock is this many seconds ahead of the time at which the newest file was written.
    fn context(&self, after_secs: i64) -> Context {
        let probe = self.repo.join("probe");
        fs::write(&probe, "").unwrap();
        let now_ns = Stamp::from_metadata(&probe.metadata().unwrap()).ctime_ns;
        fs::remove_file(probe).unwrap();
        let now = Timestamp(now_ns / 1_000_000_000 + after_secs);
        let env = [].into_iter().collect();
        let home = Some(self.home.clone());
        Context::new(self.repo.clone(), home, env, Arc::new(FixedClock(now))).unwrap()
    }

    fn toolkit(&self) -> Toolkit {
        Toolkit::new(self.context(60)).unwrap().0
    }

    fn sync(&self) {
        self.sync_after(60);
    }

    fn sync_after(&self, secs: i64) {
        let toolkit = Toolkit::new(self.context(secs)).unwrap().0;
        sync_now(
            &toolkit,
            &RegistrySyncRequest::default(),
            &mut Notes::default(),
        )
        .unwrap();
    }

    /// Checks that the registry's catalog equals the catalog from disk. Returns the number of files that were not read.
    #[track_caller]
    fn known_and_same(&self) -> usize {
        let toolkit = self.toolkit();
        let context = &*toolkit.context;
        let settings = settings(context).0;
        let cold = Catalog::scan(context, settings.clone());
        let warm = warm::catalog(&toolkit, &settings).expect("a registry");
        assert_eq!(warm.found(), cold.found());
        assert_eq!((&warm.chain, &warm.settings), (&cold.chain, &cold.settings));
        let heads = warm::heads(context, &toolkit.config.registry, &settings).unwrap();
        let paths = cold.skills().iter().map(|entry| &entry.path);
        let known = paths.filter(|path| {
            let found = Path::new(path).symlink_metadata().unwrap();
            heads.get(path).is_some_and(|head| head.is_of(&found))
        });
        known.count()
    }
}

fn skill(dir: &Path, more: &str) -> PathBuf {
    let name = dir.file_name().unwrap().to_str().unwrap();
    let text = format!("---\nname: {name}\ndescription: Does {name}.\n{more}---\n# {name}\n");
    write_files(dir, &[("SKILL.md", &text)]);
    dir.join("SKILL.md")
}

/// REG-MCP.2, REG-MCP.3.
#[test]
fn the_tool_lists_rows_with_its_own_fields() {
    let world = World::new();
    let list = skill_list(&world.toolkit(), None, None, false, &mut Notes::default()).unwrap();
    let json = serde_json::to_value(&list).unwrap();
    let expected = serde_json::json!({
        "skills": [
            {"name": "a", "version": null, "description": "Does a.", "capabilities": ["read"], "greek_letter": null,
             "path": ".agents/skills/a/SKILL.md"},
            {"name": "b", "version": "1", "description": "Does b.", "capabilities": [], "greek_letter": null,
             "path": ".agents/skills/b/SKILL.md"},
            {"name": "c", "version": null, "description": "Does c.", "capabilities": [], "greek_letter": null,
             "path": "~/.agents/skills/c/SKILL.md"},
        ],
        "total_count": 3,
    });
    assert_eq!(json, expected);
}

/// REG-MCP.3.
#[test]
fn the_count_matches_the_request() {
    let toolkit = World::new();
    let toolkit = toolkit.toolkit();
    let count = |search, capability| {
        let notes = &mut Notes::default();
        let list = skill_list(&toolkit, search, capability, false, notes).unwrap();
        assert_eq!(list.total_count, list.skills.len());
        let same = skill_list_in_memory(&toolkit, search, capability, notes).unwrap();
        assert_eq!(same, list);
        list.total_count
    };
    assert_eq!(count(Some("DOES A"), None), 1);
    assert_eq!(count(None, Some("read")), 1);
    assert_eq!(count(Some("b"), Some("read")), 0);
}

/// REG-MCP.3, D6: otherwise, a search would disclose the description of a denied skill word by word.
#[test]
fn a_search_finds_denied_skills_by_their_name_only() {
    let world = World::new();
    let deny = "[permissions]\ndeny = [{ tool = \"skill_load\", skill_name = \"b\" }]\n";
    write_files(&world.home.join(".skillc"), &[("config.toml", deny)]);
    let mut toolkit = world.toolkit();
    toolkit.audience = Audience::Model;
    let found = |search| {
        let notes = &mut Notes::default();
        let list = skill_list(&toolkit, Some(search), None, false, notes).unwrap();
        let same = skill_list_in_memory(&toolkit, Some(search), None, notes).unwrap();
        assert_eq!(same, list);
        assert_eq!(list.total_count, list.skills.len());
        let names: Vec<String> = list.skills.into_iter().map(|row| row.name).collect();
        names.join(",")
    };
    assert_eq!(found("does"), "a,c");
    assert_eq!(found("DOES B"), "");
    assert_eq!(found("B"), "b");
    assert_eq!(found(""), "a,b,c");
}

/// REG-LOAD.17, catalog-tools: the first call scans the disk, and so does every call that requests it.
#[test]
fn the_tool_scans_the_disk_without_a_database_or_on_request() {
    let world = World::new();
    let toolkit = world.toolkit();
    let names = |refresh| {
        let list = skill_list(&toolkit, None, None, refresh, &mut Notes::default()).unwrap();
        let names: Vec<String> = list.skills.into_iter().map(|row| row.name).collect();
        names.join(",")
    };
    assert_eq!(names(false), "a,b,c");
    world.skill("d", "");
    assert_eq!(names(false), "a,b,c");
    assert_eq!(names(true), "a,b,c,d");
    assert_eq!(names(false), "a,b,c,d");
}

/// REG-MCP.6.
#[test]
fn an_unusable_database_is_a_tool_error() {
    let world = World::new();
    let toolkit = world.toolkit();
    let list = || skill_list(&toolkit, None, None, false, &mut Notes::default());
    list().unwrap();
    let folder = world.home.join(".skillc/registry").read_dir().unwrap();
    for file in folder.flatten() {
        fs::write(file.path(), [0xaa; 4096]).unwrap();
    }
    assert_eq!(list().unwrap_err().code(), "E066");
    let notes = &mut Notes::default();
    let memory = skill_list_in_memory(&toolkit, None, None, notes).unwrap();
    assert_eq!(memory.total_count, 3);
}

#[test]
fn without_a_registry_no_catalog_is_warm() {
    let world = World::new();
    let toolkit = world.toolkit();
    let settings = settings(&toolkit.context).0;
    assert!(warm::catalog(&toolkit, &settings).is_none());
    assert!(!world.home.join(".skillc").exists());
}

#[test]
fn unchanged_files_are_not_read() {
    let world = World::new();
    world.sync();
    assert_eq!(world.known_and_same(), 3);
}

#[test]
fn files_changed_just_before_reading_are_read_again() {
    let world = World::new();
    world.sync_after(1);
    assert_eq!(world.known_and_same(), 0);
    // A later sync can trust the same files.
    world.sync();
    assert_eq!(world.known_and_same(), 3);
}

/// An edit: its description, a function that applies it, and the number of files that are still known afterwards.
type Edit = (&'static str, fn(&World), usize);

const EDITS: [Edit; 13] = [
    ("added", |world| drop(world.skill("d", "")), 3),
    (
        "removed",
        |world| fs::remove_dir_all(world.skills().join("a")).unwrap(),
        2,
    ),
    ("renamed", |world| rename(world, "a", "z"), 2),
    ("edited", |world| drop(world.skill("a", "version: 2\n")), 2),
    (
        "edited at the same length",
        |world| {
            let path = world.skills().join("a/SKILL.md");
            let text = fs::read_to_string(&path)
                .unwrap()
                .replace("Does a.", "Did  a.");
            let before = path.metadata().unwrap().modified().unwrap();
            fs::write(&path, text).unwrap();
            let file = fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(before).unwrap();
        },
        2,
    ),
    (
        "touched",
        |world| {
            let path = world.skills().join("a/SKILL.md");
            let file = fs::File::options().append(true).open(path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        },
        2,
    ),
    (
        "broken",
        |world| fs::write(world.skills().join("a/SKILL.md"), "broken").unwrap(),
        2,
    ),
    (
        "exchanged with its directory",
        |world| {
            let path = world.skills().join("a/SKILL.md");
            let text = fs::read_to_string(&path)
                .unwrap()
                .replace("Does a.", "Did  a.");
            let before = path.metadata().unwrap().modified().unwrap();
            write_files(&world.repo.join("other"), &[("SKILL.md", &text)]);
            let file = fs::File::options()
                .append(true)
                .open(world.repo.join("other/SKILL.md"));
            file.unwrap().set_modified(before).unwrap();
            fs::rename(world.skills().join("a"), world.repo.join("away")).unwrap();
            fs::rename(world.repo.join("other"), world.skills().join("a")).unwrap();
        },
        2,
    ),
    (
        "made a directory",
        |world| {
            let path = world.skills().join("a/SKILL.md");
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        },
        2,
    ),
    (
        "moved one level down",
        |world| {
            fs::create_dir(world.skills().join("group")).unwrap();
            rename(world, "a", "group/a");
        },
        2,
    ),
    (
        "shadowed",
        |world| drop(skill(&world.repo.join(".skillc/skills/a"), "")),
        3,
    ),
    (
        "switched off",
        |world| {
            configure(
                world,
                "[[skills.override]]\nname = \"a\"\nenabled = false\n",
            );
        },
        3,
    ),
    (
        "cut off by a bound",
        |world| configure(world, "[catalog]\nmax_dirs = 1\n"),
        2,
    ),
];

fn rename(world: &World, from: &str, to: &str) {
    fs::rename(world.skills().join(from), world.skills().join(to)).unwrap();
}

fn configure(world: &World, text: &str) {
    write_files(&world.home.join(".skillc"), &[("config.toml", text)]);
}

#[test]
fn after_any_edit_the_catalog_matches_the_disk() {
    for (what, edit, known) in EDITS {
        let world = World::new();
        world.sync();
        assert_eq!(world.known_and_same(), 3);
        edit(&world);
        assert_eq!(world.known_and_same(), known, "{what}");
        world.sync();
        world.known_and_same();
    }
}

#[test]
fn disabled_skills_are_not_in_a_warm_catalog() {
    let world = World::new();
    world.sync();
    configure(&world, "[skills]\nenabled = false\n");
    assert_eq!(world.known_and_same(), 0);
}

#[test]
fn a_name_that_may_differ_from_the_directory_is_checked_again() {
    let world = World::new();
    rename(&world, "a", "z");
    configure(&world, "[catalog]\nname_mismatch = \"warn\"\n");
    world.sync();
    assert_eq!(world.known_and_same(), 3);
    configure(&world, "");
    assert_eq!(world.known_and_same(), 2);
}

#[cfg(unix)]
#[test]
fn a_retargeted_symlink_is_followed_to_its_new_target() {
    use std::os::unix::fs::symlink;

    let world = World::new();
    let (one, two) = (world.repo.join("one/d"), world.repo.join("two/d"));
    skill(&one, "");
    skill(&two, "version: 2\n");
    let link = world.skills().join("link");
    symlink(&one, &link).unwrap();
    world.sync();
    assert_eq!(world.known_and_same(), 4);
    fs::remove_file(&link).unwrap();
    symlink(&two, &link).unwrap();
    assert_eq!(world.known_and_same(), 3);
    // The symlink is in a parent path, not in one of the listed directories.
    let way = world.repo.join("way");
    symlink(world.repo.join("one"), &way).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(way.join("d"), &link).unwrap();
    world.sync();
    assert_eq!(world.known_and_same(), 4);
    fs::remove_file(&way).unwrap();
    symlink(world.repo.join("two"), &way).unwrap();
    assert_eq!(world.known_and_same(), 3);
    // The `SKILL.md` itself is a symlink.
    let main = world.skills().join("b/SKILL.md");
    for (name, text) in [("x.md", "X"), ("y.md", "Y")] {
        let text = format!("---\nname: b\ndescription: {text}\n---\n");
        write_files(&world.skills().join("b"), &[(name, &text)]);
    }
    fs::remove_file(&main).unwrap();
    symlink("x.md", &main).unwrap();
    world.sync();
    assert_eq!(world.known_and_same(), 4);
    fs::remove_file(&main).unwrap();
    symlink("y.md", &main).unwrap();
    assert_eq!(world.known_and_same(), 3);
}

#[test]
fn rows_of_another_version_are_not_trusted() {
    let world = World::new();
    world.sync();
    let toolkit = world.toolkit();
    let settings = settings(&toolkit.context).0;
    assert!(warm::catalog(&toolkit, &settings).is_some());
    let db = world.home.join(".skillc/registry").read_dir().unwrap();
    let db = db.flatten().map(|file| file.path());
    let db = db.filter(|path| path.extension().is_some_and(|kind| kind == "db"));
    for path in db {
        let mut registry = skillc_storage::SkillRegistry::open(&path).unwrap();
        let heads = registry.heads().unwrap();
        let sources = registry.sources().unwrap();
        let winners = registry
            .list(skillc_storage::SkillFilter::default())
            .unwrap();
        let snapshot = skillc_storage::skill_registry::Snapshot {
            winners: &winners,
            sources: &sources.rows,
            heads: &heads,
            skipped: 0,
            roots: &sources.roots,
            skc_version: "0.0.1",
            at_ms: 0,
        };
        registry.sync(&snapshot).unwrap();
    }
    assert!(warm::catalog(&toolkit, &settings).is_none());
}

/// catalog-files: a sync reuses unchanged rows of the registry, with the same result as reading every file.
#[test]
fn reused_rows_equal_those_read_from_disk() {
    let world = World::new();
    world.sync();
    world.sync();
    let taken = skill_list(&world.toolkit(), None, None, false, &mut Notes::default()).unwrap();
    fs::remove_dir_all(world.home.join(".skillc/registry")).unwrap();
    let read = skill_list(&world.toolkit(), None, None, false, &mut Notes::default()).unwrap();
    assert_eq!(taken, read);
}
