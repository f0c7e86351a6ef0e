//! `skc mcp install`, `uninstall` and `status`: the server's entry in the configuration files of clients.
//!
//! All files are checked before the first one is written. A file that is unreadable, too large or of unexpected
//! structure is left unchanged, and so is an entry that skc did not write, unless `--force` is given.

mod backup;
mod config_location;
mod diff;
mod edit;
mod entry;
pub(crate) mod file;
mod json_text;
mod json_write;
pub mod paste;
mod run;
pub mod status;
#[cfg(test)]
mod tests;
mod toml_text;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::clients::{Client, Clients};
use skillc_core::layout::Scope;
use skillc_core::{Error, Result};

use self::run::{Planner, Run};
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc mcp install` and `skc mcp uninstall`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SetupRequest {
    /// Agent clients, for example claude-code,codex
    #[cfg_attr(
        feature = "clap",
        arg(long, short, alias = "for", value_name = "ID,…", value_delimiter = ',')
    )]
    #[serde(default, alias = "for")]
    pub client: Vec<String>,
    /// Use the project's shared file instead of the user's
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub project: bool,
    /// Show the changes without applying them
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub dry_run: bool,
    /// Replace or remove an entry that skc did not write
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
}

/// Results for the clients' files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetupResponse {
    /// Whether this was a dry run
    pub dry_run: bool,
    /// Clients, in the requested order
    pub clients: Vec<ClientChange>,
}

/// Result for one client's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientChange {
    /// Client's id
    pub client: String,
    /// Scope of the file
    pub scope: Scope,
    /// File that the client reads
    pub path: String,
    /// Change to the server's entry
    pub change: Change,
    /// Path of the backup; null if there was no file, or no change
    pub backup: Option<String>,
    /// Change as a unified diff, for a dry run with changes
    pub diff: Option<String>,
    /// Additional notes, one line each
    pub notes: Vec<String>,
}

/// Change to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The entry was added.
    Added,
    /// Another entry was replaced.
    Replaced,
    /// The entry already existed.
    Unchanged,
    /// The entry was removed.
    Removed,
    /// There was no entry to remove.
    Absent,
}

/// Implements `skc mcp install`.
pub struct McpInstall;

impl Operation for McpInstall {
    const NAME: &'static str = "mcp install";
    const ABOUT: &'static str = "Add the MCP server to the configuration of agent clients";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc mcp install --client claude-code",
            does: "for all your projects",
        },
        Example {
            command: "skc mcp install --client cursor,vscode --project",
            does: "in shared files of this project",
        },
        Example {
            command: "skc mcp install --client codex --dry-run",
            does: "preview the change",
        },
    ];
    type Request = SetupRequest;
    type Response = SetupResponse;

    fn run(toolkit: &Toolkit, request: SetupRequest, notes: &mut Notes) -> Result<SetupResponse> {
        set_up(toolkit, &request, Run::install, notes)
    }
}

/// Implements `skc mcp uninstall`.
pub struct McpUninstall;

impl Operation for McpUninstall {
    const NAME: &'static str = "mcp uninstall";
    const ABOUT: &'static str = "Remove the MCP server from the configuration of agent clients";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc mcp uninstall --client claude-code",
            does: "remove only the entry",
        },
        Example {
            command: "skc mcp uninstall --client cursor --project --dry-run",
            does: "preview the change",
        },
    ];
    type Request = SetupRequest;
    type Response = SetupResponse;

    fn run(toolkit: &Toolkit, request: SetupRequest, notes: &mut Notes) -> Result<SetupResponse> {
        set_up(toolkit, &request, Run::uninstall, notes)
    }
}

/// Applies the plan for each client.
fn set_up<'a>(
    toolkit: &'a Toolkit,
    request: &SetupRequest,
    plan: Planner<'a>,
    notes: &mut Notes,
) -> Result<SetupResponse> {
    let clients = named(Clients::shared(), &request.client)?;
    let scope = if request.project {
        Scope::Project
    } else {
        Scope::Global
    };
    let run = Run {
        toolkit,
        scope,
        is_forced: request.force,
        is_dry: request.dry_run,
    };
    run.all(&clients, plan, notes)
}

/// Returns the clients with these ids, without duplicates.
///
/// # Errors
/// E100 if no id is given, or if an id is unknown.
fn named<'a>(clients: &'a Clients, names: &[String]) -> Result<Vec<&'a Client>> {
    if names.is_empty() {
        let known = clients.clients.iter().filter(|client| client.mcp.is_some());
        let known: Vec<&str> = known.map(|client| client.id.as_str()).collect();
        return Err(Error::InvalidOption {
            message: "no client given".into(),
            hint: Some(format!("Choose one or more with --client: {}", known.join(", ")).into()),
        });
    }
    let mut seen = BTreeSet::new();
    let found = names.iter().map(|name| clients.client(name.trim()));
    let found: Vec<&Client> = found.collect::<Result<_>>()?;
    Ok(found
        .into_iter()
        .filter(|client| seen.insert(&client.id))
        .collect())
}
