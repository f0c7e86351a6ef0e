//! `skc plugin list`: scripted rules and indexers, and where they are defined.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::{Indexer, Result};
use skillc_lint::{Activation, Rule, Severity};

use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts};
use crate::plugins::LoadedScript;
use crate::toolkit::Toolkit;

/// Arguments of `skc plugin list`: none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PluginListRequest {}

/// Scripted rules and indexers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginListResponse {
    /// Rules by code
    pub rules: Vec<ScriptedLint>,
    /// Indexers by id
    pub formats: Vec<ScriptedFormat>,
}

/// A scripted rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScriptedLint {
    /// Rule's code
    pub code: String,
    /// Rule's name
    pub name: String,
    /// Severity of its findings
    pub severity: Severity,
    /// Whether it is enabled by default
    pub default: bool,
    /// Script and line that define it
    pub script: String,
    /// Pack that contains the script
    pub pack: Option<PackName>,
}

/// A scripted indexer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScriptedFormat {
    /// Indexer's id
    pub id: String,
    /// File extensions, without dot
    pub extensions: Vec<String>,
    /// Script and line that define it
    pub script: String,
    /// Pack that contains the script
    pub pack: Option<PackName>,
}

/// A pack of scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackName {
    /// Its name
    pub name: String,
    /// Its version
    pub version: String,
}

/// Implements `skc plugin list`.
pub struct PluginList;

impl Operation for PluginList {
    const NAME: &'static str = "plugin list";
    const ABOUT: &'static str = "List scripted rules and indexers";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc plugin list",
            does: "all rules and indexers, with their scripts",
        },
        Example {
            command: "skc plugin list --plugin ./rules",
            does: "including those in a folder",
        },
    ];
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = PluginListRequest;
    type Response = PluginListResponse;

    fn run(toolkit: &Toolkit, _: PluginListRequest, _: &mut Notes) -> Result<PluginListResponse> {
        let scripts = &toolkit.loaded().scripts;
        let mut rules: Vec<ScriptedLint> = scripts.iter().flat_map(rules_of).collect();
        let mut formats: Vec<ScriptedFormat> = scripts.iter().flat_map(formats_of).collect();
        rules.sort_by(|one, other| one.code.cmp(&other.code));
        formats.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(PluginListResponse { rules, formats })
    }
}

fn rules_of(loaded: &LoadedScript) -> impl Iterator<Item = ScriptedLint> {
    loaded.script.rules().iter().map(|rule| {
        let meta = rule.meta();
        ScriptedLint {
            code: meta.code.to_string(),
            name: meta.name.to_string(),
            severity: meta.severity,
            default: meta.activation != Activation::OnRequest,
            script: format!("{}:{}", loaded.script.name(), rule.line()),
            pack: pack_of(loaded),
        }
    })
}

fn formats_of(loaded: &LoadedScript) -> impl Iterator<Item = ScriptedFormat> {
    loaded.script.indexers().iter().map(|indexer| {
        let meta = indexer.meta();
        ScriptedFormat {
            id: meta.id.to_string(),
            extensions: meta.extensions.iter().map(ToString::to_string).collect(),
            script: format!("{}:{}", loaded.script.name(), indexer.line()),
            pack: pack_of(loaded),
        }
    })
}

/// Returns the pack of a script; built-in scripts belong to a pack called `skc`.
fn pack_of(loaded: &LoadedScript) -> Option<PackName> {
    if loaded.path.is_none() {
        return Some(PackName {
            name: "skc".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
    }
    let pack = loaded.pack.as_ref()?;
    Some(PackName {
        name: pack.name.clone(),
        version: pack.version.clone(),
    })
}
