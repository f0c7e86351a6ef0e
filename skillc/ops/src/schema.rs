//! `skc schema`: the JSON Schema of configuration files, for editors.
//!
//! Design: R12, R16.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillc_core::Result;
use skillc_core::clients::Clients;
use skillc_core::config::{OnImport, Toolset};
use skillc_lint::config::schema;

use crate::catalog::schema as catalog;
use crate::notes::Notes;
use crate::operation::{Example, Operation};
use crate::toolkit::Toolkit;

/// Arguments of `skc schema`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct SchemaRequest {
    /// Configuration file to describe
    #[cfg_attr(feature = "clap", arg(value_name = "FILE"))]
    pub of: SchemaOf,
}

/// A configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum SchemaOf {
    /// .skillc/config.toml
    Config,
    /// .skilllint.toml
    Lint,
}

/// A JSON Schema.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct SchemaResponse(pub Value);

/// Implements `skc schema`.
pub struct Schema;

impl Operation for Schema {
    const NAME: &'static str = "schema";
    const ABOUT: &'static str = "Print the JSON Schema of a configuration file";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc schema config > config.schema.json",
            does: "schema of .skillc/config.toml",
        },
        Example {
            command: "skc schema lint > skilllint.schema.json",
            does: "schema of .skilllint.toml",
        },
    ];
    type Request = SchemaRequest;
    type Response = SchemaResponse;

    fn run(toolkit: &Toolkit, request: SchemaRequest, _: &mut Notes) -> Result<SchemaResponse> {
        let (plugins, clients) = (toolkit.plugins(), Clients::shared());
        Ok(SchemaResponse(match request.of {
            SchemaOf::Lint => schema::schema(plugins, clients),
            SchemaOf::Config => config(&schema::body(plugins, clients)),
        }))
    }
}

/// Returns the schema of `config.toml`. `lint`: the schema of its `[lint]` table.
fn config(lint: &Value) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skc configuration",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "version": {"description": "Version of this file format", "const": 1},
            "search": {
                "description": "Search settings",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "tokenizer": {
                        "description": "How text is split into words; default 'ascii'",
                        "enum": ["ascii", "cjk"],
                    },
                },
            },
            "targets": {
                "description": "Directories for --target, by name",
                "type": "object",
                "additionalProperties": {"type": "string", "minLength": 1},
            },
            "deploy": {
                "description": "Where skc build deploys a project's skills",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "scope": {
                        "description": "'project': the project's agent folders; 'user' (default): the user's agent folders",
                        "enum": ["project", "user", "repo", "global"],
                    },
                },
            },
            "audit": {
                "description": "Audit log of server calls",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "enabled": {"description": "Whether calls are logged; default true", "type": "boolean"},
                    "retention_days": {
                        "description": "How many days calls are kept; default 90",
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 36_500,
                    },
                },
            },
            "registry": {
                "description": "Skill registry database",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "path": {
                        "description": "Path of the database; allowed only in the user's configuration file",
                        "type": "string",
                        "minLength": 1,
                    },
                    "strict": {
                        "description": "Whether the server refuses to start if the database is unusable; default false",
                        "type": "boolean",
                    },
                },
            },
            "mcp": {
                "description": "MCP server",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "toolset": {
                        "description": "Which tools to offer; default 'all'",
                        "enum": Toolset::ALL.map(Toolset::as_str),
                    },
                },
            },
            "security": {
                "description": "Security scan",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "on_import": {
                        "description": "What 'skc build' does when a security scan finds something in a skill to be imported; default 'warn'",
                        "enum": OnImport::ALL.map(OnImport::as_str),
                    },
                },
            },
            "skills": catalog::skills(),
            "catalog": catalog::catalog(),
            "permissions": catalog::permissions(),
            "lint": lint,
        },
    })
}
