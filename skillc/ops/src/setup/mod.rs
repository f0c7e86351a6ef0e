//! `skc mcp install`, `uninstall` and `status`: the entry of this server in the files of agent clients.
//!
//! Every file is looked at before the first one is written. A file that cannot be read, is too large or means something
//! else is left alone, and so is an entry that somebody else wrote.

mod backup;
mod diff;
mod edit;
mod entry;
pub(crate) mod file;
mod json_text;
mod json_write;
pub mod paste;
mod place;
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
    /// Agent clients, by id, separated by commas
    #[cfg_attr(
        feature = "clap",
        arg(long, short, value_name = "ID", value_delimiter = ',')
    )]
    #[serde(default)]
    pub client: Vec<String>,
    /// Use the file of the project, which others share
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub project: bool,
    /// Show what would change, and change nothing
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub dry_run: bool,
    /// Change an entry of this name that somebody else wrote
    #[cfg_attr(feature = "clap", arg(long, short))]
    #[serde(default)]
    pub force: bool,
}

/// What became of the clients' files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetupResponse {
    /// Whether nothing was changed, as asked for
    pub dry_run: bool,
    /// Clients, as they were named
    pub clients: Vec<ClientChange>,
}

/// What became of a client's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientChange {
    /// Client's id
    pub client: String,
    /// Whose file it is
    pub scope: Scope,
    /// File that the client reads
    pub path: String,
    /// What was done to its entry, or would be
    pub change: Change,
    /// Where the file's former content is; null if there was none, or nothing changed
    pub backup: Option<String>,
    /// Change as a unified diff, for a dry run that would change something
    pub diff: Option<String>,
    /// What else to do or to know, one line each
    pub notes: Vec<String>,
}

/// What is done to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// There was none.
    Added,
    /// There was another one.
    Replaced,
    /// It was there already.
    Unchanged,
    /// It was there.
    Removed,
    /// There was nothing to remove.
    Absent,
}

/// Puts the server into clients' files.
pub struct McpInstall;

impl Operation for McpInstall {
    const NAME: &'static str = "mcp install";
    const ABOUT: &'static str = "Put the server into the configuration of agent clients";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc mcp install --client claude-code",
            does: "for all your projects",
        },
        Example {
            command: "skc mcp install --client cursor,vscode --project",
            does: "for everybody who works on this project",
        },
        Example {
            command: "skc mcp install --client codex --dry-run",
            does: "see what it would change",
        },
    ];
    type Request = SetupRequest;
    type Response = SetupResponse;

    fn run(toolkit: &Toolkit, request: SetupRequest, notes: &mut Notes) -> Result<SetupResponse> {
        set_up(toolkit, &request, Run::install, notes)
    }
}

/// Takes the server out of clients' files.
pub struct McpUninstall;

impl Operation for McpUninstall {
    const NAME: &'static str = "mcp uninstall";
    const ABOUT: &'static str = "Take the server out of the configuration of agent clients";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc mcp uninstall --client claude-code",
            does: "the file is as before otherwise",
        },
        Example {
            command: "skc mcp uninstall --client cursor --project --dry-run",
            does: "see what it would change",
        },
    ];
    type Request = SetupRequest;
    type Response = SetupResponse;

    fn run(toolkit: &Toolkit, request: SetupRequest, notes: &mut Notes) -> Result<SetupResponse> {
        set_up(toolkit, &request, Run::uninstall, notes)
    }
}

/// Does with each client what is planned for it.
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

/// Returns the clients of these names, each once.
///
/// # Errors
/// E100 if there are none, or one is not known.
fn named<'a>(clients: &'a Clients, names: &[String]) -> Result<Vec<&'a Client>> {
    if names.is_empty() {
        let known = clients.clients.iter().filter(|client| client.mcp.is_some());
        let known: Vec<&str> = known.map(|client| client.id.as_str()).collect();
        return Err(Error::InvalidOption {
            message: "no client is named".into(),
            hint: Some(format!("Name one with --client: {}", known.join(", ")).into()),
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
