//! Help output.

use clap::Command;
use skillc_tests::World;

/// Returns the help of `skc` and of every command, by command name.
fn helps() -> Vec<(String, String)> {
    let mut root = skillc::command();
    root.build();
    let mut all = vec![("skc".to_owned(), root.render_long_help().to_string())];
    for command in root.get_subcommands_mut() {
        all.push((
            command.get_name().to_owned(),
            command.render_long_help().to_string(),
        ));
    }
    all
}

/// Returns the command lines below `Examples:`.
fn examples(help: &str) -> impl Iterator<Item = &str> {
    let (_, below) = help.split_once("Examples:\n").unwrap_or_default();
    below
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.trim().split("   ").next())
}

/// Splits a command line like a shell, but supports only the syntax of the examples. Drops redirections.
fn words(line: &str) -> Vec<String> {
    let line = line.split(" > ").next().unwrap_or(line);
    let mut words = Vec::new();
    for (at, piece) in line.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_owned)),
            _ => words.push(piece.to_owned()),
        }
    }
    words
}

/// CL.4, F-41.
#[test]
fn every_command_has_examples_and_every_example_parses() {
    for (name, help) in helps().into_iter().filter(|(name, _)| name != "help") {
        let lines: Vec<&str> = examples(&help).collect();
        assert!(!lines.is_empty(), "{name} has no example");
        for line in lines {
            let parsed = skillc::command().try_get_matches_from(words(line));
            let used = parsed.unwrap_or_else(|e| panic!("{line}: {e}"));
            let named = used.subcommand_name().expect("a command");
            assert!(name == "skc" || name == named, "{name}: {line}");
        }
    }
}

/// CL.4: users do not have the specification.
#[test]
fn help_does_not_cite_the_specification() {
    for (name, help) in helps() {
        for word in [
            "RFC", "ADR", "LEDGER", "RULINGS", "C-", "D-", "Request", "`",
        ] {
            assert!(!help.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn every_command_and_argument_has_a_description() {
    fn check(command: &Command) {
        let about = command.get_about().expect("a description").to_string();
        assert!(!about.is_empty() && !about.ends_with('.'), "{about}");
        for arg in command.get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(
                !help.is_empty() && !help.ends_with('.'),
                "{}: {arg}",
                command.get_name()
            );
        }
    }
    let root = skillc::command();
    check(&root);
    root.get_subcommands().for_each(check);
}

#[test]
fn help_is_the_same_by_option_and_by_command() {
    let world = World::new();
    for command in skillc::command().get_subcommands() {
        let name = command.get_name();
        let by_option = world.skc([name, "--help"]).success();
        let by_command = world.skc(["help", name]).success();
        assert_eq!(by_option.text(), by_command.text(), "{name}");
        assert!(
            by_option
                .text()
                .starts_with(&command.get_about().expect("a description").to_string())
        );
    }
}

#[test]
fn version_prints_the_package_version() {
    let output = World::new().skc(["--version"]).success();
    assert_eq!(
        output.text(),
        concat!("skc ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
