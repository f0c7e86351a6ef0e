//! What several commands have in common on the command line.

use std::path::PathBuf;

use clap::{Arg, ArgAction, value_parser};
#[cfg(not(all(feature = "http", feature = "mcp", feature = "picker")))]
use skillc_core::Error;
use skillc_ops::Example;

/// The group of commands about the server for agents; alone it is the server.
pub(crate) const MCP: &str = "mcp";

/// The group of commands about rules and formats that are scripts.
pub(crate) const PLUGIN: &str = "plugin";

/// Where options that every command has stand in its help: after its own.
pub(crate) const COMMON: usize = 900;

/// The argument that names scripts: on the command line only, as it names files of the user's.
pub(crate) fn plugin_arg() -> Arg {
    Arg::new(PLUGIN)
        .long(PLUGIN)
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .action(ArgAction::Append)
        .display_order(COMMON)
        .help("Load the rules and formats of this script, or of the scripts in this folder, too")
}

/// Sets out examples in two columns.
pub(crate) fn examples(examples: &[Example]) -> String {
    let width = examples
        .iter()
        .map(|example| example.command.len())
        .max()
        .unwrap_or_default();
    let line = |example: &Example| format!("\n  {:width$}   {}", example.command, example.does);
    format!("Examples:{}", examples.iter().map(line).collect::<String>())
}

/// Says that a part of the program was left out when it was built. `feature`: the part, as Cargo knows it.
#[cfg(not(all(feature = "http", feature = "mcp", feature = "picker")))]
pub(crate) fn left_out(feature: &str) -> Error {
    let with = format!("cargo install skillc --features {feature}");
    Error::invalid_option(format!(
        "this skc was built without the feature '{feature}'; build it with: {with}"
    ))
}
