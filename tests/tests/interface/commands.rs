//! The commands and their parameters match the specification.

use clap::{Arg, ArgAction};

/// Commands with their positional arguments and options; `=` marks a default.
///
/// Not in the specification: `scan`, `explain`, `rules`, `schema`, `path`, `audit`, `plugin` and `--plugin`; the
/// options of `lint` for rules, clients and fixes; and `--all` and `--limit` of `stats`. Not in this table: `mcp`,
/// which another test covers, and `--format` and `--verbose`, which every command has.
const COMMANDS: [(&str, &str, &str); 21] = [
    ("init", "[name]", "--global -g"),
    (
        "lint",
        "[skill]",
        "--select, --ignore, --extend-select, --preset, --client, --force -f, --fix, --unsafe-fixes, --diff, --matrix, --baseline, --write-baseline, --no-baseline, --changed-since, --statistics, --stdin, --stdin-filename, --watch, --quiet -q, --max-warnings, --shard, --resume, --output, --plugin",
    ),
    ("scan", "[skill]", "--strict, --since, --baseline, --output"),
    ("explain", "<rule>", "--plugin"),
    ("rules", "", "--select, --preset, --plugin"),
    ("schema", "<of>", ""),
    ("budget", "[skill]", "--client, --context, --max"),
    ("doctor", "[skill]", "--client -c, --all"),
    (
        "build",
        "[skill]",
        "--all, --global -g, --target -t, --scope, --in-place, --copy, --client, --force -f, --plugin",
    ),
    (
        "remove",
        "<skill>",
        "--global -g, --target -t, --source, --logs, --dry-run, --yes -y",
    ),
    ("clean", "", "--logs, --dry-run"),
    (
        "list",
        "",
        "--scope =all, --status =all, --limit -l, --pattern -p, --check-obsolete",
    ),
    ("outline", "<skill>", "--level"),
    (
        "search",
        "<skill> [query] [more_words]",
        "--all, --build, --context =0, --file, --limit -l =10, --phrase, --plugin, --raw, --type",
    ),
    (
        "show",
        "<skill> [heading]",
        "--section, --file, --nth, --line, --max-lines",
    ),
    ("open", "<skill> <path>", "--lines, --max-lines"),
    (
        "sources",
        "<skill>",
        "--depth, --dir, --limit -l =100, --pattern -p",
    ),
    ("path", "<skill> [file]", ""),
    (
        "stats",
        "[skill]",
        "--all, --group-by =summary, --since, --until, --project, --limit -l =100, --prune, --before, --yes, --output",
    ),
    ("sync", "[skill]", "--project, --dry-run"),
    (
        "audit",
        "",
        "--tool, --since, --until, --errors, --limit -l =50",
    ),
];

/// Formats an option as in the table.
fn option(arg: &Arg) -> String {
    let long = format!("--{}", arg.get_long().unwrap_or_default());
    let short = arg.get_short().map(|short| format!("-{short}"));
    let takes_value = !matches!(arg.get_action(), ArgAction::SetTrue);
    let default = takes_value
        .then(|| arg.get_default_values().first())
        .flatten();
    let default = default.map(|value| format!("={}", value.to_string_lossy()));
    [Some(long), short, default]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

fn positional(arg: &Arg) -> String {
    let name = arg.get_id();
    if arg.is_required_set() {
        format!("<{name}>")
    } else {
        format!("[{name}]")
    }
}

/// C-OVERVIEW@7.1, C-COMMANDS.2, C-COMMANDS.3, C-COMMANDS.4.
/// C-COMMANDS.6, C-COMMANDS.7, C-COMMANDS.8, CL.5; CL.7: `sync` has no `--purge`.
#[test]
fn each_command_has_the_specified_parameters() {
    let command = skillc::command();
    for (name, arguments, options) in COMMANDS {
        let command = command.find_subcommand(name).expect(name);
        let found: Vec<String> = command.get_positionals().map(positional).collect();
        assert_eq!(found.join(" "), arguments, "{name}");
        let own = command.get_opts().filter(|arg| arg.get_id() != "format");
        let mut found: Vec<String> = own.map(option).collect();
        found.sort();
        let mut expected: Vec<&str> = options
            .split(", ")
            .filter(|option| !option.is_empty())
            .collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{name}");
    }
}

/// CL.5: the short options are `-o` and `-v`.
#[test]
fn each_command_takes_a_format_and_defaults_to_text() {
    let command = skillc::command();
    for (name, ..) in COMMANDS {
        let command = command.find_subcommand(name).expect(name);
        let format = command
            .get_arguments()
            .find(|arg| arg.get_id() == "format")
            .expect(name);
        assert_eq!(option(format), "--format -o =text", "{name}");
    }
    let verbose = command
        .get_arguments()
        .find(|arg| arg.get_id() == "verbose")
        .expect("it is global");
    assert_eq!(option(verbose), "--verbose -v");
    assert!(verbose.is_global_set());
}

/// G-INTRO.1, C-COMMANDS.1: names that are reserved for later versions are not used for anything else.
#[test]
fn commands_are_the_specified_ones_and_our_additions() {
    let command = skillc::command();
    let names: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let specified = COMMANDS.map(|(name, ..)| name);
    assert_eq!(
        names,
        [
            &specified[..],
            &[
                "mcp",
                "catalog",
                "plugin",
                "registry",
                "self",
                "lsp",
                "tour",
                "completions",
                "man"
            ]
        ]
        .concat()
    );
    let server = command.find_subcommand("mcp").expect("should exist");
    let names: Vec<&str> = server
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    assert_eq!(names, ["install", "uninstall", "status"]);
    let skills = command.find_subcommand("skills").expect("the alias");
    assert_eq!(skills.get_name(), "catalog");
    for name in [
        "list", "search", "load", "context", "inspect", "enable", "disable", "allow", "deny",
    ] {
        assert!(skills.find_subcommand(name).is_some(), "{name}");
    }
    let scripts = command.find_subcommand("plugin").expect("should exist");
    for name in ["list", "check", "doc", "new", "test"] {
        assert!(scripts.find_subcommand(name).is_some(), "{name}");
    }
    let rows = command.find_subcommand("registry").expect("should exist");
    for name in ["sync", "list", "get", "path"] {
        assert!(rows.find_subcommand(name).is_some(), "{name}");
    }
    let own = command.find_subcommand("self").expect("should exist");
    assert!(own.find_subcommand("check").is_some());
}
