//! The `[registry]` and `[mcp]` tables of the configuration.

use std::fs;
use std::path::Path;

use jsonschema::validator_for;
use skillc_core::config::{Config, RegistrySettings, Toolset};
use skillc_tests::World;

fn configure(root: &Path, text: &str) {
    fs::create_dir_all(root.join(".skillc")).expect("a directory");
    fs::write(root.join(".skillc/config.toml"), text).expect("a file");
}

/// Returns the settings and the warnings.
fn settings(world: &World) -> (RegistrySettings, Toolset, Vec<String>) {
    let (config, notices) = Config::read(&world.context_at(&world.cwd));
    let said = notices.iter().map(ToString::to_string).collect();
    (config.registry, config.toolset, said)
}

#[test]
fn defaults_are_no_path_not_strict_and_all_tools() {
    let world = World::project();
    let unset = RegistrySettings {
        db: None,
        strict: false,
    };
    assert_eq!(settings(&world), (unset, Toolset::All, Vec::new()));
}

/// D5: a project's value applies only if the user has not set the key.
#[test]
fn the_user_takes_precedence_over_the_project_key_by_key() {
    let world = World::project();
    configure(&world.home, "[registry]\npath = \"~/a.db\"\n");
    configure(
        &world.cwd,
        "[registry]\nstrict = true\n[mcp]\ntoolset = \"catalog\"\n",
    );
    let db = Some(world.home.join("a.db"));
    let strict = |strict| RegistrySettings {
        db: db.clone(),
        strict,
    };
    assert_eq!(
        settings(&world),
        (strict(true), Toolset::Catalog, Vec::new())
    );
    configure(
        &world.home,
        "[registry]\nstrict = false\npath = \"~/a.db\"\n[mcp]\ntoolset = \"skc\"\n",
    );
    assert_eq!(settings(&world), (strict(false), Toolset::Skc, Vec::new()));
}

#[test]
fn relative_paths_are_below_the_home_and_the_variable_takes_precedence() {
    let mut world = World::project();
    configure(&world.home, "[registry]\npath = \"in/a.db\"\n");
    assert_eq!(settings(&world).0.db, Some(world.home.join("in/a.db")));
    world.set("SKILLC_REGISTRY_DB", "b.db");
    assert_eq!(settings(&world).0.db, Some(world.cwd.join("b.db")));
    world.set("SKILLC_REGISTRY_DB", "~/c.db");
    assert_eq!(settings(&world).0.db, Some(world.home.join("c.db")));
    world.set("SKILLC_REGISTRY_DB", "");
    assert_eq!(settings(&world).0.db, Some(world.home.join("in/a.db")));
}

#[test]
fn a_project_cannot_set_the_database_path() {
    let world = World::project();
    configure(&world.home, "[registry]\npath = \"~/a.db\"\n");
    configure(&world.cwd, "[registry]\npath = \"~/.bashrc\"\n");
    let (registry, _, said) = settings(&world);
    assert_eq!(registry.db, Some(world.home.join("a.db")));
    assert_eq!(said.len(), 1, "{said:?}");
    let words = "registry.path is only honoured in the user's configuration file; ignored";
    assert!(said[0].contains(words), "{said:?}");
}

#[test]
fn invalid_settings_are_reported_once_and_ignored() {
    let cases = [
        ("registry = 1", "'registry' is not a table"),
        ("mcp = \"all\"", "'mcp' is not a table"),
        ("[registry]\npath = 5", "registry.path: 5 is not a path"),
        (
            "[registry]\npath = \"\"",
            "registry.path: \"\" is not a path",
        ),
        (
            "[registry]\nstrict = \"yes\"",
            "registry.strict: \"yes\" is neither true nor false",
        ),
        ("[registry]\ndb = \"x\"", "unknown key 'registry.db'"),
        (
            "[mcp]\ntoolset = \"ALL\"",
            "mcp.toolset: \"ALL\" is not one of \"skc\", \"catalog\", \"all\"",
        ),
        (
            "[mcp]\ntoolset = [\"skc\"]",
            "mcp.toolset: [\"skc\"] is not one of",
        ),
        ("[mcp]\ntools = 1", "unknown key 'mcp.tools'"),
    ];
    for (text, words) in cases {
        let world = World::project();
        configure(&world.home, text);
        let (registry, toolset, said) = settings(&world);
        let read = (registry, toolset);
        assert_eq!(read, (RegistrySettings::default(), Toolset::All), "{text}");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("warning[W020]: "), "{said:?}");
        assert!(said[0].contains(words), "{words} in {said:?}");
    }
}

#[test]
fn the_schema_has_the_same_settings() {
    let schema = World::new().skc(["schema", "config"]).success().json();
    let schema = validator_for(&schema).expect("a schema");
    let is_valid = |text: &str| {
        let value: serde_json::Value = toml::from_str(text).expect("TOML");
        schema.is_valid(&value)
    };
    assert!(is_valid("[registry]\npath = \"~/a.db\"\nstrict = true"));
    assert!(is_valid("[mcp]\ntoolset = \"catalog\""));
    assert!(!is_valid("[registry]\nstrict = 1"));
    assert!(!is_valid("[registry]\nname = \"a\""));
    assert!(!is_valid("[mcp]\ntoolset = \"none\""));
}
