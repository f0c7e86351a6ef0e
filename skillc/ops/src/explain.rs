//! `skc explain`: the page of one lint rule.
//!
//! Design: C-REGISTRY.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::shell::shell_word;
use skillc_core::{Error, Indexer, Result};
use skillc_lint::measured::Measurement;
use skillc_lint::rule::code::nearest;
use skillc_lint::{Activation, PluginRegistry, Rule, RuleOption, Severity};

use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts};
use crate::plugins::Loaded;
use crate::toolkit::Toolkit;

/// Arguments of `skc explain`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ExplainRequest {
    /// Rule's code or name
    pub rule: String,
}

/// A rule and its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainResponse {
    /// Rule's code
    pub code: String,
    /// Rule's name
    pub name: String,
    /// How much its findings matter
    pub severity: Severity,
    /// Whether it runs without being selected
    pub default: bool,
    /// First version that had it
    pub since: String,
    /// Script and line that it comes from, unless it is part of skc
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// How often its findings were right, where people have judged some
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// What can be set of it, besides its level
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ExplainedOption>,
    /// What it reports, why, and what to write instead, in Markdown
    pub page: String,
}

/// An option of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedOption {
    /// Its key in a configuration file
    pub name: String,
    /// What it takes
    pub takes: String,
    /// What it does, and what it is unless given
    pub about: String,
}

/// Findings of a rule in real skills that people have judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Precision {
    /// Findings in more than a hundred public skills
    pub found: usize,
    /// Findings that were judged
    pub judged: usize,
    /// Those of them that were right
    pub right: usize,
}

/// The operation.
pub struct Explain;

impl Operation for Explain {
    const NAME: &'static str = "explain";
    const ABOUT: &'static str = "Explain a lint rule";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc explain SKL205",
            does: "what it reports, why, and what to write instead",
        },
        Example {
            command: "skc explain heading-hierarchy",
            does: "the same by name",
        },
    ];
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = ExplainRequest;
    type Response = ExplainResponse;

    fn run(toolkit: &Toolkit, request: ExplainRequest, _: &mut Notes) -> Result<ExplainResponse> {
        let asked = request.rule.trim();
        let rule = toolkit.plugins().rule(asked);
        let rule = rule.ok_or_else(|| unknown(toolkit.loaded(), asked))?;
        Ok(page_of(toolkit.plugins(), &**rule))
    }
}

/// Returns a rule's page with what is known of it.
pub(crate) fn page_of(plugins: &PluginRegistry, rule: &dyn Rule) -> ExplainResponse {
    let meta = rule.meta();
    ExplainResponse {
        code: meta.code.to_string(),
        name: meta.name.to_string(),
        severity: meta.severity,
        default: meta.activation != Activation::OnRequest,
        since: meta.since.to_string(),
        script: plugins.script_of_rule(&meta.code).map(str::to_owned),
        precision: plugins.measurement(&meta.code).map(precision),
        options: rule.options().iter().map(explained).collect(),
        page: meta.page(),
    }
}

fn explained(option: &RuleOption) -> ExplainedOption {
    ExplainedOption {
        name: option.name.to_string(),
        takes: option.kind.expected(),
        about: option.about.to_string(),
    }
}

fn precision(measured: Measurement) -> Precision {
    let Measurement {
        found,
        judged,
        right,
    } = measured;
    Precision {
        found,
        judged,
        right,
    }
}

fn unknown(loaded: &Loaded, asked: &str) -> Error {
    let plugins = &loaded.plugins;
    let formats = loaded.scripts.iter().flat_map(|of| of.script.indexers());
    let mut ids = formats.map(|format| &format.meta().id);
    let hint = match asked.to_ascii_uppercase().as_str() {
        "E300" | "W300" => "Every finding begins so; the code of its rule follows".to_owned(),
        _ => match ids.find(|id| id.eq_ignore_ascii_case(asked)) {
            Some(format) => {
                let format = shell_word(format);
                format!("It is a search format: skc plugin doc {format}")
            }
            None => near(plugins, asked) + "List all rules: skc rules",
        },
    };
    Error::InvalidOption {
        message: format!("unknown rule '{asked}'"),
        hint: Some(hint.into()),
    }
}

/// Asks for the rule that may have been meant.
fn near(plugins: &PluginRegistry, asked: &str) -> String {
    let near = nearest(asked, plugins.rules().map(|rule| &**rule));
    near.map(|near| format!("Did you mean '{near}'? "))
        .unwrap_or_default()
}
