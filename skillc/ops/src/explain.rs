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
    /// Rule code or name, for example SKL205
    pub rule: String,
}

/// A rule and its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainResponse {
    /// Rule's code
    pub code: String,
    /// Rule's name
    pub name: String,
    /// Severity of its findings
    pub severity: Severity,
    /// Whether it is enabled by default
    pub default: bool,
    /// First version that has it
    pub since: String,
    /// Script and line that define it; absent for built-in rules
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Measured precision, if any
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Options besides the level
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ExplainedOption>,
    /// Documentation in Markdown
    pub page: String,
    /// The same page in the book; absent for rules of scripts and of other packages
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book: Option<String>,
}

/// An option of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedOption {
    /// Key in a configuration file
    pub name: String,
    /// Type
    pub takes: String,
    /// Meaning and default
    pub about: String,
}

/// Measured precision of a rule: its findings in public skills, and how many of a reviewed sample were correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Precision {
    /// Findings in more than a hundred public skills
    pub found: usize,
    /// Findings that were reviewed
    pub judged: usize,
    /// Reviewed findings that were correct
    pub right: usize,
}

/// The folder of the rules' pages in the book.
const RULES: &str = "docs/src/reference/rules";

/// Implements `skc explain`.
pub struct Explain;

impl Operation for Explain {
    const NAME: &'static str = "explain";
    const ABOUT: &'static str = "Explain a lint rule: what it reports, why, and how to fix it";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc explain SKL205",
            does: "by code",
        },
        Example {
            command: "skc explain heading-hierarchy",
            does: "by name",
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

/// Returns a rule's page with its metadata.
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
        book: plugins
            .is_in_book(&meta.code)
            .then(|| format!("{RULES}/{}.md", meta.code)),
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
        "E300" | "W300" => {
            "Errors that lint finds start with E300, warnings with W300; the rule's code follows"
                .to_owned()
        }
        _ => match ids.find(|id| id.eq_ignore_ascii_case(asked)) {
            Some(format) => {
                let format = shell_word(format);
                format!("That is an indexer: skc plugin doc {format}")
            }
            None => near(plugins, asked) + "List all rules: skc rules",
        },
    };
    Error::InvalidOption {
        message: format!("unknown rule '{asked}'"),
        hint: Some(hint.into()),
    }
}

/// Suggests a similar rule.
fn near(plugins: &PluginRegistry, asked: &str) -> String {
    let near = nearest(asked, plugins.rules().map(|rule| &**rule));
    near.map(|near| format!("Did you mean '{near}'? "))
        .unwrap_or_default()
}
