//! `skc rules`: lists the lint rules.
//!
//! Design: C-REGISTRY, R3.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::Result;
use skillc_lint::rule::preset::Preset;
use skillc_lint::{Activation, Choice, Rule, RuleMeta, Severity};

use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts};
use crate::toolkit::Toolkit;

/// Arguments of `skc rules`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RulesRequest {
    /// Only these rules, for example SKL205 or SKL2 (comma-separated)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULES", value_delimiter = ',')
    )]
    #[serde(default)]
    pub select: Vec<String>,
    /// Show which rules this preset enables
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME", value_parser = crate::lint::preset_parser())
    )]
    #[serde(default)]
    pub preset: Option<Preset>,
}

/// The rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RulesResponse {
    /// Rules by code
    pub rules: Vec<ListedRule>,
}

/// A rule in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedRule {
    /// Rule's code
    pub code: String,
    /// Rule's name
    pub name: String,
    /// Severity of its findings
    pub severity: Severity,
    /// Whether the preset enables it
    pub default: bool,
    /// First version that has it
    pub since: String,
    /// Script and line that define it; absent for built-in rules
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// One-line summary
    pub summary: String,
}

/// Implements `skc rules`.
pub struct Rules;

impl Operation for Rules {
    const NAME: &'static str = "rules";
    const ABOUT: &'static str = "List the lint rules";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc rules",
            does: "all rules, including disabled ones",
        },
        Example {
            command: "skc rules --preset spec",
            does: "which ones preset 'spec' enables",
        },
        Example {
            command: "skc rules --select SKL3",
            does: "only rules about links",
        },
    ];
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = RulesRequest;
    type Response = RulesResponse;

    fn run(toolkit: &Toolkit, request: RulesRequest, _: &mut Notes) -> Result<RulesResponse> {
        let rules: Vec<Arc<dyn Rule>> = if request.select.is_empty() {
            toolkit.plugins().rules().cloned().collect()
        } else {
            let select = request.select;
            let is_named = |meta: &RuleMeta| select.iter().any(|word| selects(word, meta));
            let always: Vec<String> = toolkit
                .plugins()
                .rules()
                .map(|rule| rule.meta())
                .filter(|meta| meta.activation == Activation::Always && !is_named(meta))
                .map(|meta| meta.code.to_string())
                .collect();
            let choice = Choice {
                select,
                // Rules that always run are listed only if selected.
                ignore: always,
                ..Choice::default()
            };
            let chosen = choice.rules(toolkit.plugins())?;
            chosen.into_iter().map(|(rule, _)| rule).collect()
        };
        let plugins = toolkit.plugins();
        let preset = request.preset.unwrap_or_default();
        let rules = rules.iter().map(|rule| {
            let meta = rule.meta();
            listed(meta, preset, plugins.script_of_rule(&meta.code))
        });
        Ok(RulesResponse {
            rules: rules.collect(),
        })
    }
}

/// Returns whether a selector matches a rule.
fn selects(word: &str, meta: &RuleMeta) -> bool {
    let word = word.trim().to_ascii_uppercase();
    word == "ALL" || meta.code.starts_with(&*word) || meta.name.eq_ignore_ascii_case(&word)
}

fn listed(meta: &RuleMeta, preset: Preset, script: Option<&str>) -> ListedRule {
    ListedRule {
        code: meta.code.to_string(),
        name: meta.name.to_string(),
        severity: meta.severity,
        default: preset.has(meta),
        since: meta.since.to_string(),
        script: script.map(str::to_owned),
        summary: meta.summary(),
    }
}
