//! The preconditions for publishing a release: valid manifests of the packages, and the same names and targets in all
//! files that contain them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::layout::dependencies::{dependencies, manifests};
use crate::layout::sources::{ROOT, files};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn workspace() -> Table {
    read("Cargo.toml").parse().expect("TOML")
}

/// Returns the manifests of published packages, by package name.
fn published() -> BTreeMap<String, Table> {
    let mut all = manifests();
    all.retain(|_, manifest| manifest["package"].get("publish") != Some(&Value::Boolean(false)));
    assert!(all.len() >= 15, "{:?}", all.keys());
    all
}

/// Returns the folder of each published package, relative to the root.
fn folders() -> Vec<String> {
    let published = published();
    let members = workspace()["workspace"]["members"].clone();
    let members = members.as_array().expect("a list").iter();
    let members = members.map(|member| member.as_str().expect("a path").to_owned());
    members
        .filter(|member| {
            let manifest: Table = read(&format!("{member}/Cargo.toml")).parse().expect("TOML");
            let name = manifest["package"]["name"].as_str().expect("a name");
            published.contains_key(name)
        })
        .collect()
}

#[test]
fn published_packages_have_the_metadata_that_the_registry_needs() {
    for (name, manifest) in published() {
        let package = &manifest["package"];
        let description = package["description"].as_str().expect("a description");
        assert!(description.len() > 15, "{name}: {description}");
        for key in ["version", "license", "repository", "rust-version"] {
            assert_eq!(
                package[key]["workspace"].as_bool(),
                Some(true),
                "{name}: {key}"
            );
        }
        if let Some(page) = package.get("readme").and_then(Value::as_str) {
            assert_eq!((name.as_str(), page), ("skillc", "../../README.md"));
        }
    }
    let shared = workspace()["workspace"]["package"].clone();
    let repository = shared["repository"].as_str().expect("an address");
    assert!(repository.starts_with("https://github.com/") && repository.ends_with("/skillc"));
}

/// Packages can be published one after another only if their dependencies have no cycle. A dev-dependency without a
/// version does not count: it is removed from the published manifest.
#[test]
fn published_packages_can_be_put_in_an_order() {
    let published = published();
    let version = workspace()["workspace"]["package"]["version"].clone();
    for (name, entry) in workspace()["workspace"]["dependencies"]
        .as_table()
        .expect("a table")
    {
        if name.starts_with("skillc") {
            assert_eq!(entry["version"], version, "{name}");
        }
    }
    let mut waiting: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, manifest) in &published {
        let needed = dependencies(manifest, &["dependencies", "build-dependencies"]);
        let for_tests = dependencies(manifest, &["dev-dependencies"]);
        let for_tests = for_tests
            .into_iter()
            .filter(|(_, entry)| entry.get("path").is_none());
        let names = needed.into_iter().chain(for_tests);
        let names = names.map(|(name, _)| name.as_str());
        let names: BTreeSet<&str> = names.filter(|name| name.starts_with("skillc")).collect();
        let strays: Vec<&&str> = names
            .iter()
            .filter(|name| !published.contains_key(**name))
            .collect();
        assert!(
            strays.is_empty(),
            "{name} depends on unpublished {strays:?}"
        );
        waiting.insert(name, names);
    }
    while !waiting.is_empty() {
        let before = waiting.len();
        let ready: BTreeSet<&str> = waiting
            .iter()
            .filter(|(_, needed)| needed.iter().all(|name| !waiting.contains_key(name)))
            .map(|(name, _)| *name)
            .collect();
        waiting.retain(|name, _| !ready.contains(name));
        assert!(waiting.len() < before, "a cycle: {waiting:?}");
    }
}

/// Returns the paths of files that a source includes at compile time.
fn included(source: &str) -> impl Iterator<Item = &str> {
    ["include_str!(", "include_bytes!("]
        .into_iter()
        .flat_map(move |start| source.split(start).skip(1))
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
}

/// Resolves `..` without reading the file system.
fn normalized(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            other => found.push(other),
        }
    }
    found
}

/// If an included file is outside the package, or the manifest excludes it, it is missing when the published package is
/// built.
#[test]
fn sources_include_packaged_files_only() {
    let mut seen = 0;
    for folder in folders() {
        for path in files(&folder, "rs") {
            if path.contains("/fixtures/") || path.starts_with(&format!("{folder}/tests/")) {
                continue;
            }
            let source = read(&path);
            for name in included(&source) {
                seen += 1;
                let file = Path::new(&path).parent().expect("a folder").join(name);
                let file = normalized(&file);
                let inside = file.strip_prefix(&folder);
                let inside = inside.unwrap_or_else(|_| panic!("{path} includes {name}"));
                let is_excluded = ["fixtures", "tests"]
                    .iter()
                    .any(|top| inside.starts_with(top));
                assert!(
                    !is_excluded || path.ends_with("/tests.rs"),
                    "{path} includes {name}"
                );
            }
        }
    }
    assert!(seen > 15, "{seen}");
}

/// `cargo binstall` and the action must compute the same file names that `skillc/dist/build` writes.
#[test]
fn names_of_released_files_agree() {
    let build = read("skillc/dist/build");
    assert!(build.contains("name=\"skc-$version-$target\""));
    assert!(build.contains("\"$output/$name.tar.gz\""));
    let manifest: Table = read("skillc/cli/Cargo.toml").parse().expect("TOML");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    assert_eq!(
        binstall["pkg-url"].as_str(),
        Some("{ repo }/releases/download/v{ version }/skc-{ version }-{ target }.tar.gz")
    );
    assert_eq!(
        binstall["bin-dir"].as_str(),
        Some("skc-{ version }-{ target }/{ bin }{ binary-ext }")
    );
    let action = read(".github/actions/skc-lint/install");
    assert!(action.contains("name=\"skc-$version-$target.tar.gz\""));
    assert!(action.contains("$repository/releases/download/v$version/$name"));
}

fn release() -> Json {
    serde_yaml::from_str(&read(".github/workflows/release.yml")).expect("YAML")
}

#[test]
fn the_release_the_npm_packages_and_the_action_have_the_same_targets() {
    let workflow = release();
    let built = workflow["jobs"]["programs"]["strategy"]["matrix"]["include"].as_array();
    let targets = |rows: &[Json]| -> BTreeSet<String> {
        let names = rows.iter().filter_map(|row| row["target"].as_str());
        names.map(str::to_owned).collect()
    };
    let built = targets(built.expect("a list"));
    assert_eq!(built.len(), 5);
    let npm: Vec<Json> =
        serde_json::from_str(&read("skillc/dist/npm/platforms.json")).expect("JSON");
    assert_eq!(targets(&npm), built);
    let action = read(".github/actions/skc-lint/install");
    let named = action.lines().filter_map(|line| {
        let (_, rest) = line.split_once(") target=")?;
        Some(rest.trim_end_matches(" ;;").to_owned())
    });
    let named: BTreeSet<String> = named.filter(|name| name != "\"\"").collect();
    assert_eq!(named, built);
}

/// A wheel for Linux works with only one C library. The wheel's name contains the name of this library, and `pip`
/// chooses a wheel by its name.
#[test]
fn wheels_are_built_for_all_platforms_and_both_c_libraries() {
    let workflow = release();
    let matrix = |job: &str| -> Vec<Json> {
        let rows = workflow["jobs"][job]["strategy"]["matrix"]["include"].as_array();
        rows.expect("a list").clone()
    };
    let target = |row: &Json| row["target"].as_str().expect("a target").to_owned();
    let programs: BTreeSet<String> = matrix("programs").iter().map(target).collect();
    let mut expected = programs.clone();
    expected.extend(programs.iter().map(|name| name.replace("-musl", "-gnu")));
    let wheels = matrix("wheels");
    let built: BTreeSet<String> = wheels.iter().map(target).collect();
    assert_eq!(built, expected);
    for row in &wheels {
        let (target, args) = (target(row), row["args"].as_str().expect("arguments"));
        let expected = match target.rsplit('-').next() {
            Some("gnu") => "--zig --compatibility manylinux2014",
            Some("musl") => "--zig --compatibility musllinux_1_2",
            _ => "",
        };
        assert_eq!(args, expected, "{target}");
    }
    let project: Table = read("skillc/python/pyproject.toml").parse().expect("TOML");
    let needed = project["build-system"]["requires"][0].as_str();
    let needed = needed.and_then(|needed| needed.strip_prefix("maturin"));
    let installed = format!("'maturin[zig]{}'", needed.expect("maturin"));
    assert!(
        read(".github/workflows/release.yml").contains(&installed),
        "{installed}"
    );
}

/// The book is checked and published with the same version of mdBook, which is also the version in the guide.
#[test]
fn the_book_is_built_by_one_version_of_mdbook() {
    let release = read(".github/workflows/release.yml");
    let (_, rest) = release
        .split_once("cargo install --locked mdbook --version ")
        .expect("a command");
    let version = rest.split_whitespace().next().expect("a version");
    let command = format!("cargo install --locked mdbook --version {version}");
    for path in [".github/workflows/ci.yml", ".github/CONTRIBUTING.md"] {
        assert!(read(path).contains(&command), "{path}: {command}");
    }
}

/// The workflow can publish under our name, so everything that it runs is pinned, and a job has only the permissions
/// that it needs.
#[test]
fn the_release_workflow_pins_actions_and_limits_permissions() {
    let workflow = release();
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    let jobs = workflow["jobs"].as_object().expect("jobs");
    let mut pinned = 0;
    for (name, job) in jobs {
        assert!(job["permissions"].is_object(), "{name}");
        assert!(job["timeout-minutes"].is_u64(), "{name}");
        for step in job["steps"].as_array().expect("steps") {
            if let Some(action) = step["uses"].as_str() {
                let (_, commit) = action.split_once('@').expect("a revision");
                let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
                assert!(is_commit, "{name}: {action}");
                pinned += 1;
            }
            // An expression `${{ … }}` in a script is inserted without escaping.
            let script = step["run"].as_str().unwrap_or_default();
            assert!(!script.contains("${{"), "{name}: {script}");
        }
    }
    assert!(pinned > 10, "{pinned}");
    let text = read(".github/workflows/release.yml");
    assert!(
        !text.contains("secrets."),
        "publishing needs no stored secret"
    );
}
