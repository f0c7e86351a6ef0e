//! Location of the database.

use std::fs;

use skillc_core::hash::Sha;
use skillc_tests::World;

use crate::registry::support::{db, get, listed, registry, sync, with, write};

/// Returns the path of the database for a list of directories.
fn hash16(world: &World, dirs: &[String]) -> String {
    let digits = Sha::digest(dirs.join("\n").as_bytes()).to_string();
    format!(
        "{}/.skillc/registry/{}.db",
        world.home.display(),
        &digits[..16]
    )
}

#[test]
fn the_database_is_named_after_its_list_of_directories() {
    let world = with(&["a"]);
    let (cwd, home) = (world.cwd.display(), world.home.display());
    let dirs = [
        format!("{cwd}/.skillc/skills"),
        format!("{cwd}/.agents/skills"),
        format!("{home}/.skillc/skills"),
        format!("{home}/.agents/skills"),
    ];
    assert_eq!(db(&world).to_str(), Some(&*hash16(&world, &dirs)));
    let named = registry(&world, &["path", "--root", "one", "--root", "two"]);
    let dirs = [format!("{cwd}/one"), format!("{cwd}/two")];
    let json = named.success().json();
    assert_eq!(json["path"], hash16(&world, &dirs));
    assert_eq!(json["exists"], false);
}

#[test]
fn registry_path_prints_one_line() {
    let world = with(&["a"]);
    let expected = format!("{}\n", db(&world).display());
    assert_eq!(world.skc(["registry", "path"]).success().text(), expected);
    sync(&world);
    let json = registry(&world, &["path"]).success().json();
    assert_eq!(json["exists"], true);
}

#[test]
fn the_option_overrides_the_variable_which_overrides_the_file() {
    let mut world = with(&["a"]);
    let config = world.home.join(".skillc/config.toml");
    fs::create_dir_all(config.parent().expect("a parent")).expect("a directory");
    fs::write(config, "[registry]\npath = \"~/file.db\"\n").expect("a file");
    assert_eq!(db(&world), world.home.join("file.db"));
    world.set("SKILLC_REGISTRY_DB", "variable.db");
    assert_eq!(db(&world), world.cwd.join("variable.db"));
    let synced = registry(&world, &["sync", "--db", "in/option.db"]).success();
    let option = world.cwd.join("in/option.db");
    assert_eq!(synced.json()["db"], option.to_str().expect("a text"));
    assert!(option.is_file() && !db(&world).exists());
    sync(&world);
    assert!(db(&world).is_file());
    assert_eq!(listed(&world, &[]), "a");
    assert!(!world.home.join(".skillc/registry").exists());
}

/// D12: even if all directories share one database, a directory never sees the skills of other directories.
#[test]
fn a_shared_database_is_updated_before_it_is_read_elsewhere() {
    let mut world = with(&["a"]);
    let config = world.home.join(".skillc/config.toml");
    write(&config, "[registry]\npath = \"~/file.db\"\n");
    let ours = world.cwd.clone();
    let [other, empty] = ["other", "empty"].map(|name| ours.join(name));
    for dir in [&other, &empty] {
        fs::create_dir_all(dir.join(".git")).expect("a directory");
    }
    let text = "---\nname: a\ndescription: Not ours.\n---\n";
    write(&other.join(".agents/skills/a/SKILL.md"), text);
    sync(&world);
    world.cwd.clone_from(&other);
    sync(&world);
    assert_eq!(get(&world, "a")["description"], "Not ours.");
    world.cwd.clone_from(&ours);
    let row = get(&world, "a");
    assert_eq!(row["description"], "Does a things.");
    assert_eq!(
        row["root"],
        ours.join(".agents/skills/a").to_str().expect("text")
    );
    // The path is absolute, because a relative path would not show to which directory the skill belongs.
    let shown = world.skc(["registry", "get", "a"]).success();
    let file = ours.join(".agents/skills/a/SKILL.md");
    let line = format!("file          {}\n", file.display());
    assert!(shown.text().contains(&line), "{}", shown.text());
    world.cwd.clone_from(&other);
    assert_eq!(listed(&world, &["--search", "not ours"]), "a");
    // A database given as an option may contain the skills of any directory.
    world.cwd.clone_from(&ours);
    let file = world.home.join("file.db");
    let file = file.to_str().expect("text");
    assert_eq!(listed(&world, &["--db", file, "--search", "not ours"]), "a");
    // Without skills in this directory, no rows are listed, but the rows of other directories are kept.
    world.cwd = empty;
    assert_eq!(listed(&world, &[]), "");
    let missing = registry(&world, &["get", "a"]);
    assert!(missing.stderr.contains("error[E001]: "), "{missing:?}");
    assert_eq!(listed(&world, &["--db", file, "--search", "not ours"]), "a");
    write(
        &config,
        "[skills]\nenabled = false\n[registry]\npath = \"~/file.db\"\n",
    );
    world.cwd = ours;
    assert_eq!(listed(&world, &[]), "");
}

/// catalog-files: the registry is a cache and does not belong in the project.
#[test]
fn nothing_is_written_into_the_project() {
    let world = with(&["a"]);
    let before = skillc_tests::snapshot(&world.cwd);
    sync(&world);
    listed(&world, &[]);
    assert_eq!(skillc_tests::snapshot(&world.cwd), before);
}

/// catalog-files: recently used registries are kept.
#[test]
fn unused_registries_are_deleted() {
    use std::time::{Duration, UNIX_EPOCH};

    let world = with(&["a"]);
    sync(&world);
    let folder = world.home.join(".skillc/registry");
    let touch = |name: &str, days: u64| {
        let path = folder.join(name);
        fs::copy(db(&world), &path).expect("a copy");
        let file = fs::File::options()
            .append(true)
            .open(&path)
            .expect("a file");
        let at = UNIX_EPOCH + Duration::from_secs(1_769_847_300 - days * 86_400);
        file.set_modified(at).expect("a time");
        path
    };
    let (old, new) = (
        touch("00000000000000aa.db", 91),
        touch("00000000000000bb.db", 89),
    );
    let mine = touch("mine.db", 91);
    sync(&world);
    assert!(!old.exists() && new.exists() && mine.exists());
}
