//! All commands use the same words for scopes, clients and formats. Deprecated words are accepted but hidden.

use clap::Command;
use skillc_tests::World;

/// Returns every command with its full name in words, such as `skc`, `mcp`, `install`.
fn commands() -> Vec<(Vec<String>, Command)> {
    fn collect(words: &[String], command: &Command, all: &mut Vec<(Vec<String>, Command)>) {
        for inner in command.get_subcommands() {
            let words = [words, &[inner.get_name().to_owned()]].concat();
            all.push((words.clone(), inner.clone()));
            collect(&words, inner, all);
        }
    }
    let mut all = Vec::new();
    collect(&["skc".to_owned()], &skillc::command(), &mut all);
    all
}

/// Returns the commands that have this option.
fn with_option(long: &str) -> Vec<(Vec<String>, Command)> {
    let mut found = commands();
    found.retain(|(_, command)| {
        command
            .get_arguments()
            .any(|arg| arg.get_long() == Some(long))
    });
    assert!(found.len() > 2, "several commands must have --{long}");
    found
}

/// Returns whether the option accepts the value. Other arguments may be missing.
fn accepts(words: &[String], option: &str, value: &str) -> bool {
    let line = words.iter().map(String::as_str).chain([option, value]);
    match skillc::command().try_get_matches_from(line) {
        Ok(_) => true,
        Err(error) => error.kind() == clap::error::ErrorKind::MissingRequiredArgument,
    }
}

#[test]
fn every_scope_option_accepts_the_same_words() {
    for (words, command) in with_option("scope") {
        for scope in ["project", "user", "repo", "global"] {
            assert!(accepts(&words, "--scope", scope), "{words:?} {scope}");
        }
        assert!(!accepts(&words, "--scope", "mine"), "{words:?}");
        let shown = command.clone().render_long_help().to_string();
        assert!(
            !shown.contains("repo,") && !shown.contains("- repo"),
            "{shown}"
        );
        assert!(!shown.contains("- global"), "{shown}");
    }
}

#[test]
fn clients_are_selected_by_the_same_option_everywhere() {
    for (words, command) in with_option("client") {
        assert!(accepts(&words, "--client", "codex"), "{words:?}");
        assert!(accepts(&words, "--for", "codex"), "{words:?}");
        let shown = command.clone().render_long_help().to_string();
        assert!(!shown.contains("--for "), "{shown}");
    }
    let all = commands();
    let named_for = all.iter().filter(|(_, command)| {
        command
            .get_arguments()
            .any(|arg| arg.get_long() == Some("for"))
    });
    assert_eq!(named_for.count(), 0);
}

#[test]
fn help_begins_with_examples_and_groups_all_commands() {
    let world = World::new();
    let help = world.skc(["--help"]).success();
    let text = help.text();
    for group in ["Author", "Read", "Agents", "Measure", "Extend"] {
        assert!(
            text.lines().any(|line| line.starts_with(group)),
            "{group}: {text}"
        );
    }
    for (words, command) in commands() {
        let mut command = command.clone();
        let help = command.render_long_help().to_string();
        let (before, after) = help.split_once("\nUsage:").expect("usage");
        assert!(before.contains("\nExamples:\n"), "{words:?}: {before}");
        assert!(!after.contains("\nExamples:"), "{words:?}");
    }
}

#[test]
fn explain_ends_with_the_page_in_the_book() {
    let world = World::new();
    let output = world.skc(["explain", "SKL205"]).success();
    let last = output.text().lines().last().unwrap_or_default().to_owned();
    assert_eq!(last, "More: docs/src/reference/rules/SKL205.md");
    let page = last.trim_start_matches("More: ");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    assert!(std::path::Path::new(root).join(page).is_file(), "{page}");
}
