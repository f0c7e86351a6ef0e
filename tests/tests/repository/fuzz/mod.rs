//! Runs the fuzzers' property checks on a fixed number of mutated fixtures. The checks are deterministic and run on a
//! stable toolchain.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use skillc_tests::mutations::Random;
use skillc_tests::properties::{Properties, TARGETS};
use walkdir::WalkDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Larger fixtures are skipped.
const MAX_SEED_BYTES: u64 = 32 << 10;

/// Returns the files with this extension below these folders of the repository, in path order.
fn fixtures(folders: &[&str], extension: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for folder in folders {
        let walk = WalkDir::new(Path::new(ROOT).join(folder)).sort_by_file_name();
        for entry in walk
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
        {
            let is_small = entry
                .metadata()
                .is_ok_and(|found| found.len() <= MAX_SEED_BYTES);
            let is_of_kind = extension.is_empty()
                || entry
                    .path()
                    .extension()
                    .is_some_and(|found| found == extension);
            if is_small && is_of_kind {
                paths.push(entry.into_path());
            }
        }
    }
    paths
        .iter()
        .map(|path| fs::read(path).expect("a fixture"))
        .collect()
}

/// Returns the seed inputs, which are the same as in `tests/fuzz/run`, and the number of mutations to run.
fn seeds(target: &str) -> (Vec<Vec<u8>>, usize) {
    let own = format!("tests/fuzz/seeds/{target}");
    let mut seeds = match target {
        "frontmatter" | "document" | "directives" => {
            fixtures(&["rules/fixtures", "plugins/fixtures"], "md")
        }
        "script" => fixtures(
            &["plugins/scripts", "skillc/ops/src/plugin/templates"],
            "rhai",
        ),
        _ => fixtures(&[&own], ""),
    };
    if target == "configuration" {
        seeds.extend(fixtures(&["rules/fixtures", "plugins/fixtures"], "toml"));
    }
    let count = match target {
        "frontmatter" => 10_000,
        "baseline" => 5_000,
        "document" | "configuration" | "query" => 2_000,
        "directives" => 150,
        "mcp" => 100,
        _ => 300,
    };
    (seeds, count)
}

#[test]
fn properties_hold_for_mutated_input() {
    let properties = Properties::new();
    for target in TARGETS {
        let (seeds, count) = seeds(target);
        assert!(seeds.len() >= 2, "{target}");
        let mut random = Random::new(1);
        for round in 0..count {
            let mut bytes = random.one_of(&seeds).clone();
            if round % 20 != 0 {
                random.mutate(&mut bytes, &seeds);
            }
            let check = AssertUnwindSafe(|| properties.check(target, &bytes));
            let text = String::from_utf8_lossy(&bytes);
            assert!(
                catch_unwind(check).is_ok(),
                "{target}, input {round}: {text:?}"
            );
        }
    }
}

#[test]
fn each_property_has_a_fuzz_target() {
    let manifest = fs::read_to_string(Path::new(ROOT).join("tests/fuzz/Cargo.toml"));
    let manifest: toml::Table = manifest.expect("a file").parse().expect("TOML");
    let bins = manifest["bin"].as_array().expect("a list").iter();
    let names: Vec<&str> = bins.filter_map(|bin| bin["name"].as_str()).collect();
    assert_eq!(names, TARGETS);
    let run = fs::read_to_string(Path::new(ROOT).join("tests/fuzz/run")).expect("a file");
    assert!(
        run.contains(&format!("targets=({})", TARGETS.join(" "))),
        "{run}"
    );
}
