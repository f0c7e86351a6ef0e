//! Lints the whole corpus in one run; every output format reports the same findings.

use serde_json::Value;
use skillc_tests::{World, corpus};

/// Lints every skill of the corpus, including nested ones.
fn lint(format: &str) -> Option<skillc_tests::Output> {
    let skills = corpus::skills()?;
    let mut repositories: Vec<_> = skills.iter().filter_map(|skill| skill.parent()).collect();
    repositories.dedup();
    let mut args = vec!["lint", "--format", format];
    args.extend(
        repositories
            .into_iter()
            .map(|path| path.to_str().expect("a UTF-8 path")),
    );
    let world = World::new();
    Some(world.skc_at(&world.cwd, &args))
}

/// Returns the diagnostics of a JSON report, each with the path of its skill.
fn diagnostics(report: &Value) -> Vec<(&Value, &Value)> {
    let skills = report["skills"].as_array().expect("a list").iter();
    skills
        .flat_map(|skill| {
            let of_skill = skill["diagnostics"].as_array().expect("a list").iter();
            of_skill.map(move |diagnostic| (&skill["path"], diagnostic))
        })
        .collect()
}

#[test]
fn the_whole_corpus_is_linted_without_failures() {
    let Some(output) = lint("json") else { return };
    let report = output.json();
    let skills = report["skills"].as_array().expect("a list");
    assert!(skills.len() >= corpus::skills().map_or(0, |skills| skills.len()));
    for skill in skills {
        assert!(skill.get("failure").is_none(), "{skill}");
    }
    let errors = diagnostics(&report)
        .into_iter()
        .filter(|(_, found)| found["severity"] == "error");
    assert_eq!(report["error_count"], errors.count());
    assert!(!output.ok, "the corpus has errors");
}

#[test]
fn nothing_is_reported_twice() {
    let Some(output) = lint("json") else { return };
    let report = output.json();
    let place = |(path, found): (&Value, &Value)| {
        let path = path.as_str().expect("a path");
        let file = found["file"].as_str().unwrap_or_default();
        format!(
            "{path}/{file}:{}:{} {} {}",
            found["line"], found["column"], found["rule"], found["message"]
        )
    };
    let mut places: Vec<String> = diagnostics(&report).into_iter().map(place).collect();
    places.sort();
    let twice: Vec<&[String]> = places
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn every_output_format_has_every_finding() {
    let Some(output) = lint("json") else { return };
    let report = output.json();
    let found = diagnostics(&report).len();
    let text = lint("text").expect("the corpus exists");
    let headlines = text
        .stderr
        .lines()
        .filter(|line| line.starts_with("error[E300]") || line.starts_with("warning[W300]"));
    assert_eq!(headlines.count(), found);
    let concise = lint("concise").expect("the corpus exists");
    assert_eq!(concise.text().lines().count(), found);
    let sarif = lint("sarif").expect("the corpus exists").json();
    assert_eq!(
        sarif["runs"][0]["results"].as_array().map(Vec::len),
        Some(found)
    );
}

/// Thread scheduling never affects the output.
#[test]
fn two_runs_produce_the_same_output() {
    let Some(first) = lint("json") else { return };
    let second = lint("json").expect("the corpus exists");
    assert!(first.stdout == second.stdout);
}
