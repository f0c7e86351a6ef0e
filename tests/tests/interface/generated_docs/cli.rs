//! The commands page, generated from the clap definition.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

use super::{cell, header, row};

pub(crate) fn page() -> String {
    let mut root = skillc::command();
    root.build();
    let mut page = "# Commands\n\n".to_owned();
    page += "Results go to standard output, everything else to standard error. The exit status is 0 on success and 1 \
             after an error; `lint` and `scan` also exit with status 1 after a finding of severity `error`. A dash \
             under *Default* means that there is no default.\n\n";
    let commands = commands(&root, "");
    page += &header(&["Command", "What it does"]);
    for (name, command) in &commands {
        let anchor = name.replace(' ', "-");
        page += &row(&[&format!("[`skc {name}`](#skc-{anchor})"), &about(command)]);
    }
    page += "\nEvery command also takes:\n\n";
    page += &header(&["Option", "Meaning"]);
    for arg in ["verbose", "help"]
        .iter()
        .filter_map(|id| root.get_arguments().find(|arg| arg.get_id() == id))
    {
        page += &row(&[&name(arg), &meaning(arg)]);
    }
    for (title, command) in commands {
        section(&title, command, &mut page);
    }
    page
}

/// Returns the subcommands with their full names, depth first: `mcp`, `mcp install` …
fn commands(above: &Command, prefix: &str) -> Vec<(String, Command)> {
    let below = above
        .get_subcommands()
        .filter(|command| command.get_name() != "help");
    below
        .flat_map(|command| {
            let name = format!("{prefix}{}", command.get_name());
            let grouped = commands(command, &format!("{name} "));
            [(name, command.clone())].into_iter().chain(grouped)
        })
        .collect()
}

fn section(title: &str, mut command: Command, page: &mut String) {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    write!(
        page,
        "\n## skc {title}\n\n{}.\n\n```text\n{usage}\n```\n",
        about(&command)
    )
    .expect("writing to a string cannot fail");
    let is_own = |arg: &&Arg| !["verbose", "help"].contains(&arg.get_id().as_str());
    let (arguments, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(is_own)
        .partition(|arg| arg.is_positional());
    table("Argument", &arguments, page);
    table("Option", &options, page);
    let examples = command
        .get_before_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let examples = examples
        .trim_start_matches("Examples:\n")
        .lines()
        .map(|line| {
            let (typed, does) = line.trim().split_once("   ").unwrap_or((line, ""));
            format!("# {}\n{typed}\n", does.trim())
        });
    write!(
        page,
        "\n```sh\n{}```\n",
        examples.collect::<Vec<_>>().join("\n")
    )
    .expect("writing to a string cannot fail");
}

fn table(title: &str, args: &[&Arg], page: &mut String) {
    if args.is_empty() {
        return;
    }
    page.push('\n');
    *page += &header(&[title, "Meaning", "Default"]);
    for arg in args {
        *page += &row(&[&name(arg), &meaning(arg), &default(arg)]);
    }
}

fn about(command: &Command) -> String {
    cell(
        &command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default(),
    )
}

/// Formats the name of an argument, for example `-l`, `--limit <N>`; `<SKILL>`; `[NAME]`.
fn name(arg: &Arg) -> String {
    let value = arg
        .get_value_names()
        .and_then(|names| names.first())
        .map(ToString::to_string);
    let value = value.unwrap_or_else(|| arg.get_id().as_str().to_uppercase());
    // A `|` would end the table cell.
    let value = value.replace('|', "\\|");
    let Some(long) = arg.get_long() else {
        return if arg.is_required_set() {
            format!("`<{value}>`")
        } else {
            format!("`[{value}]`")
        };
    };
    let value = if arg.get_action().takes_values() {
        format!(" <{value}>")
    } else {
        String::new()
    };
    let short = arg
        .get_short()
        .map(|short| format!("`-{short}`, "))
        .unwrap_or_default();
    format!("{short}`--{long}{value}`")
}

/// Returns the help and the possible values of an argument.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let choices = if arg.get_action().takes_values() {
        arg.get_possible_values()
    } else {
        Vec::new()
    };
    let choices: Vec<String> = choices
        .iter()
        .map(|choice| {
            let help = choice
                .get_help()
                .map(|help| format!(" ({help})"))
                .unwrap_or_default();
            format!("`{}`{help}", choice.get_name())
        })
        .collect();
    if choices.is_empty() {
        cell(&help)
    } else {
        format!("{}: {}", cell(&help), choices.join(", "))
    }
}

fn default(arg: &Arg) -> String {
    if arg.is_required_set() {
        return "required".to_owned();
    }
    let is_hidden = arg.is_hide_default_value_set();
    let values = if is_hidden || matches!(arg.get_action(), ArgAction::SetTrue) {
        &[]
    } else {
        arg.get_default_values()
    };
    values.first().map_or_else(
        || "-".to_owned(),
        |value| format!("`{}`", value.to_string_lossy()),
    )
}
