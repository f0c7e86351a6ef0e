//! Locations of results, filters, query modes, several skills, and searches without results.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use skillc_tests::{World, index_in, write_config};

const GUIDE: &str = "# Guide\n\nIntro.\n\n## Setup\n\nInstall it.\n\n### Credentials\n\nRotate the zebra key.\n\n\
                     ## Usage\n\nRun it with a lion.\n";

fn world() -> World {
    World::built(&[
        ("guide.md", GUIDE),
        ("table.csv", "animal,legs\nzebra,4\nlion,4\n"),
        ("deep/notes.txt", "the zebra and the lion key"),
    ])
}

fn search(world: &World, args: &[&str]) -> Value {
    let args = [&["search", "demo"], args, &["--format", "json"]].concat();
    world.skc_at(&world.cwd, &args).success().json()
}

fn files(found: &Value) -> Vec<&str> {
    let results = found["results"].as_array().expect("a list").iter();
    let mut files: Vec<&str> = results.filter_map(|hit| hit["file"].as_str()).collect();
    files.sort_unstable();
    files
}

/// C-SEARCH: a result is the innermost matching section, with the enclosing headings and the call that reads it.
#[test]
fn a_result_has_its_location_and_a_read_call() {
    let world = world();
    let found = search(&world, &["rotate", "zebra"]);
    let hits = found["results"].as_array().expect("a list");
    assert_eq!(hits.len(), 1, "{found}");
    assert_eq!(hits[0]["section"], "Credentials");
    assert_eq!(hits[0]["above"], json!(["Guide", "Setup"]));
    assert_eq!(
        (&hits[0]["start_line"], &hits[0]["end_line"]),
        (&json!(9), &json!(13))
    );
    let read =
        json!({"tool": "skc_show", "arguments": {"skill": "demo", "file": "guide.md", "line": 9}});
    assert_eq!(hits[0]["read"], read);
    let text = world.skc(["search", "demo", "rotate zebra"]).success();
    let lines: Vec<&str> = text.text().lines().collect();
    assert!(
        lines[0].starts_with("guide.md#Credentials (score: "),
        "{lines:?}"
    );
    assert_eq!(lines[1], "  in Guide > Setup");
    assert_eq!(lines[3], "  skc show demo --file guide.md --line 9");
    let shown = world
        .skc(["show", "demo", "--file", "guide.md", "--line", "9"])
        .success();
    assert!(shown.text().contains("Rotate the zebra key."));
}

/// C-SEARCH.
#[test]
fn words_of_two_sections_match_the_enclosing_section() {
    let world = world();
    let found = search(&world, &["zebra", "lion", "--type", "md"]);
    let hits = found["results"].as_array().expect("a list");
    assert_eq!(hits.len(), 1, "{found}");
    assert_eq!(hits[0]["section"], "Guide");
    assert!(hits[0].get("above").is_none(), "{found}");
}

/// C-QUERY-SYNTAX.
#[test]
fn results_can_be_filtered_by_type_and_file() {
    let world = world();
    assert_eq!(
        files(&search(&world, &["zebra"])),
        ["deep/notes.txt", "guide.md", "table.csv"]
    );
    assert_eq!(
        files(&search(&world, &["zebra", "--type", "csv,.TXT"])),
        ["deep/notes.txt", "table.csv"]
    );
    assert_eq!(
        files(&search(&world, &["zebra", "--file", "*.md"])),
        ["guide.md"]
    );
    assert_eq!(
        files(&search(&world, &["zebra", "--file", "deep/**"])),
        ["deep/notes.txt"]
    );
    assert_eq!(
        files(&search(
            &world,
            &["zebra", "--type", "md", "--file", "deep/*"]
        )),
        [""; 0]
    );
    assert_eq!(
        files(&search(&world, &["zebra", "--type", "csv", "--limit", "1"])),
        ["table.csv"]
    );
    world
        .skc(["search", "demo", "zebra", "--file", "a[b"])
        .code("E100");
}

/// C-QUERY-SYNTAX.
#[test]
fn a_query_can_be_a_phrase_or_fts5_syntax() {
    let world = world();
    assert_eq!(
        files(&search(&world, &["zebra key", "--phrase"])),
        ["guide.md"]
    );
    assert_eq!(
        files(&search(&world, &["lion key", "--phrase"])),
        ["deep/notes.txt"]
    );
    let raw = |query: &str| search(&world, &[query, "--raw"]);
    assert_eq!(
        files(&raw("rotat* OR legs")),
        ["guide.md", "table.csv", "table.csv"]
    );
    assert_eq!(files(&raw("zebra NOT key")), ["table.csv"]);
    assert_eq!(files(&raw("NEAR(zebra lion, 3)")), ["deep/notes.txt"]);
    for query in [
        "\"unbalanced",
        "AND",
        "nothing:zebra",
        "NEAR(",
        "a ^ ^",
        "*",
    ] {
        let refused = world.skc(["search", "demo", query, "--raw"]);
        refused.code("E100");
    }
    let many = "lion OR ".repeat(40) + "lion";
    let refused = world.skc(["search", "demo", &many, "--raw"]);
    refused.code("E100");
    assert!(refused.stderr.contains("more than 16 words"), "{refused:?}");
    let long = "lion-".repeat(400);
    let refused = world.skc(["search", "demo", &format!("\"{long}\""), "--raw"]);
    refused.code("E100");
    assert!(refused.stderr.contains("more than 16 words"), "{refused:?}");
    world.skc(["search", "demo", &long]).success();
    // Without the option, the same queries are plain words.
    for query in ["\"unbalanced", "AND", "nothing:zebra", "NEAR("] {
        world.skc(["search", "demo", query]).success();
    }
    world
        .skc(["search", "demo", "a", "--raw", "--phrase"])
        .code("E100");
}

#[test]
fn a_prefix_with_180_000_matches_has_a_snippet() {
    let text = "zebra zoo zinc ".repeat(60_000);
    let world = World::built(&[("long.txt", &text)]);
    let found = search(&world, &["z*", "--raw"]);
    assert!(
        found["results"][0]["snippet"]
            .as_str()
            .expect("a text")
            .contains("[MATCH]zebra[/MATCH]")
    );
}

/// C-QUERY-SYNTAX.
#[test]
fn a_search_without_results_suggests_similar_words() {
    let world = world();
    let found = search(&world, &["zebar", "lion", "credentals"]);
    let expected = json!([
        {"word": "zebar", "similar": ["zebra"]},
        {"word": "credentals", "similar": ["credentials"]},
    ]);
    assert_eq!(found["unmatched"], expected);
    let output = world.skc(["search", "demo", "zebar lion qqqq"]).success();
    assert_eq!(output.text(), "No matches.\n");
    let expected =
        "No section contains 'zebar'. Similar words: 'zebra'.\nNo section contains 'qqqq'.\n";
    assert_eq!(output.stderr, expected);
    // Each word occurs, but no section contains both.
    assert!(
        search(&world, &["legs", "rotate"])
            .get("unmatched")
            .is_none()
    );
}

/// C-QUERY-SYNTAX: each word is looked up separately, so that long words before an unknown word do not hide it.
#[test]
fn an_unknown_word_after_long_words_is_named() {
    let world = world();
    let long = [32, 31].map(|count| vec!["zebra"; count].join("-"));
    let last = "rotate-credentials";
    let found = search(&world, &[&*long[0], &*long[1], "lion", last]);
    let words = found["unmatched"].as_array().expect("words");
    let words: Vec<&str> = words
        .iter()
        .filter_map(|one| one["word"].as_str())
        .collect();
    assert_eq!(words, [&*long[0], &*long[1], last]);
}

/// C-SEARCH: a result includes the lines of the file around the best match.
#[test]
fn a_result_has_the_lines_around_the_match() {
    let world = world();
    let found = search(&world, &["rotate", "zebra", "--context", "2"]);
    let expected = json!({"start_line": 9, "lines": ["### Credentials", "", "Rotate the zebra key.", "", "## Usage"]});
    assert_eq!(found["results"][0]["context"], expected);
    let found = search(&world, &["legs", "--context", "1"]);
    let expected = json!({"start_line": 1, "lines": ["animal,legs", "zebra,4", "lion,4"]});
    assert_eq!(found["results"][0]["context"], expected);
    let found = search(&world, &["rotate", "zebra"]);
    assert!(found["results"][0].get("context").is_none(), "{found}");
    let args = ["search", "demo", "rotate zebra", "--context", "1"];
    let text = world.skc(args).success();
    let lines: Vec<&str> = text.text().lines().skip(3).take(3).collect();
    assert_eq!(
        lines,
        ["  10 | ", "  11 | Rotate the zebra key.", "  12 | "]
    );
    let refused = world.skc(["search", "demo", "zebra", "--context", "21"]);
    refused.error("error[E100]: invalid option: 'context: at most 20 lines'");
}

/// C-INDEX: on request, a search builds a missing or outdated index, but deploys nothing.
#[test]
fn a_search_can_build_the_index_first() {
    let world = World::demo(&[("a.md", "# A\n\nA zebra.\n")]);
    let deployed = world.home.join(".claude");
    world.skc(["search", "demo", "zebra"]).code("E002");
    let found = search(&world, &["zebra", "--build"]);
    assert_eq!(files(&found), ["a.md"]);
    let path = world.demo_source().join("a.md");
    fs::write(path, "# A\n\nA lion.\n").expect("writable");
    world.skc(["search", "demo", "lion"]).code("E002");
    assert_eq!(files(&search(&world, &["lion", "--build"])), ["a.md"]);
    assert_eq!(files(&search(&world, &["lion"])), ["a.md"]);
    assert!(!deployed.exists());

    let head = "---\nname: other\ndescription: Another one. Use when testing.\n---\n";
    world.project_skill(
        "other",
        &[("SKILL.md", &format!("{head}# Other\n\nA lion.\n"))],
    );
    let broken = "---\nname: broken\n---\nA lion.\n";
    world.project_skill("broken", &[("SKILL.md", broken)]);
    let args = ["search", "--all", "lion", "--build", "--format", "json"];
    let found = world.skc(args).success().json();
    assert_eq!(files(&found), ["SKILL.md", "a.md"]);
    assert!(
        !found["not_searched"].to_string().contains("other"),
        "{found}"
    );
}

/// C-SEARCH: each result names its skill; skipped skills are listed.
#[test]
fn all_skills_can_be_searched_at_once() {
    let world = world();
    world.project_skill("other", &[("SKILL.md", "---\nname: other\ndescription: Use for zebra stripes.\n---\n# Other\n\nA zebra here.\n")]);
    world.project_skill(
        "fresh",
        &[(
            "SKILL.md",
            "---\nname: fresh\ndescription: Zebra, too.\n---\n# Fresh\n\nA zebra.\n",
        )],
    );
    world.skc(["build", "other"]).success();
    let found = world
        .skc(["search", "--all", "zebra", "--format", "json"])
        .success()
        .json();
    assert_eq!(found["query"], "zebra");
    assert_eq!(found["not_searched"], json!(["fresh"]));
    let hits = found["results"].as_array().expect("a list");
    let skills: Vec<&str> = hits
        .iter()
        .filter_map(|hit| hit["skill"].as_str())
        .collect();
    assert_eq!(skills, ["other", "demo", "demo", "demo"], "{found}");
    assert_eq!(hits[0]["read"]["arguments"]["skill"], "other");
    let text = world
        .skc(["search", "--all", "zebra", "key", "--type", "md"])
        .success();
    assert!(
        text.text()
            .starts_with("demo: guide.md#Credentials (score: "),
        "{}",
        text.text()
    );
    assert_eq!(
        text.stderr,
        "Skipped (not built, or changed since the build): fresh\n"
    );
    assert_eq!(
        world
            .skc([
                "search", "--all", "zebra", "--limit", "1", "--format", "json"
            ])
            .success()
            .json()["results"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    world.skc(["search", "--all", " "]).code("E004");
    world.skc(["search", "--all"]).code("E100");
}

/// C-SEARCH: the index of a skill that ranks too low is not opened, but its freshness is still checked.
#[test]
fn skills_without_a_current_index_are_named_wherever_they_rank() {
    let world = World::project();
    let name = |at: usize| format!("animal-{at:02}");
    let skills: Vec<PathBuf> = (0..40)
        .map(|at| {
            let head = format!(
                "---\nname: {}\ndescription: Use for zebras.\n---\n",
                name(at)
            );
            world.project_skill(
                &name(at),
                &[("SKILL.md", &format!("{head}# A\n\nA zebra.\n"))],
            )
        })
        .collect();
    world.skc(["build", "--all"]).success();
    let skipped = || {
        let args = ["search", "--all", "zebra", "--limit", "1", "-o", "json"];
        let found = world.skc(args).success().json();
        assert_eq!(found["results"][0]["skill"], "animal-00", "{found}");
        found["not_searched"].clone()
    };
    assert_eq!(skipped(), Value::Null);
    let index = |at: usize| {
        let runtime = world.cwd.join(".skillc/runtime").join(name(at));
        index_in(&runtime, &skills[at])
    };
    fs::write(skills[35].join("more.md"), "# More\n\nA lion.\n").expect("writable");
    fs::remove_file(index(36)).expect("an index");
    let mut changed = fs::read(index(37)).expect("an index");
    changed.extend([0; 4096]);
    fs::write(index(37), changed).expect("writable");
    assert_eq!(skipped(), json!(["animal-35", "animal-36", "animal-37"]));
    write_config(&world.cwd, "[search]\ntokenizer = \"cjk\"\n");
    for at in 0..37 {
        world.skc(["build", &*name(at)]).success();
    }
    assert_eq!(skipped(), json!(["animal-37", "animal-38", "animal-39"]));
}

/// `snippet()` takes time quadratic in the number of occurrences of a word, so it must not be used on a long section.
#[test]
fn a_similar_word_is_found_in_a_section_that_repeats_it() {
    let world = World::built(&[("long.txt", &"Zebras ".repeat(60_000))]);
    let found = search(&world, &["zebrs"]);
    let expected = json!([{"word": "zebrs", "similar": ["zebras"]}]);
    assert_eq!(found["unmatched"], expected);
}

/// The enclosing headings are read once for each file, not once for each hit.
#[test]
fn every_hit_of_a_file_of_many_sections_has_its_headings() {
    let sections = (0..6_000).map(|at| format!("## S{at}\n\n### Part\n\nzebra\n"));
    let guide = format!("# Guide\n\n{}", sections.collect::<String>());
    let world = World::built(&[("guide.md", &guide)]);
    let found = search(&world, &["zebra", "--limit", "9999"]);
    let hits = found["results"].as_array().expect("a list");
    assert_eq!(hits.len(), 6_000);
    for hit in hits {
        let line = hit["start_line"].as_u64().expect("a line");
        let above = json!(["Guide", format!("S{}", (line - 5) / 5)]);
        assert_eq!(hit["above"], above, "{hit}");
    }
}

/// All keys of minified JSON begin on one line.
#[test]
fn sections_that_share_a_line_are_found_in_linear_time() {
    let keys: Vec<String> = (0..60_000)
        .map(|at| format!("\"zebra{at}\":\"lion\""))
        .collect();
    let world = World::built(&[("data.json", &format!("{{{}}}", keys.join(",")))]);
    let found = search(&world, &["lion", "--limit", "3"]);
    assert_eq!(files(&found).len(), 3);
}
