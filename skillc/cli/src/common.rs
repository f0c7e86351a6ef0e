//! Parts that several commands share.

use std::path::PathBuf;

use clap::{Arg, ArgAction, value_parser};
#[cfg(not(all(feature = "http", feature = "lsp", feature = "mcp", feature = "picker")))]
use skillc_core::Error;

/// The group of commands about the MCP server; without a subcommand it runs the server.
pub(crate) const MCP: &str = "mcp";

/// The name of the command group for rules and indexers in scripts, and of the option `--plugin`.
pub(crate) const PLUGIN: &str = "plugin";

/// Display order of options that many commands share: in help, they follow a command's own options.
pub(crate) const COMMON: usize = 900;

/// Builds `--plugin`. MCP tools do not have this option, because it names files on the user's machine.
pub(crate) fn plugin_arg() -> Arg {
    Arg::new(PLUGIN)
        .long(PLUGIN)
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .action(ArgAction::Append)
        .display_order(COMMON)
        .help("Also load this script, or all scripts in this folder")
}

/// Returns the error for a feature that was disabled at build time. `feature`: its Cargo name.
#[cfg(not(all(feature = "http", feature = "lsp", feature = "mcp", feature = "picker")))]
pub(crate) fn left_out(feature: &str) -> Error {
    let with = format!("cargo install skillc --features {feature}");
    Error::invalid_option(format!(
        "this skc was built without the feature '{feature}'; to add the feature: {with}"
    ))
}
