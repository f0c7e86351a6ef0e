//! `skc plugin check`: reports the faults of scripts, with their positions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::{Result, Warning};

use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts, Verdict};
use crate::plugins::{Loaded, PluginFault, refused};
use crate::toolkit::Toolkit;

/// Arguments of `skc plugin check`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PluginCheckRequest {
    /// Scripts, or folders of scripts [default: all that are loaded here]
    #[cfg_attr(feature = "clap", arg(value_name = "PATH"))]
    #[serde(default)]
    pub path: Vec<String>,
}

/// Faults of scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginCheckResponse {
    /// Number of valid scripts, without built-in ones
    pub scripts: usize,
    /// Rules they define
    pub rules: usize,
    /// Indexers they define
    pub formats: usize,
    /// Faults of scripts, links and packs
    pub faults: Vec<PluginFault>,
}

/// Implements `skc plugin check`.
pub struct PluginCheck;

impl Operation for PluginCheck {
    const NAME: &'static str = "plugin check";
    const ABOUT: &'static str = "Check plug-in scripts for errors";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc plugin check",
            does: "all scripts of the project and the user",
        },
        Example {
            command: "skc plugin check rules/team.rhai",
            does: "one script",
        },
        Example {
            command: "skc plugin check rules -o json",
            does: "a folder of scripts, as JSON",
        },
    ];
    const SCRIPTS: Scripts = Scripts::Examined;
    type Request = PluginCheckRequest;
    type Response = PluginCheckResponse;

    fn run(
        toolkit: &Toolkit,
        request: PluginCheckRequest,
        notes: &mut Notes,
    ) -> Result<PluginCheckResponse> {
        if request.path.is_empty() {
            let loaded = toolkit.loaded();
            refused(loaded.missing.iter())?;
            return Ok(answer(loaded));
        }
        let loaded = toolkit.load_last(&request.path)?;
        for fault in loaded.notices.iter().cloned() {
            notes.warn(Warning::PluginLeftOut { fault });
        }
        Ok(answer(&loaded))
    }

    fn verdict(response: &PluginCheckResponse) -> Verdict {
        if response.faults.is_empty() {
            Verdict::Passed
        } else {
            Verdict::Failed
        }
    }
}

fn answer(loaded: &Loaded) -> PluginCheckResponse {
    let scripts = || loaded.scripts.iter().filter(|script| script.path.is_some());
    PluginCheckResponse {
        scripts: scripts().count(),
        rules: scripts().map(|loaded| loaded.script.rules().len()).sum(),
        formats: scripts().map(|loaded| loaded.script.indexers().len()).sum(),
        faults: [&*loaded.left_out, &loaded.faults].concat(),
    }
}
