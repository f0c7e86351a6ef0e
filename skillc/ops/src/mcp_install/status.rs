//! `skc mcp status`: shows which clients have the server configured, and in which file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::Result;
use skillc_core::clients::{Client, Clients};
use skillc_core::layout::Scope;
use skillc_core::mcp_config::McpFormat;

use crate::mcp_install::config_location::ConfigLocation;
use crate::mcp_install::entry::{Judgement, additions, is_disabled, judge, likely_command};
use crate::mcp_install::{edit, named};
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc mcp status`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct StatusRequest {
    /// Only these clients, for example claude-code,codex [default: all]
    #[cfg_attr(
        feature = "clap",
        arg(long, short, alias = "for", value_name = "ID,…", value_delimiter = ',')
    )]
    #[serde(default, alias = "for")]
    pub client: Vec<String>,
    /// Only files of the project
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub project: bool,
}

/// Where the server is configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusResponse {
    /// The clients' files, the user's before the project's; a client without files has one element
    pub clients: Vec<ClientStatus>,
}

/// State of a client's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientStatus {
    /// Client's id
    pub client: String,
    /// Scope of the file
    pub scope: Option<Scope>,
    /// File that the client reads
    pub path: Option<String>,
    /// Whether it has the server
    pub state: State,
    /// Remarks: what another entry starts, or what is wrong with the file
    pub detail: Option<String>,
}

/// Whether a file has the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The file has the server's entry.
    Installed,
    /// The file has the entry, but it is disabled.
    Disabled,
    /// The entry with the server's name starts something else.
    Different,
    /// The file does not have the entry.
    Absent,
    /// The file does not exist.
    NoFile,
    /// The file cannot be read.
    Unreadable,
    /// The file type is not supported.
    ByHand,
    /// The client has no such file.
    Unsupported,
}

impl State {
    /// Returns the state as text, for example `no-file`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Disabled => "disabled",
            Self::Different => "different",
            Self::Absent => "absent",
            Self::NoFile => "no-file",
            Self::Unreadable => "unreadable",
            Self::ByHand => "by-hand",
            Self::Unsupported => "unsupported",
        }
    }
}

/// Implements `skc mcp status`.
pub struct McpStatus;

impl Operation for McpStatus {
    const NAME: &'static str = "mcp status";
    const ABOUT: &'static str = "Show which agent clients have the MCP server, and in which file";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc mcp status",
            does: "all clients",
        },
        Example {
            command: "skc mcp status --client claude-code,codex",
            does: "only these clients",
        },
    ];
    type Request = StatusRequest;
    type Response = StatusResponse;

    fn run(toolkit: &Toolkit, request: StatusRequest, _: &mut Notes) -> Result<StatusResponse> {
        let clients = if request.client.is_empty() {
            Clients::shared().clients.iter().collect()
        } else {
            named(Clients::shared(), &request.client)?
        };
        let scopes: &[Scope] = if request.project {
            &[Scope::Project]
        } else {
            &[Scope::Global, Scope::Project]
        };
        let mut found = Vec::new();
        for client in clients {
            status(toolkit, client, scopes, &mut found);
        }
        Ok(StatusResponse { clients: found })
    }
}

/// Checks a client's files.
fn status(toolkit: &Toolkit, client: &Client, scopes: &[Scope], found: &mut Vec<ClientStatus>) {
    let Some(config) = &client.mcp else {
        found.push(ClientStatus {
            client: client.id.clone(),
            scope: None,
            path: None,
            state: State::Unsupported,
            detail: client.no_mcp.as_ref().map(|none| none.reason.clone()),
        });
        return;
    };
    for scope in scopes {
        if let Some(place) = ConfigLocation::find(&toolkit.context, client, config, *scope) {
            let (state, detail) = state(toolkit, &place);
            found.push(ClientStatus {
                client: client.id.clone(),
                scope: Some(*scope),
                path: Some(place.path.display().to_string()),
                state,
                detail,
            });
        }
    }
}

fn state(toolkit: &Toolkit, place: &ConfigLocation<'_>) -> (State, Option<String>) {
    let text = match place.read() {
        Ok(file) => file.text,
        Err(error) => return (State::Unreadable, Some(error.to_string())),
    };
    let Some(text) = text else {
        return (State::NoFile, None);
    };
    if place.config.format == McpFormat::Yaml {
        return (State::ByHand, None);
    }
    let seen = match edit::find(place.config, &text) {
        Ok(Some(seen)) => seen,
        Ok(None) => return (State::Absent, None),
        Err(why) => return (State::Unreadable, Some(format!("it {why}"))),
    };
    let context = &toolkit.context;
    let command = likely_command(context, place.scope);
    match judge(place.config, &seen, &command, context) {
        Judgement::Ours | Judgement::Elsewhere(_) if is_disabled(&seen) => (State::Disabled, None),
        Judgement::Ours => (State::Installed, additions(place.config, &seen)),
        Judgement::Elsewhere(line) => (State::Different, Some(line)),
        Judgement::Different(line) => (State::Different, line),
    }
}
