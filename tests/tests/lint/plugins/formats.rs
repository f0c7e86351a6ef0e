//! A scripted indexer in build and search.

use skillc_core::testkit::write_files;
use skillc_tests::World;

use crate::plugins::support::{PROJECT, listed};

const INI: &str = r#"/// Indexes each line as a section.
indexer(#{
    id: "team-ini", extensions: ["teamini"],
    sections: |file, out| {
        for line in file.lines { out.section("KEY " + line.text, line.text, line.line, line.line); }
    },
});
"#;

fn hits(world: &World, query: &str) -> Vec<String> {
    let json = world.skc(["search", "demo", query, "-o", "json"]).json();
    let hits = json["results"].as_array().expect("hits").clone();
    let section = |hit: &serde_json::Value| hit["section"].as_str().unwrap_or("-").to_owned();
    hits.iter().map(section).collect()
}

/// R5: editing the script invalidates the index, and the next build recreates it.
#[test]
fn a_changed_script_rebuilds_the_index() {
    let world = World::demo(&[("data.teamini", "alpha\nbeta\n")]);
    world.skc(["build", "demo"]).success();
    assert_eq!(hits(&world, "alpha"), [""; 0]);
    write_files(&world.cwd.join(PROJECT), &[("ini.rhai", INI)]);
    assert_eq!(listed(&world, &world.cwd, &[]), [""; 0]);
    world.skc(["build", "demo"]).success();
    assert_eq!(hits(&world, "alpha"), ["KEY alpha"]);
    let other = INI.replace("KEY ", "ENTRY ");
    write_files(&world.cwd.join(PROJECT), &[("ini.rhai", &other)]);
    world.skc(["build", "demo"]).success();
    assert_eq!(hits(&world, "alpha"), ["ENTRY alpha"]);
    std::fs::remove_file(world.cwd.join(PROJECT).join("ini.rhai")).unwrap();
    world.skc(["build", "demo"]).success();
    assert_eq!(hits(&world, "alpha"), [""; 0]);
}

#[test]
fn a_script_named_on_the_command_line_indexes_files() {
    let world = World::demo(&[("data.teamini", "alpha\n")]);
    write_files(&world.cwd, &[("formats/ini.rhai", INI)]);
    world
        .skc(["build", "demo", "--plugin", "formats"])
        .success();
    assert_eq!(hits(&world, "alpha"), ["KEY alpha"]);
}

/// R20: each build retries a failed indexer, and reports the failure until the indexer succeeds.
#[test]
fn a_file_whose_indexer_failed_is_retried_even_if_unchanged() {
    let files = [("b.teamini", "beta\n"), ("data.teamini", "alpha\n")];
    let more: Vec<String> = (0..12).map(|at| format!("references/{at}.md")).collect();
    let more = more.iter().map(|name| (&**name, "# A page\n"));
    let world = World::demo(&files.into_iter().chain(more).collect::<Vec<_>>());
    let fails = INI.replace(
        "for line",
        "if file.text.contains(\"alpha\") { throw \"no\" } for line",
    );
    write_files(&world.cwd.join(PROJECT), &[("ini.rhai", &fails)]);
    let warning = "warning[W025]: indexed as plain text: 'data.teamini' (";
    for edit in [None, None, Some("references/1.md")] {
        if let Some(path) = edit {
            write_files(&world.demo_source(), &[(path, "# Another page\n")]);
        }
        let build = world.skc(["build", "demo"]).success();
        assert_eq!(build.stderr.matches(warning).count(), 1, "{}", build.stderr);
        assert_eq!(hits(&world, "alpha"), [""]);
        assert_eq!(hits(&world, "beta"), ["KEY beta"]);
    }
}
