//! `skc search`: options, order, snippets, output formats and errors.

use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use rusqlite::Connection;
use serde_json::{Value, json};
use skillc::Io;
use skillc_tests::{World, database, snapshot};

use crate::searching::support::{UNUSABLE, build, place, places, search, write};

fn results(world: &World, query: &str) -> Vec<Value> {
    let json = world
        .skc(["search", "demo", query, "--format", "json"])
        .success()
        .json();
    json["results"].as_array().expect("a list").clone()
}

fn twelve() -> World {
    let files: Vec<(String, &str)> = (0..12).map(|n| (format!("{n:02}.txt"), "zebra")).collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), *text))
        .collect();
    World::built(&files)
}

/// C-SEARCH.1.
#[test]
fn the_default_limit_is_ten_results() {
    let world = twelve();
    let count = |args: &[&str]| {
        let args = [&["search", "demo", "zebra"], args].concat();
        world
            .skc_at(&world.cwd, &args)
            .success()
            .text()
            .matches("txt (score: ")
            .count()
    };
    assert_eq!(count(&[]), 10);
    assert_eq!(count(&["--limit", "3"]), 3);
    assert_eq!(count(&["-l", "11"]), 11);
    assert_eq!(count(&["--limit", "100"]), 12);
    assert_eq!(count(&["--format", "text"]), 10);
}

/// C-SEARCH.1.
#[test]
fn json_is_available_and_invalid_options_are_refused() {
    let world = twelve();
    for option in ["--format", "-o"] {
        let json = world
            .skc(["search", "demo", "zebra", option, "json"])
            .success()
            .json();
        assert_eq!(json["results"].as_array().map(Vec::len), Some(10));
    }
    world
        .skc(["search", "demo", "zebra", "--format", "xml"])
        .code("E100");
    world
        .skc(["search", "demo", "zebra", "--limit", "ten"])
        .code("E100");
    world
        .skc(["search", "demo", "zebra", "--limit", "-1"])
        .code("E100");
    world
        .skc(["search", "demo", "zebra", "--limit"])
        .code("E100");
}

/// C-SEARCH.2.
#[test]
fn scores_are_positive_and_the_best_comes_first() {
    let long = format!("zebra {}", "other words ".repeat(200));
    let world = World::built(&[
        ("a-long.txt", &long),
        ("b-often.txt", "zebra zebra zebra"),
        ("c-once.txt", "zebra once more"),
    ]);
    let results = results(&world, "zebra");
    let files: Vec<&str> = results
        .iter()
        .filter_map(|hit| hit["file"].as_str())
        .collect();
    assert_eq!(files, ["b-often.txt", "c-once.txt", "a-long.txt"]);
    let scores: Vec<f64> = results
        .iter()
        .filter_map(|hit| hit["score"].as_f64())
        .collect();
    assert!(
        scores.windows(2).all(|pair| pair[0] > pair[1]) && scores[2] > 0.0,
        "{scores:?}"
    );
}

/// C-SEARCH.2.
#[test]
fn equal_scores_are_ordered_by_file_and_line_for_any_build_history() {
    let text = "# zebra one\n\n# zebra two\n";
    let others = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt"].map(|name| (name, "lion"));
    let files = [&[("a.md", "# lion\n"), ("b.md", text)], &others[..]].concat();
    let world = World::built(&files);
    // In the index, the rows of an edited file come after all others.
    write(&world, "a.md", text);
    build(&world);
    let expected = [
        place("a.md", "zebra one"),
        place("a.md", "zebra two"),
        place("b.md", "zebra one"),
        place("b.md", "zebra two"),
    ];
    assert_eq!(places(&world, "zebra"), expected);
    // The limit does not change the order.
    for limit in 1..expected.len() {
        let found = world.skc([
            "search",
            "demo",
            "zebra",
            "-o",
            "json",
            "-l",
            &limit.to_string(),
        ]);
        let found = found.success().json();
        let found = found["results"].as_array().expect("a list").iter();
        let found = found.map(|hit| (hit["file"].clone(), hit["section"].clone()));
        let expected = expected.iter().take(limit);
        assert!(found.eq(expected.map(|(file, section)| (json!(file), json!(section)))));
    }
}

/// C-SEARCH.3.
#[test]
fn the_snippet_is_32_tokens_of_content_by_fts5() {
    let text = format!("{} zebra {}", "before ".repeat(60), "after ".repeat(60));
    let world = World::built(&[("zebra.txt", &text)]);
    let connection = Connection::open(world.demo_index()).expect("a database");
    let sql = "SELECT snippet(sections, 2, '[MATCH]', '[/MATCH]', '...', 32) FROM sections WHERE sections MATCH '\"zebra\"'";
    let expected: String = connection
        .query_row(sql, [], |row| row.get(0))
        .expect("a row");
    let snippet = results(&world, "zebra")[0]["snippet"].clone();
    assert_eq!(snippet, expected);
    let words = expected.trim_matches('.').split_whitespace().count();
    assert!(
        words == 32 && expected.starts_with("...") && expected.ends_with("..."),
        "{expected}"
    );
    assert!(expected.contains(" [MATCH]zebra[/MATCH] "), "{expected}");
}

/// C-SEARCH.4.
#[test]
fn json_has_the_query_verbatim_and_every_location() {
    let world = World::built(&[
        ("notes.txt", "a zebra"),
        ("b.md", "Before a zebra.\n\n# H\n\nno\n"),
    ]);
    let json = world
        .skc(["search", "demo", "  Zebra\t", "-o", "json"])
        .success()
        .json();
    assert_eq!(json["query"], "  Zebra\t");
    let results = json["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    for (hit, file, snippet, lines) in [
        (&results[0], "notes.txt", "a [MATCH]zebra[/MATCH]", (1, 2)),
        (
            &results[1],
            "b.md",
            "Before a [MATCH]zebra[/MATCH].\n\n",
            (1, 3),
        ),
    ] {
        assert_eq!(hit["file"], file);
        assert_eq!(hit["section"], "");
        assert_eq!(hit["snippet"], snippet);
        assert!(hit["score"].is_f64(), "{hit}");
        assert_eq!(
            (hit["start_line"].as_u64(), hit["end_line"].as_u64()),
            (Some(lines.0), Some(lines.1))
        );
    }
}

/// C-SEARCH.5.
#[test]
fn no_matches_is_success_with_an_empty_list() {
    let world = World::built(&[]);
    let output = world
        .skc(["search", "demo", "absent", "-o", "json"])
        .success();
    let expected = json!({
        "query": "absent", "results": [], "root": world.demo_source(),
        "unmatched": [{"word": "absent", "similar": []}],
    });
    assert_eq!(output.json(), expected);
    let output = world.skc(["search", "demo", "absent"]).success();
    assert_eq!(
        (output.text(), output.stderr.as_str()),
        ("No matches.\n", "No section contains 'absent'.\n")
    );
}

/// The tokenizer drops punctuation, so a query without letters and digits cannot match.
#[test]
fn a_query_without_letters_and_digits_is_explained() {
    let output = World::built(&[]).skc(["search", "demo", "***"]).success();
    assert_eq!(output.text(), "No matches.\n");
    let said = "The query has no letters or digits, so it matches nothing.\n";
    assert_eq!(output.stderr, said);
}

/// C-SEARCH.7, C-ERRORS@4.1.
#[test]
fn every_error_has_its_code() {
    let world = World::demo(&[]);
    fs::create_dir_all(world.cwd.join(".skillc/skills/hollow")).expect("a directory");
    world
        .skc(["search", "absent", "x"])
        .error("error[E001]: skill 'absent' not found");
    world.skc(["search", "hollow", "x"]).code("E010");
    let empty = world.skc(["search", "demo", ""]);
    empty.error("error[E004]: empty query");
    assert!(empty.stderr.contains("Give at least one word"), "{empty:?}");
    search(&world).error(UNUSABLE);
    world
        .skc(["search", "demo", "x", "--limit", "x"])
        .code("E100");
}

/// C-ERRORS@4.1, C-SEARCH.7, C-INDEX.7, C-INDEX.9.
#[test]
fn an_index_of_another_directory_is_a_collision_until_deleted() {
    let world = World::built(&[]);
    let index = world.demo_index();
    database::change(
        &index,
        "UPDATE index_meta SET value = '/another/skill' WHERE key = 'skill_path'",
    );
    let before = snapshot(&world.demo_runtime());
    let name = index
        .file_name()
        .and_then(|name| name.to_str())
        .expect("UTF-8")
        .to_owned();
    let error =
        format!("error[E003]: index hash collision; delete .skillc-meta/{name} and rebuild");
    search(&world).error(&error);
    world
        .skc(["show", "demo", "--section", "Demo"])
        .error(&error);
    world.skc(["build", "demo"]).error(&error);
    assert_eq!(snapshot(&world.demo_runtime()), before);
    fs::remove_file(index).expect("the user deletes it");
    world.skc(["build", "demo"]).success();
    search(&world).success();
}

/// C-SEARCH.8.
#[test]
fn words_in_file_names_and_headings_match() {
    let world = World::built(&[(
        "references/quickstart.md",
        "# Install zebra\n\ntext\n\n## More\n\nlion\n",
    )]);
    assert_eq!(
        places(&world, "quickstart"),
        [place("references/quickstart.md", "More")]
    );
    assert_eq!(places(&world, "quickstart lion install").len(), 1);
    assert_eq!(places(&world, "references md more")[0].1, "More");
}

/// G-TEST.5, D-SEARCH-TEXT.
#[test]
fn text_output_has_a_location_line_and_a_snippet_line() {
    let world = World::built(&[
        ("a/guide.md", "# Set up\n\nfirst\n\n  second\tzebra\n"),
        ("notes.txt", "lion"),
    ]);
    let text = search_text(&world, "zebra");
    let (place, rest) = text.split_once(" (score: ").expect("a score");
    let (_, snippet) = rest.split_once(")\n").expect("a second line");
    assert_eq!(place, "a/guide.md#Set up");
    let expected = "  # Set up first second [MATCH]zebra[/MATCH]\n  skc show demo --file a/guide.md --line 1\n";
    assert_eq!(snippet, expected);
    assert!(search_text(&world, "lion").starts_with("notes.txt (score: "));
}

#[test]
fn tiny_scores_are_readable_in_text_and_exact_in_json() {
    let files: Vec<(String, String)> = (0..20)
        .map(|n| (format!("f{n}.txt"), "zebra\n".to_owned()))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(f, t)| (f.as_str(), t.as_str()))
        .collect();
    let world = World::built(&files);
    let text = search_text(&world, "zebra");
    assert!(text.starts_with("f0.txt (score: below 0.01)\n"), "{text}");
    let json = world.skc(["search", "demo", "zebra", "-o", "json"]).json();
    let score = json["results"][0]["score"].as_f64().expect("a number");
    assert!(score > 0.0 && score < 0.01, "{score}");
}

/// C-SEARCH.3: the section consists of several megabytes of a log, and contains many words that begin with the prefix
/// in the query.
#[test]
fn the_snippet_of_a_very_large_section_has_the_match() {
    let filler = "consul opened, convoy to host\n".repeat(110_000);
    let log = format!("{filler}connected to zanzibar\n{filler}");
    let world = World::built(&[("server.txt", &log)]);
    for query in ["connected", "connected zanzibar", "zanzibar"] {
        let text = search_text(&world, query);
        let marked = text.contains("[MATCH]connected[/MATCH]") || text.contains("[MATCH]zanzibar");
        assert!(marked, "{query}: {text}");
    }
}

fn search_text(world: &World, query: &str) -> String {
    world
        .skc(["search", "demo", query])
        .success()
        .text()
        .to_owned()
}

/// D-SEARCH-TEXT.
#[test]
fn on_a_terminal_matches_are_coloured_and_literal_markers_kept() {
    let world = World::built(&[("a.txt", "see [/MATCH] and a zebra")]);
    let args: Vec<OsString> = ["skc", "search", "demo", "zebra"]
        .map(OsString::from)
        .to_vec();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        out_is_styled: true,
        err_is_styled: false,
    };
    let status = skillc::run(&args, &mut io, world.context_at(&world.cwd));
    assert_eq!(status, ExitCode::SUCCESS);
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(
        text.contains("see [/MATCH] and a \u{1b}[32mzebra\u{1b}[0m\n"),
        "{text:?}"
    );
}

/// C-OVERVIEW@4.1.
#[test]
fn every_hit_can_be_shown() {
    let world = World::built(&[(
        "references/guide.md",
        "# Guide\n\n## Feeding\n\nZebras eat grass.\n\n## Housing\n\nA field.\n",
    )]);
    let hit = &results(&world, "zebras grass")[0];
    let (file, section) = (
        hit["file"].as_str().expect("a file"),
        hit["section"].as_str().expect("a section"),
    );
    let shown = world
        .skc(["show", "demo", "--section", section, "--file", file])
        .success();
    assert_eq!(shown.text(), "## Feeding\n\nZebras eat grass.\n\n");
}
