//! Allowed dependencies of each package.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::layout::sources::ROOT;

/// Each package's dependencies within the workspace. Dev-dependencies are excluded: they are not shipped.
pub(crate) const GRAPH: [(&str, &[&str]); 19] = [
    ("skillc-core", &[]),
    ("skillc-lint", &["skillc-core"]),
    ("skillc-catalog", &["skillc-core"]),
    ("skillc-storage", &["skillc-core"]),
    ("skillc-script", &["skillc-core", "skillc-lint"]),
    (
        "skillc-ops",
        &[
            "skillc-catalog",
            "skillc-core",
            "skillc-lint",
            "skillc-script",
            "skillc-storage",
        ],
    ),
    // Adapters do not depend directly on the crates on which the operations are built.
    (
        "skillc-render",
        &["skillc-core", "skillc-lint", "skillc-ops"],
    ),
    ("skillc-lsp", &["skillc-core", "skillc-lint", "skillc-ops"]),
    (
        "skillc-mcp",
        &["skillc-core", "skillc-ops", "skillc-render"],
    ),
    (
        "skillc-picker",
        &["skillc-core", "skillc-ops", "skillc-render"],
    ),
    ("skillc-build", &[]),
    (
        "skillc-rules",
        &["skillc-build", "skillc-core", "skillc-lint"],
    ),
    ("skillc-formats", &["skillc-build", "skillc-core"]),
    (
        "skillc-plugins",
        &[
            "skillc-build",
            "skillc-core",
            "skillc-lint",
            "skillc-script",
        ],
    ),
    (
        "skillc",
        &[
            "skillc-core",
            "skillc-formats",
            "skillc-lsp",
            "skillc-mcp",
            "skillc-ops",
            "skillc-picker",
            "skillc-plugins",
            "skillc-render",
            "skillc-rules",
        ],
    ),
    // The engine of the playground runs in a web page, so it depends on nothing that needs a disk, SQLite or a command
    // line.
    (
        "skillc-playground",
        &[
            "skillc-core",
            "skillc-lint",
            "skillc-plugins",
            "skillc-rules",
            "skillc-script",
        ],
    ),
    // `skillc-python` depends on `skillc-mcp` only for the feature `as-in-tests`.
    (
        "skillc-python",
        &["skillc", "skillc-core", "skillc-mcp", "skillc-ops"],
    ),
    (
        "skillc-downstream",
        &["skillc", "skillc-core", "skillc-lint"],
    ),
    (
        "skillc-tests",
        &[
            "skillc",
            "skillc-catalog",
            "skillc-core",
            "skillc-lint",
            "skillc-script",
            "skillc-storage",
        ],
    ),
];

/// Restricted crates and the packages that may depend on them. Nearly every crate is restricted to one package.
const ONLY_IN: [(&str, &[&str]); 23] = [
    ("annotate-snippets", &["skillc-lint"]),
    ("clap", &["skillc"]),
    ("ctutils", &["skillc-core"]),
    ("globset", &["skillc-core"]),
    ("granit-parser", &["skillc-core"]),
    ("hmac", &["skillc-core"]),
    ("indicatif", &["skillc"]),
    ("inventory", &["skillc-core"]),
    ("jsonc-parser", &["skillc-ops", "skillc-script"]),
    ("lsp-server", &["skillc-lsp"]),
    ("lsp-types", &["skillc-lsp"]),
    // The tests of `skillc-lint` use `pulldown-cmark` as an independent Markdown parser.
    ("pulldown-cmark", &["skillc-core", "skillc-lint"]),
    ("pyo3", &["skillc-python"]),
    ("ratatui", &["skillc-picker"]),
    ("rhai", &["skillc-script"]),
    ("rmcp", &["skillc-mcp"]),
    ("rusqlite", &["skillc-storage"]),
    ("serde-saphyr", &["skillc-core"]),
    ("sha2", &["skillc-core"]),
    ("tokio", &["skillc-mcp"]),
    ("toml", &["skillc-catalog", "skillc-core", "skillc-lint"]),
    ("toml_edit", &["skillc-ops", "skillc-script"]),
    ("walkdir", &["skillc-core"]),
];

/// Packages that may depend on any crate: drop-ins may need any parser, and the tests check the product's output with
/// independent parsers.
const EXEMPT: [&str; 3] = ["skillc-plugins", "skillc-tests", "skillc-downstream"];

fn read(path: &str) -> Table {
    let full = Path::new(ROOT).join(path);
    let text = fs::read_to_string(full).expect("a manifest");
    text.parse().expect("TOML")
}

/// Returns the manifests of the workspace by package name.
pub(super) fn manifests() -> BTreeMap<String, Table> {
    let workspace = read("Cargo.toml");
    let members = workspace["workspace"]["members"]
        .as_array()
        .expect("a list");
    let manifest =
        |member: &Value| read(&format!("{}/Cargo.toml", member.as_str().expect("a path")));
    let name = |manifest: &Table| {
        manifest["package"]["name"]
            .as_str()
            .expect("a name")
            .to_owned()
    };
    members
        .iter()
        .map(manifest)
        .map(|manifest| (name(&manifest), manifest))
        .collect()
}

/// Returns a manifest's dependencies of these kinds, for every platform, keyed by their name in the manifest.
pub(super) fn dependencies<'a>(
    manifest: &'a Table,
    kinds: &[&str],
) -> Vec<(&'a String, &'a Value)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets
        .into_iter()
        .flat_map(Table::values)
        .filter_map(Value::as_table);
    let tables = targets.chain([manifest]);
    let found = tables.flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)));
    found.filter_map(Value::as_table).flatten().collect()
}

#[test]
fn package_dependencies_match_the_graph() {
    let manifests = manifests();
    let mut found = BTreeMap::new();
    for (name, manifest) in &manifests {
        let all = dependencies(manifest, &["dependencies", "build-dependencies"]);
        let ours = all.into_iter().map(|(name, _)| name.as_str());
        let ours: BTreeSet<&str> = ours.filter(|name| name.starts_with("skillc")).collect();
        found.insert(name.as_str(), ours);
    }
    let drawn = GRAPH.map(|(name, on)| (name, on.iter().copied().collect()));
    assert_eq!(found, BTreeMap::from(drawn));
}

#[test]
fn restricted_crates_are_used_by_their_owners_only() {
    let workspace = read("Cargo.toml");
    let shared = &workspace["workspace"]["dependencies"];
    let owners = BTreeMap::from(ONLY_IN);
    let mut strays = Vec::new();
    for (package, manifest) in &manifests() {
        let kinds = ["dependencies", "build-dependencies", "dev-dependencies"];
        for (name, entry) in dependencies(manifest, &kinds) {
            let renamed = entry
                .get("package")
                .or_else(|| shared.get(name)?.get("package"));
            let real = renamed.and_then(Value::as_str).unwrap_or(name);
            let is_free = owners
                .get(real)
                .is_none_or(|owners| owners.contains(&package.as_str()));
            // `skillc-ops` derives command-line arguments for its requests behind an optional feature. `skillc-python`
            // depends on `indicatif` only for the feature `as-in-tests`.
            let is_optional = entry.get("optional").and_then(Value::as_bool) == Some(true);
            let is_exception = is_optional
                && matches!(
                    (real, package.as_str()),
                    ("clap", "skillc-ops") | ("indicatif", "skillc-python")
                );
            if !is_free && !is_exception && !EXEMPT.contains(&package.as_str()) {
                strays.push(format!("{package}: {real}"));
            }
        }
    }
    assert_eq!(strays, [""; 0]);
}

#[test]
fn owners_depend_on_their_restricted_crates() {
    let manifests = manifests();
    let owned = ONLY_IN.iter().flat_map(|(name, owners)| {
        let pair = move |owner: &'static &str| (*name, *owner);
        owners.iter().map(pair)
    });
    for (name, owner) in owned {
        // `serde-saphyr` is renamed in its owner's manifest.
        let Some(manifest) = manifests.get(owner) else {
            continue;
        };
        let is_later = name == "serde-saphyr";
        let all = dependencies(manifest, &["dependencies", "dev-dependencies"]);
        assert!(
            is_later || all.iter().any(|(found, _)| *found == name),
            "{name} in {owner}"
        );
    }
}

/// Without locks, a script that uses a variable while a call changes that variable gets an error at once. With locks,
/// the script would wait until a timeout, so its result would depend on the load of the machine. Cargo unifies
/// features, so a single package could enable the locks for all packages.
#[test]
fn no_package_enables_the_locks_of_the_script_engine() {
    let workspace = read("Cargo.toml");
    let mut all = manifests();
    let shared = workspace["workspace"]["dependencies"].clone();
    let shared: Table = [("dependencies".to_owned(), shared)].into_iter().collect();
    all.insert("the workspace".to_owned(), shared);
    let (mut engines, mut wrong) = (0, Vec::new());
    for (package, manifest) in &all {
        let kinds = ["dependencies", "build-dependencies", "dev-dependencies"];
        for (name, entry) in dependencies(manifest, &kinds) {
            let renamed = entry.get("package").and_then(Value::as_str);
            if renamed.unwrap_or(name) != "rhai" {
                continue;
            }
            engines += 1;
            let features = entry.get("features").and_then(Value::as_array);
            let mut features = features.into_iter().flatten().filter_map(Value::as_str);
            if features.any(|feature| feature == "sync") {
                wrong.push(package.as_str());
            }
        }
        let features = manifest.get("features").and_then(Value::as_table);
        let features = features.into_iter().flat_map(Table::values);
        let mut features = features.filter_map(Value::as_array).flatten();
        let enables = |feature: &Value| {
            let feature = feature.as_str().unwrap_or_default();
            matches!(feature, "rhai/sync" | "rhai?/sync")
        };
        if features.any(enables) {
            wrong.push(package.as_str());
        }
    }
    // The manifest of `skillc-script` has two entries for the engine. The second entry adds the features that do not
    // exist in WebAssembly.
    assert_eq!((engines, wrong), (3, Vec::new()));
    // No other crate depends on the engine, so no other crate can enable the feature.
    let lock = read("Cargo.lock");
    let packages = lock["package"].as_array().expect("a list").iter();
    let depends = |package: &&Value| {
        let on = package.get("dependencies").and_then(Value::as_array);
        on.into_iter()
            .flatten()
            .any(|name| name.as_str() == Some("rhai"))
    };
    let users: Vec<&str> = packages
        .filter(depends)
        .filter_map(|package| package["name"].as_str())
        .collect();
    assert_eq!(users, ["skillc-script"]);
}
