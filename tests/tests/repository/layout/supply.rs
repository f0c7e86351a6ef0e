//! The supply chain: allowed dependencies and sources, and checks on contributions.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::layout::sources::ROOT;

/// The only allowed source of third-party code.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn toml(path: &str) -> Table {
    read(path).parse().unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns the name and source of each package in `Cargo.lock`. The source is `None` for members of the workspace.
fn locked() -> Vec<(String, Option<String>)> {
    let lock = toml("Cargo.lock");
    let text = |package: &Value, key| Some(package.get(key)?.as_str()?.to_owned());
    let packages = lock["package"].as_array().expect("a list").iter();
    packages
        .map(|p| (text(p, "name").expect("a name"), text(p, "source")))
        .collect()
}

/// Returns the crates that `.deny.toml` bans without exception.
fn banned() -> BTreeSet<String> {
    let policy = toml(".deny.toml");
    let entries = policy["bans"]["deny"].as_array().expect("a list").iter();
    // A ban with `wrappers` still allows the crate as a transitive dependency.
    let entries = entries.filter(|entry| entry.get("wrappers").is_none());
    let name = |entry: &Value| {
        let reason = entry["reason"].as_str().expect("a reason");
        assert!(reason.len() > 10, "the reason must be a sentence: {reason}");
        entry["crate"].as_str().expect("a crate").to_owned()
    };
    entries.map(name).collect()
}

#[test]
fn every_package_comes_from_the_registry() {
    let mut strays = locked();
    strays.retain(|(name, source)| match source {
        Some(source) => source != REGISTRY,
        None => !name.starts_with("skillc"),
    });
    assert_eq!(strays, []);
}

/// CL.11.
#[test]
fn the_dependency_policy_covers_licences_sources_and_bans() {
    let policy = toml(".deny.toml");
    let licences: Vec<&str> = policy["licenses"]["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let expected = [
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MIT",
        "MPL-2.0",
        "Unicode-3.0",
        "Zlib",
    ];
    assert_eq!(licences, expected);
    assert_eq!(policy["sources"]["unknown-registry"].as_str(), Some("deny"));
    assert_eq!(policy["sources"]["unknown-git"].as_str(), Some("deny"));
    assert!(policy["sources"].get("allow-git").is_none());
    assert!(banned().contains("serde_yaml"));
}

/// F-57.
#[test]
fn no_archived_yaml_crate_is_a_dependency() {
    let packages = locked();
    for archived in [
        "serde_yaml",
        "serde_yml",
        "serde_yaml_ng",
        "serde_norway",
        "yaml-rust",
    ] {
        assert!(
            packages.iter().all(|(name, _)| name != archived),
            "{archived}"
        );
        assert!(banned().contains(archived), "{archived}");
    }
}

/// No dependency opens network connections. Other tests check that commands work offline.
#[test]
fn no_banned_crate_or_network_client_is_a_dependency() {
    let banned = banned();
    let clients = [
        "attohttpc",
        "curl",
        "isahc",
        "native-tls",
        "openssl",
        "openssl-sys",
        "reqwest",
        "rustls",
        "surf",
        "ureq",
    ];
    assert!(
        clients.iter().all(|client| banned.contains(*client)),
        "{banned:?}"
    );
    let mut packages = locked();
    packages.retain(|(name, _)| banned.contains(name));
    assert_eq!(packages, []);
}

/// The lock files of npm pin the content of each package, but let each machine choose the registry.
#[test]
fn npm_lock_files_have_hashes_and_no_addresses() {
    for folder in [
        "skillc/dist/test",
        "skillc/lsp/editors/vscode",
        "tests/browser",
        "tests/clients",
    ] {
        let lock = read(&format!("{folder}/package-lock.json"));
        let lock: Json = serde_json::from_str(&lock).expect("JSON");
        let packages = lock["packages"].as_object().expect("a map").iter();
        for (name, package) in packages.filter(|(name, _)| !name.is_empty()) {
            assert!(package["integrity"].is_string(), "{folder}: {name}");
            assert!(package.get("resolved").is_none(), "{folder}: {name}");
        }
    }
}

/// CL.11.
#[test]
fn contributing_guide_and_ci_cover_all_checks_on_three_systems() {
    let guide = read(".github/CONTRIBUTING.md");
    for word in [
        "cargo build",
        "cargo lint",
        "cargo test",
        "UPDATE_DOCS=1",
        "rules/src/rules",
        "formats/src/indexers",
        "plugins/",
    ] {
        assert!(guide.contains(word), "{word}");
    }
    let workflow: Json = serde_yaml::from_str(&read(".github/workflows/ci.yml")).expect("YAML");
    let systems = workflow["jobs"]["test"]["strategy"]["matrix"]["os"]
        .as_array()
        .expect("a list");
    assert_eq!(systems.len(), 3);
    let jobs = workflow["jobs"].to_string();
    for step in [
        "cargo fmt",
        "cargo lint",
        "cargo test",
        "cargo doc",
        "cargo-deny",
    ] {
        assert!(jobs.contains(step), "{step}");
    }
}
