//! The page "In CI": its commands, options and references exist, and its files are valid YAML.

use serde_json::Value;
use skillc_ops::lint::LintResponse;
use skillc_render::Render;

use crate::ci::{check_command, read};

const PAGE: &str = "docs/src/in-ci.md";

/// Returns the code blocks of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = page.split(&fence).skip(1);
    parts
        .filter_map(|part| part.split("```").next().map(str::to_owned))
        .collect()
}

/// Returns the commands in text: from `skc ` at the start of a line up to a comment or a redirection.
fn commands(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let line = line.trim_start_matches(['-', ' ', '$']);
        let line = line.strip_prefix("run: ").unwrap_or(line);
        let line = line.strip_prefix("script: ").unwrap_or(line);
        line.starts_with("skc ").then_some(line)
    });
    let ends = |line: &str| line.find([';', '#', '>', '|']).unwrap_or(line.len());
    lines
        .map(|line| line[..ends(line)].trim().to_owned())
        .collect()
}

#[test]
fn every_command_on_the_page_exists() {
    let page = read(PAGE);
    let found: Vec<String> = ["console", "yaml", "sh", "groovy"]
        .iter()
        .flat_map(|language| blocks(&page, language))
        .flat_map(|block| commands(&block))
        .collect();
    assert!(found.len() >= 4, "{found:?}");
    for line in &found {
        check_command(line);
    }
}

#[test]
fn every_option_on_the_page_exists() {
    let page = read(PAGE);
    let command = skillc::command();
    let subcommands =
        ["lint", "scan"].map(|name| command.find_subcommand(name).expect("a command"));
    let options = subcommands.iter().flat_map(|of| of.get_arguments());
    let known: Vec<&str> = options
        .flat_map(|arg| [arg.get_long().map(|long| vec![long]), arg.get_all_aliases()])
        .flat_map(Option::unwrap_or_default)
        .collect();
    let spans = page.split('`').skip(1).step_by(2);
    let named = spans.filter_map(|span| span.strip_prefix("--"));
    for option in named.filter_map(|option| option.split([' ', '=']).next()) {
        assert!(known.contains(&option), "--{option}");
    }
    for format in LintResponse::FORMATS {
        let option = format!("--format {}", format.name());
        let is_for_ci = !["text", "concise", "json"].contains(&format.name());
        assert!(!is_for_ci || page.contains(&option), "{option}");
    }
}

#[test]
fn every_file_on_the_page_is_valid_yaml_with_existing_references() {
    let page = read(PAGE);
    let mut files = 0;
    for block in blocks(&page, "yaml") {
        let value: Value = serde_yaml::from_str(&block).unwrap_or_else(|e| panic!("{e}: {block}"));
        assert!(value.is_array() || value.is_object(), "{block}");
        files += 1;
    }
    assert!(files >= 4, "{files}");
    let hooks = read(".pre-commit-hooks.yaml");
    let known: Value = serde_yaml::from_str(&hooks).expect("hooks");
    let known: Vec<&Value> = known
        .as_array()
        .expect("a list")
        .iter()
        .map(|hook| &hook["id"])
        .collect();
    let spans = page.split('`').skip(1).step_by(2);
    let ids = page
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("- id: "));
    let named: Vec<&str> = ids
        .chain(spans.filter(|span| span.starts_with("skc-lint")))
        .collect();
    assert!(named.len() >= 3, "{named:?}");
    for id in named {
        assert!(known.contains(&&Value::from(id)), "{id}");
    }
    assert!(
        page.contains("`.github/actions/skc-lint`") && page.contains("/.github/actions/skc-lint\n")
    );
    read(".github/actions/skc-lint/action.yml");
}
