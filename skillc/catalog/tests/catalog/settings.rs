//! Tests the catalog's settings, and the warnings about invalid settings.

use std::fs;

use skillc_catalog::settings::{Inject, NameMismatch, OnCollision};
use skillc_catalog::{CatalogEntry, Settings};
use skillc_core::config::Config;

use crate::support::{World, configure, names, skill};

const EVERYTHING: &str = r#"
version = 1
[skills]
enabled = true
[skills.initial]
max_entries = 1
max_bytes = 2
inject = "prompt"
[skills.search]
default_limit = 3
max_limit = 4
model = "~/model"
[skills.load]
max_files = 5
max_listing_bytes = 6
max_body_bytes = 7
[[skills.override]]
name = "old-helper"
enabled = false
[catalog]
roots = ["agents", "claude"]
extra_roots = ["~/more"]
markers = [".hg"]
max_depth = 8
max_dirs = 9
follow_symlinks = false
name_mismatch = "warn"
on_collision = "nearest"
[permissions]
default = "confirm"
allow = [{ tool = "skill_load", skill_name = "repo-review" }]
deny = [{ tool = "skill_load", skill_name = "danger" }]
trust_projects = ["~/work"]
"#;

/// A user configuration that trusts the project.
const TRUST: &str = "[permissions]\ntrust_projects = [\"REPO\"]\n";

/// Reads the settings from a user's and a project's configuration. Returns the settings and the warnings. `REPO` in the
/// user's configuration is replaced with the path of the project.
fn settings_of(home: &str, project: &str) -> (Settings, Vec<String>) {
    let world = World::new();
    let home = home.replace("REPO", &world.repo.display().to_string());
    configure(&world.home, &home);
    configure(&world.repo, project);
    let base = format!("{}/", world.base.display());
    let (settings, notices) = world.settings();
    let notices = notices.iter().map(|notice| notice.replace(&base, ""));
    (settings, notices.collect())
}

fn home(text: &str) -> (Settings, Vec<String>) {
    settings_of(text, "")
}

/// Every key of the catalog is recognized, and the general configuration reader does not warn about these keys.
#[test]
fn the_whole_configuration_is_understood() {
    let world = World::new();
    configure(&world.home, EVERYTHING);
    let (settings, notices) = world.settings();
    assert_eq!(notices, [""; 0]);
    let (_, notices) = Config::read(&world.context);
    assert_eq!(notices, []);
    let Settings {
        initial,
        search,
        model,
        load,
        discovery,
        ..
    } = settings;
    assert_eq!((initial.max_entries, initial.max_bytes), (1, 2));
    assert_eq!(initial.inject, Inject::Prompt);
    assert_eq!((search.default_limit, search.max_limit), (3, 4));
    assert_eq!(model, Some(world.home.join("model")));
    assert_eq!(
        (load.max_files, load.max_listing_bytes, load.max_body_bytes),
        (5, 6, 7)
    );
    assert_eq!(discovery.project.roots, ["agents", "claude"]);
    assert_eq!(discovery.extra_roots, [world.home.join("more")]);
    assert_eq!(discovery.markers, [".hg"]);
    assert_eq!(
        (discovery.project.max_depth, discovery.project.max_dirs),
        (8, 9)
    );
    assert!(!discovery.project.follow_symlinks);
    assert_eq!(discovery.project.name_mismatch, NameMismatch::Warn);
    assert_eq!(discovery.on_collision, OnCollision::Nearest);
}

/// CAT-CONF.1.
#[test]
fn skills_can_be_disabled_altogether() {
    let mut world = World::new();
    skill(world.repo.join(".agents/skills/x"));
    assert!(world.settings().0.enabled);
    configure(&world.home, "[skills]\nenabled = false\n");
    let catalog = world.catalog();
    assert_eq!(names(&catalog), [""; 0]);
    assert!(catalog.found().roots[1].exists);
    world.env("SKILLC_SKILLS_ENABLED", "1");
    assert_eq!(world.names(), ["x"]);
    configure(&world.home, "");
    world.env("SKILLC_SKILLS_ENABLED", "0");
    assert_eq!(world.names(), [""; 0]);
    world.env("SKILLC_SKILLS_ENABLED", "no");
    let (catalog, notices) = world.read();
    assert_eq!(names(&catalog), ["x"]);
    let expected = "warning[W020]: SKILLC_SKILLS_ENABLED: 'no' is neither 0 nor 1; ignored";
    assert_eq!(notices, [expected]);
}

/// CAT-CONF.2, CAT-CONF.3.
#[test]
fn default_limits_match_the_specification() {
    let (settings, notices) = home("");
    assert_eq!(notices, [""; 0]);
    assert_eq!(settings, Settings::default());
    assert_eq!(settings.initial.max_entries, 200);
    assert_eq!(settings.initial.max_bytes, 32_768);
    assert_eq!(settings.initial.inject, Inject::Instructions);
    assert_eq!(settings.search.default_limit, 8);
    assert_eq!(settings.search.max_limit, 50);
    assert_eq!(settings.load.max_files, 200);
    assert_eq!(settings.load.max_listing_bytes, 16_384);
    assert_eq!(settings.load.max_body_bytes, 524_288);
    assert_eq!(settings.discovery.project.roots, ["skillc", "agents"]);
    assert_eq!(
        settings.discovery.markers,
        [".skillc", ".codelia", ".git", ".jj"]
    );
    assert_eq!(settings.discovery.project.max_depth, 6);
    assert_eq!(settings.discovery.project.max_dirs, 2_000);
}

/// CAT-CONF.4.
#[test]
fn four_keys_have_an_alias() {
    let text = "[skills.initial]\nmaxEntries = 1\nmaxBytes = 2\n[skills.search]\ndefaultLimit = 3\nmaxLimit = 4\n";
    let (settings, notices) = home(text);
    assert_eq!(notices, [""; 0]);
    let Settings {
        initial, search, ..
    } = settings;
    assert_eq!((initial.max_entries, initial.max_bytes), (1, 2));
    assert_eq!((search.default_limit, search.max_limit), (3, 4));
    let (_, notices) = home("[skills.load]\nmaxFiles = 1\n");
    assert_eq!(notices.len(), 1);
}

/// CAT-CONF.4.
#[test]
fn of_two_spellings_the_one_with_an_underscore_takes_precedence() {
    for text in [
        "maxEntries = 1\nmax_entries = 2",
        "max_entries = 2\nmaxEntries = 1",
    ] {
        let (settings, notices) = home(&format!("[skills.initial]\n{text}\n"));
        assert_eq!(settings.initial.max_entries, 2);
        let expected = "warning[W020]: home/.skillc/config.toml: skills.initial.maxEntries is ignored: it is an alias of max_entries, which is also set";
        assert_eq!(notices, [expected]);
    }
    // If the other file uses the alias, both files set the same key, and the project's value takes precedence.
    let (settings, notices) = settings_of(
        &format!("[skills.initial]\nmax_entries = 1\n{TRUST}"),
        "[skills.initial]\nmaxEntries = 2\n",
    );
    assert_eq!((settings.initial.max_entries, notices.len()), (2, 0));
}

/// CAT-CONF.5.
#[test]
fn numbers_must_be_positive_integers() {
    for value in ["\"many\"", "0", "-1", "1.5", "true", "[1]", "9999999999999"] {
        let (settings, notices) = home(&format!("[skills.initial]\nmax_entries = {value}\n"));
        assert_eq!(settings.initial.max_entries, 200, "{value}");
        let expected = format!(
            "warning[W020]: home/.skillc/config.toml: skills.initial.max_entries: {value} is not a whole number from 1 to 1000000; ignored"
        );
        assert_eq!(notices, [expected]);
    }
}

/// CAT-CONF.5.
#[test]
fn a_default_limit_above_the_maximum_is_clamped() {
    let (settings, notices) = home("[skills.search]\ndefault_limit = 60\n");
    assert_eq!(settings.search.default_limit, 50);
    assert_eq!(notices, [""; 0]);
    let (settings, _) = settings_of(
        "[skills.search]\ndefault_limit = 6\n",
        "[skills.search]\nmax_limit = 5\n",
    );
    assert_eq!(settings.search.default_limit, 5);
}

/// CAT-CONF.6.
#[test]
fn each_key_falls_back_from_project_to_user_to_default() {
    let home = "[skills.initial]\nmax_entries = 1\nmax_bytes = 2\ninject = \"off\"\n[catalog]\nmax_depth = 3\n";
    let (settings, notices) = settings_of(
        &format!("{home}{TRUST}"),
        "[skills.initial]\nmax_entries = 4\ninject = \"prompt\"\n",
    );
    assert_eq!(notices, [""; 0]);
    assert_eq!(settings.initial.max_entries, 4);
    assert_eq!(settings.initial.max_bytes, 2);
    assert_eq!(settings.initial.inject, Inject::Prompt);
    assert_eq!(settings.discovery.project.max_depth, 3);
    assert_eq!(settings.search.max_limit, 50);
}

/// CAT-CONF.6, D24.
#[test]
fn an_untrusted_project_cannot_raise_limits_or_expose_more() {
    let text = |number: usize, inject: &str| {
        format!(
            "[skills.initial]\nmax_entries = {number}\nmax_bytes = {number}\ninject = \"{inject}\"\n\
             [skills.search]\ndefault_limit = {number}\nmax_limit = {number}\n\
             [skills.load]\nmax_files = {number}\nmax_listing_bytes = {number}\nmax_body_bytes = {number}\n\
             [catalog]\nmax_depth = {number}\nmax_dirs = {number}\n"
        )
    };
    let numbers = |settings: &Settings| {
        let (initial, search) = (settings.initial, settings.search);
        let load = settings.load;
        [
            initial.max_entries,
            initial.max_bytes,
            search.default_limit,
            search.max_limit,
            load.max_files,
            load.max_listing_bytes,
            load.max_body_bytes,
        ]
    };
    let (settings, notices) = settings_of(&text(5, "prompt"), &text(100, "instructions"));
    assert_eq!(notices, [""; 0]);
    assert_eq!(numbers(&settings), [5; 7]);
    assert_eq!(settings.initial.inject, Inject::Prompt);
    // The project's limits in `[catalog]` apply only to the search for the project's skills.
    assert_eq!(settings.discovery.project.max_depth, 100);
    assert_eq!(settings.discovery.user.max_depth, 5);

    let (settings, _) = settings_of("", &text(1_000_000, "instructions"));
    assert_eq!(numbers(&settings), numbers(&Settings::default()));

    // A project can lower limits. Its limits for loading apply only to the project's own skills.
    let (settings, _) = settings_of(&text(5, "prompt"), &text(3, "off"));
    assert_eq!(numbers(&settings), [3; 7]);
    assert_eq!(settings.initial.inject, Inject::Off);
    assert_eq!(settings.load_limits(false).max_body_bytes, 3);
    assert_eq!(settings.load_limits(true).max_body_bytes, 5);

    let home = format!("{}{TRUST}", text(5, "prompt"));
    let (settings, _) = settings_of(&home, &text(100, "instructions"));
    assert_eq!(numbers(&settings), [100; 7]);
    assert_eq!(settings.initial.inject, Inject::Instructions);
    assert_eq!(settings.load_limits(true), settings.load_limits(false));
}

#[test]
fn invalid_settings_are_ignored_with_a_warning() {
    for (text, reason) in [
        ("[skills]\nodd = 1\n", "unknown key 'skills.odd'; ignored"),
        (
            "[skills.load]\nodd = 1\n",
            "unknown key 'skills.load.odd'; ignored",
        ),
        ("[catalog]\nodd = 1\n", "unknown key 'catalog.odd'; ignored"),
        (
            "[permissions]\nodd = 1\n",
            "unknown key 'permissions.odd'; ignored",
        ),
        ("skills = 1\n", "'skills' is not a table; ignored"),
        ("catalog = []\n", "'catalog' is not a table; ignored"),
        (
            "[skills]\nenabled = 1\n",
            "skills.enabled: 1 is neither true nor false; ignored",
        ),
        (
            "[skills.initial]\ninject = \"x\"\n",
            "skills.initial.inject: \"x\" is not one of \"instructions\", \"prompt\", \"off\"; ignored",
        ),
        (
            "[catalog]\nroots = [\"agents\", \"nobody\"]\n",
            "catalog.roots: 'nobody' is neither \"skillc\" nor a known client; ignored",
        ),
        (
            "[catalog]\nroots = \"agents\"\n",
            "catalog.roots: \"agents\" is not a list; ignored",
        ),
        (
            "[catalog]\nmarkers = [\"a/b\"]\n",
            "catalog.markers: 'a/b' is not a file name; ignored",
        ),
        (
            "[catalog]\nextra_roots = [3]\n",
            "catalog.extra_roots: 3 is not a string; ignored",
        ),
    ] {
        let (_, notices) = home(text);
        let expected = format!("warning[W020]: home/.skillc/config.toml: {reason}");
        assert_eq!(notices, [expected], "{text}");
    }
}

/// An override in a trusted project takes precedence over the user's override, and an override by file over an override
/// by name.
#[test]
fn overrides_are_merged_and_the_later_takes_precedence() {
    let world = World::new();
    let root = world.repo.join(".agents/skills");
    let files = ["a", "b", "c"].map(|name| skill(root.join(name)));
    skill(world.home.join(".agents/skills/b"));
    let switch = |key: &str, value: &str, enabled: bool| {
        format!("[[skills.override]]\n{key} = \"{value}\"\nenabled = {enabled}\n")
    };
    let home = [
        switch("name", "a", false),
        switch("name", " B ", false),
        switch("path", files[1].to_str().unwrap(), true),
        switch("path", root.join("c").to_str().unwrap(), false),
    ];
    let trust = TRUST.replace("REPO", &world.repo.display().to_string());
    configure(&world.home, &format!("{}{trust}", home.concat()));
    let project = [switch("name", "a", true), switch("path", "nothing", false)];
    configure(&world.repo, &project.concat());
    let catalog = world.catalog();
    let skills = catalog.skills().iter();
    let on: Vec<(&str, bool)> = skills
        .map(|entry| (entry.name.as_str(), entry.enabled))
        .collect();
    assert_eq!(on, [("a", true), ("b", true), ("c", false), ("b", false)]);
    let CatalogEntry { name, path, .. } = &catalog.skills()[0];
    let switch = catalog.settings.switches.find(name, path).unwrap();
    assert_eq!(switch.file, world.repo.join(".skillc/config.toml"));
}

/// D24: a skill that the user has disabled, by name or by path, stays disabled.
#[test]
fn an_untrusted_project_cannot_enable_a_skill_that_the_user_has_disabled() {
    let switch = |key: &str, value: &str, enabled: bool| {
        format!("[[skills.override]]\n{key} = \"{value}\"\nenabled = {enabled}\n")
    };
    let own = "~/.agents/skills/a";
    for (home, project, is_on) in [
        (("name", "a", false), ("name", "a", true), false),
        (("name", "a", false), ("path", own, true), false),
        (("path", own, false), ("name", "a", true), false),
        (("path", own, false), ("path", own, true), false),
        (("name", "a", true), ("path", own, false), false),
        (("path", own, true), ("name", "a", false), true),
        (("name", "b", false), ("name", "a", true), true),
    ] {
        let world = World::new();
        skill(world.home.join(".agents/skills/a"));
        configure(&world.home, &switch(home.0, home.1, home.2));
        configure(&world.repo, &switch(project.0, project.1, project.2));
        let catalog = world.catalog();
        let [only] = catalog.skills() else { panic!() };
        assert_eq!(only.enabled, is_on, "{home:?} {project:?}");
        if !home.2 && !is_on {
            let switch = catalog.settings.switches.find(&only.name, &only.path);
            let file = &switch.unwrap().file;
            assert_eq!(*file, world.home.join(".skillc/config.toml"));
        }
    }
}

#[test]
fn an_invalid_override_is_ignored_with_a_warning() {
    for (text, reason) in [
        ("enabled = false", "either 'name' or 'path' is required"),
        (
            "name = \"a\"\npath = \"b\"\nenabled = false",
            "either 'name' or 'path' is required",
        ),
        (
            "name = \"a*\"\nenabled = false",
            "'name' is not a valid skill name",
        ),
        ("path = 1\nenabled = false", "'path' is not a path"),
        ("name = \"a\"", "'enabled' is neither true nor false"),
        (
            "name = \"a\"\nenabled = 0",
            "'enabled' is neither true nor false",
        ),
    ] {
        let (settings, notices) = home(&format!("[[skills.override]]\n{text}\n"));
        assert_eq!(settings.switches, Settings::default().switches);
        let expected = format!(
            "warning[W020]: home/.skillc/config.toml: skills.override 1: {reason}; ignored"
        );
        assert_eq!(notices, [expected], "{text}");
    }
}

/// A cloned repository must not be able to make skillc read the user's files.
#[test]
fn a_project_cannot_add_roots() {
    let (settings, notices) = settings_of("", "[catalog]\nextra_roots = [\"/etc\"]\n");
    assert!(settings.discovery.extra_roots.is_empty());
    let expected = "warning[W020]: repo/.skillc/config.toml: catalog.extra_roots is only honoured in the user's configuration file; ignored";
    assert_eq!(notices, [expected]);
}

/// R42, D24.
#[test]
fn a_project_cannot_set_the_model() {
    let project = "[skills.search]\nmodel = \"/etc\"\n";
    for home in ["", TRUST] {
        let (settings, notices) = settings_of(home, project);
        assert_eq!(settings.model, None);
        let expected = "warning[W020]: repo/.skillc/config.toml: skills.search.model is only honoured in the user's configuration file; ignored";
        assert_eq!(notices, [expected]);
    }
}

/// One of the user's rules may apply to a single root. A cloned repository must not be able to pose as another root.
#[test]
fn a_project_cannot_move_the_root() {
    let project = "[catalog]\nmarkers = [\"nothing\"]\n";
    let (settings, notices) = settings_of("", project);
    let default = Settings::default();
    assert_eq!(settings.discovery.markers, default.discovery.markers);
    let expected = "warning[W020]: repo/.skillc/config.toml: catalog.markers in a project is only honoured if \
        permissions.trust_projects in the user's configuration file lists the project; ignored";
    assert_eq!(notices, [expected]);
    let world = World::new();
    let trust = format!("[permissions]\ntrust_projects = [{:?}]\n", world.repo);
    configure(&world.home, &trust);
    configure(&world.repo, project);
    assert_eq!(world.settings().0.discovery.markers, ["nothing"]);
}

/// The catalog does not report invalid files, because the general configuration reader reports them.
#[test]
fn a_broken_file_is_skipped_silently() {
    for text in ["[skills\n", "version = 0\n[skills]\nenabled = false\n"] {
        let (settings, notices) = home(text);
        assert_eq!(settings, Settings::default(), "{text}");
        assert_eq!(notices, [""; 0]);
    }
}

/// Skills in roots that the user adds have user scope.
#[test]
fn extra_roots_are_searched() {
    let world = World::new();
    skill(world.home.join("more/x"));
    configure(
        &world.home,
        "[catalog]\nextra_roots = [\"~/more\", \"gone\"]\n",
    );
    let catalog = world.catalog();
    let [only] = catalog.skills() else { panic!() };
    assert_eq!(
        (only.scope.as_str(), only.origin.as_str()),
        ("user", "extra")
    );
    fs::remove_dir_all(world.home.join("more")).unwrap();
    assert_eq!(world.names(), [""; 0]);
}
