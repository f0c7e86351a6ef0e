//! Tests the catalog root and the search roots that are derived from it.

use std::fs;
use std::path::{Path, PathBuf};

use skillc_catalog::{Chain, Scope, Settings};

use crate::support::{World, configure, skill, write};

fn chain(world: &World) -> Chain {
    let (settings, notices) = world.settings();
    assert_eq!(notices, [""; 0]);
    Chain::new(&world.context, &settings.discovery)
}

/// Returns the scope, kind, distance and path of each root. Paths are relative to `world.base`.
fn roots(world: &World) -> Vec<(Scope, String, usize, String)> {
    let base = format!("{}/", world.base.display());
    let catalog = world.catalog();
    let roots = catalog.found().roots.iter().map(|seen| &seen.root);
    roots
        .map(|root| {
            let path = root.path.display().to_string().replace(&base, "");
            (root.scope, root.origin.to_string(), root.distance, path)
        })
        .collect()
}

/// CAT-DISC.6.
#[test]
fn the_nearest_marker_at_or_above_the_working_directory_is_the_root() {
    for marker in [".skillc/", ".codelia/", ".git/", ".git", ".jj/", ".jj"] {
        let world = World::new().working_in("a/b");
        let mark = world.repo.join("a").join(marker);
        if marker.ends_with('/') {
            fs::create_dir(mark).unwrap();
        } else {
            write(&mark, "gitdir: elsewhere\n");
        }
        let chain = chain(&world);
        assert_eq!(chain.root, world.repo.join("a"), "{marker}");
        assert_eq!(chain.dirs, ["a/b", "a"].map(|dir| world.repo.join(dir)));
    }
}

/// CAT-DISC.6.
#[test]
fn without_a_marker_only_the_working_directory_is_searched() {
    let mut world = World::new();
    world.context.cwd = world.base.join("plain/deep");
    fs::create_dir_all(&world.context.cwd).unwrap();
    skill(world.base.join("plain/.agents/skills/x"));
    let chain = chain(&world);
    assert_eq!(chain.root, world.context.cwd);
    assert_eq!(chain.dirs, [world.context.cwd.clone()]);
    assert_eq!(world.names(), [""; 0]);
}

/// CAT-DISC.6: the markers can be configured, even as an empty list.
#[test]
fn markers_are_a_setting() {
    let world = World::new().working_in("a/b");
    write(&world.repo.join("a/WORKSPACE"), "");
    configure(&world.home, "[catalog]\nmarkers = [\"WORKSPACE\"]\n");
    assert_eq!(chain(&world).root, world.repo.join("a"));
    configure(&world.home, "[catalog]\nmarkers = []\n");
    assert_eq!(chain(&world).root, world.repo.join("a/b"));
}

/// Logs that an agent's session leaves in a working directory do not turn the directory into a project.
#[test]
fn local_logs_alone_are_not_a_marker() {
    let world = World::new().working_in("a");
    fs::create_dir_all(world.repo.join("a/.skillc/logs")).unwrap();
    assert_eq!(chain(&world).root, world.repo);
    fs::create_dir_all(world.repo.join("a/.skillc/skills")).unwrap();
    assert_eq!(chain(&world).root, world.repo.join("a"));
}

/// CAT-DISC.7.
#[test]
fn a_variable_sets_the_root_regardless_of_markers() {
    let mut world = World::new().working_in("a/b");
    let elsewhere = world.base.join("elsewhere");
    skill(elsewhere.join(".agents/skills/there"));
    skill(world.repo.join(".agents/skills/here"));
    fs::create_dir(world.repo.join("a/.git")).unwrap();
    world.env("CODELIA_AGENTS_ROOT", world.repo.clone().to_str().unwrap());
    assert_eq!(chain(&world).dirs.len(), 3);
    assert_eq!(world.names(), ["here"]);
    world.env("SKILLC_AGENTS_ROOT", elsewhere.to_str().unwrap());
    assert_eq!(chain(&world).dirs, [elsewhere]);
    assert_eq!(world.names(), ["there"]);
    world.env("SKILLC_AGENTS_ROOT", "..");
    assert_eq!(chain(&world).root, world.repo.join("a"));
}

/// CAT-DISC.7: an invalid value is ignored with a warning.
#[test]
fn a_variable_that_names_no_directory_is_ignored() {
    let mut world = World::new();
    world.env("SKILLC_AGENTS_ROOT", "/nowhere/at/all");
    let (settings, notices) = world.settings();
    assert_eq!(settings.discovery.root, None);
    let expected =
        "warning[W020]: SKILLC_AGENTS_ROOT: '/nowhere/at/all' is not a directory; ignored";
    assert_eq!(notices, [expected]);
}

/// CAT-DISC.8.
#[test]
fn the_store_of_a_home_does_not_make_it_a_project() {
    let mut world = World::new();
    world.context.cwd = world.home.join("a/b");
    fs::create_dir_all(&world.context.cwd).unwrap();
    fs::create_dir_all(world.home.join(".skillc/skills")).unwrap();
    assert_eq!(chain(&world).root, world.context.cwd);
    // The store in the user's home directory is not a marker, even if another home directory is configured.
    world.context.user_home = world.home.clone();
    world.context.home = world.base.join("other");
    assert_eq!(chain(&world).root, world.context.cwd);
}

#[test]
fn roots_are_in_order_of_precedence() {
    let world = World::new().working_in("a");
    configure(
        &world.home,
        "[catalog]\nextra_roots = [\"~/more\", \"/far\"]\n",
    );
    let root = |scope, origin: &str, distance, path: &str| {
        (scope, origin.to_owned(), distance, path.to_owned())
    };
    let expected = [
        root(Scope::Repo, "skillc", 0, "repo/a/.skillc/skills"),
        root(Scope::Repo, "agents", 0, "repo/a/.agents/skills"),
        root(Scope::Repo, "skillc", 1, "repo/.skillc/skills"),
        root(Scope::Repo, "agents", 1, "repo/.agents/skills"),
        root(Scope::User, "skillc", 0, "home/.skillc/skills"),
        root(Scope::User, "agents", 0, "home/.agents/skills"),
        root(Scope::User, "extra", 0, "home/more"),
        root(Scope::User, "extra", 0, "/far"),
    ];
    assert_eq!(roots(&world), expected);
}

/// CAT-DISC.9, CAT-DISC.11: the directories in the table of clients are added, without system-wide folders and
/// duplicates.
#[test]
fn a_configured_client_adds_its_directories() {
    let world = World::new();
    let text = "[catalog]\nroots = [\"codex\", \"agents\", \"claude-code\", \"codex\"]\n";
    configure(&world.home, text);
    let root = |scope, origin: &str, path: &str| (scope, origin.to_owned(), 0, path.to_owned());
    let expected = [
        root(Scope::Repo, "codex", "repo/.agents/skills"),
        root(Scope::Repo, "codex", "repo/.codex/skills"),
        root(Scope::Repo, "claude-code", "repo/.claude/skills"),
        root(Scope::User, "codex", "home/.agents/skills"),
        root(Scope::User, "codex", "home/.codex/skills"),
        root(Scope::User, "claude-code", "home/.claude/skills"),
    ];
    assert_eq!(roots(&world), expected);
}

/// CAT-DISC.11.
#[test]
fn a_skill_has_project_or_user_scope() {
    let schema = serde_json::to_value(schemars::schema_for!(Listed)).unwrap();
    let words: Vec<String> = schema["$defs"]["Scope"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word["const"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(words, ["repo", "user"]);
    assert_eq!(Scope::named("project"), Some(Scope::Repo));
    assert_eq!(Scope::named("global"), Some(Scope::User));
    assert_eq!(Scope::named("admin"), None);
}

/// The type whose schema is checked.
type Listed = skillc_catalog::SkillCatalog<'static>;

/// A working directory reached through a symlink has the roots of its canonical path.
#[cfg(unix)]
#[test]
fn a_symlinked_working_directory_is_resolved() {
    let mut world = World::new();
    let deep = world.repo.join("deep");
    fs::create_dir(&deep).unwrap();
    let link: PathBuf = world.base.join("link");
    std::os::unix::fs::symlink(&deep, &link).unwrap();
    world.context.cwd = link;
    let chain = Chain::new(&world.context, &Settings::default().discovery);
    assert_eq!(chain.working_dir, deep);
    assert_eq!(chain.root, Path::new(&world.repo));
}
