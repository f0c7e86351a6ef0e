//! The `[audit]` table of the configuration.

use std::fs;
use std::path::Path;

use skillc_core::config::{Audit, Config};
use skillc_core::testkit::NOW;
use skillc_core::time::Timestamp;
use skillc_tests::World;

fn configure(root: &Path, text: &str) {
    fs::create_dir_all(root.join(".skillc")).expect("a directory");
    fs::write(root.join(".skillc/config.toml"), text).expect("a file");
}

/// Returns the settings and the warnings.
fn settings(world: &World) -> (Audit, Vec<String>) {
    let (config, notices) = Config::read(&world.context_at(&world.cwd));
    let said = notices.iter().map(ToString::to_string).collect();
    (config.audit, said)
}

#[test]
fn calls_are_kept_for_ninety_days_by_default() {
    let world = World::project();
    let (audit, said) = settings(&world);
    assert!(audit.enabled && said.is_empty(), "{said:?}");
    assert_eq!(
        audit.keeps_from(NOW),
        Timestamp::parse("2025-11-02T08:15:00Z")
    );
    configure(
        &world.home,
        "[audit]\nenabled = false\nretention_days = 1\n",
    );
    let (audit, said) = settings(&world);
    assert!(!audit.enabled && said.is_empty(), "{said:?}");
    assert_eq!(
        audit.keeps_from(NOW),
        Timestamp::parse("2026-01-30T08:15:00Z")
    );
}

#[test]
fn the_project_takes_precedence_over_the_user_key_by_key() {
    let world = World::project();
    configure(
        &world.home,
        "[audit]\nenabled = false\nretention_days = 7\n",
    );
    configure(&world.cwd, "[audit]\nretention_days = 36500\n");
    let expected = Audit {
        enabled: false,
        retention_days: 36_500,
    };
    assert_eq!(settings(&world), (expected, Vec::new()));
    // A project can enable the log unless the user has disabled it. A trusted project can always enable it (D24).
    configure(&world.cwd, "[audit]\nenabled = true\n");
    let expected = |enabled| Audit {
        enabled,
        retention_days: 7,
    };
    assert_eq!(settings(&world), (expected(false), Vec::new()));
    let trust = format!("[permissions]\ntrust_projects = [{:?}]\n", world.cwd);
    let audit = "[audit]\nenabled = false\nretention_days = 7\n";
    configure(&world.home, &format!("{audit}{trust}"));
    assert_eq!(settings(&world), (expected(true), Vec::new()));
}

/// Hostile: all projects share the log, so a repository must not be able to delete the calls of other projects.
#[test]
fn a_project_cannot_shorten_the_retention() {
    let world = World::project();
    for (users, kept) in [("", 90), ("[audit]\nretention_days = 7\n", 7)] {
        configure(&world.home, users);
        configure(&world.cwd, "[audit]\nretention_days = 1\n");
        let (audit, said) = settings(&world);
        assert_eq!(audit.retention_days, kept);
        let expected = format!(
            "a project cannot lower audit.retention_days below the user's value, {kept}; ignored"
        );
        assert!(said.len() == 1 && said[0].ends_with(&expected), "{said:?}");
    }
}

#[test]
fn invalid_settings_are_reported_once_and_ignored() {
    let cases = [
        ("audit = true", "'audit' is not a table"),
        (
            "[audit]\nenabled = \"no\"",
            "audit.enabled: \"no\" is neither true nor false",
        ),
        (
            "[audit]\nretention_days = 0",
            "audit.retention_days: 0 is not a number of days from 1 to 36500",
        ),
        (
            "[audit]\nretention_days = 36501",
            "audit.retention_days: 36501 is not a number of days",
        ),
        (
            "[audit]\nretention_days = \"90\"",
            "audit.retention_days: \"90\" is not a number of days",
        ),
        (
            "[audit]\nretention_days = 1.5",
            "audit.retention_days: 1.5 is not a number of days",
        ),
        ("[audit]\npath = \"x\"", "unknown key 'audit.path'"),
    ];
    for (text, words) in cases {
        let world = World::project();
        configure(&world.cwd, text);
        let (audit, said) = settings(&world);
        assert_eq!(audit, Audit::default(), "{text}");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("warning[W020]: "), "{said:?}");
        assert!(said[0].contains(words), "{words} in {said:?}");
    }
}

/// REG-MW.8: a cloned project must not be able to hide its calls from the user.
#[test]
fn a_project_cannot_disable_the_audit() {
    for user in ["", "[audit]\nenabled = true\n"] {
        let world = World::project();
        configure(&world.home, user);
        configure(&world.cwd, "[audit]\nenabled = false\n");
        let (audit, said) = settings(&world);
        assert!(audit.enabled);
        assert_eq!(said.len(), 1, "{said:?}");
    }
}
