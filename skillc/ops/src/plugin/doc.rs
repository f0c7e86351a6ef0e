//! `skc plugin doc`: generates documentation pages for scripted rules and indexers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::did_you_mean::nearest;
use skillc_core::{Error, Indexer, Result};
use skillc_lint::Rule;

use crate::explain::{ExplainResponse, page_of};
use crate::notes::Notes;
use crate::operation::{Example, Operation, Scripts};
use crate::plugins::{Loaded, LoadedScript};
use crate::toolkit::Toolkit;

/// Arguments of `skc plugin doc`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PluginDocRequest {
    /// Rules, indexers, scripts or folders [default: all loaded here]
    #[cfg_attr(feature = "clap", arg(value_name = "CODE|PATH"))]
    #[serde(default)]
    pub what: Vec<String>,
}

/// Documentation pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginDocResponse {
    /// Rules, by code
    pub rules: Vec<ExplainResponse>,
    /// Indexers, by id
    pub formats: Vec<FormatPage>,
}

/// An indexer and its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormatPage {
    /// Indexer's id
    pub id: String,
    /// File extensions, without dot
    pub extensions: Vec<String>,
    /// Script and line that define it
    pub script: String,
    /// Documentation in Markdown
    pub page: String,
}

/// Implements `skc plugin doc`.
pub struct PluginDoc;

impl Operation for PluginDoc {
    const NAME: &'static str = "plugin doc";
    const ABOUT: &'static str = "Print Markdown documentation of scripted rules and indexers";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc plugin doc > docs/rules.md",
            does: "all scripts of the project and the user",
        },
        Example {
            command: "skc plugin doc TEAM001",
            does: "one rule",
        },
        Example {
            command: "skc plugin doc rules/team.rhai",
            does: "everything one script defines",
        },
    ];
    const SCRIPTS: Scripts = Scripts::Used;
    type Request = PluginDocRequest;
    type Response = PluginDocResponse;

    fn run(
        toolkit: &Toolkit,
        request: PluginDocRequest,
        _: &mut Notes,
    ) -> Result<PluginDocResponse> {
        let mut pages = PluginDocResponse::default();
        if request.what.is_empty() {
            let loaded = toolkit.loaded();
            let scripts = loaded.scripts.iter();
            for script in scripts.filter(|script| script.path.is_some()) {
                pages.add(loaded, script, |_| true);
            }
        }
        for asked in &request.what {
            if toolkit.context.cwd.join(asked).exists() {
                let loaded = toolkit.load_only(std::slice::from_ref(asked))?;
                loaded.check_named()?;
                let scripts = loaded.scripts.iter();
                for script in scripts.filter(|script| script.path.is_some()) {
                    pages.add(&loaded, script, |_| true);
                }
                continue;
            }
            let loaded = toolkit.loaded();
            let before = pages.len();
            for script in &loaded.scripts {
                pages.add(loaded, script, |name| name.eq_ignore_ascii_case(asked));
            }
            if pages.len() == before {
                return Err(unknown(loaded, asked.trim()));
            }
        }
        pages.rules.sort_by(|one, other| one.code.cmp(&other.code));
        pages.rules.dedup();
        pages.formats.sort_by(|one, other| one.id.cmp(&other.id));
        pages.formats.dedup();
        Ok(pages)
    }
}

impl PluginDocResponse {
    fn len(&self) -> usize {
        self.rules.len() + self.formats.len()
    }

    /// Adds the rules and indexers of a script that were requested by code, name or id.
    fn add(&mut self, loaded: &Loaded, of: &LoadedScript, is_asked: impl Fn(&str) -> bool) {
        for rule in of.script.rules() {
            let meta = rule.meta();
            if is_asked(&meta.code) || is_asked(&meta.name) {
                self.rules.push(page_of(&loaded.plugins, &**rule));
            }
        }
        for indexer in of.script.indexers() {
            let meta = indexer.meta();
            if is_asked(&meta.id) {
                let lines = meta.doc.lines();
                let lines =
                    lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n");
                self.formats.push(FormatPage {
                    id: meta.id.to_string(),
                    extensions: meta.extensions.iter().map(ToString::to_string).collect(),
                    script: format!("{}:{}", of.script.name(), indexer.line()),
                    page: lines.collect(),
                });
            }
        }
    }
}

fn unknown(loaded: &Loaded, asked: &str) -> Error {
    let rules = loaded.scripts.iter().flat_map(|of| of.script.rules());
    let rules = rules.flat_map(|rule| [rule.meta().code.to_string(), rule.meta().name.to_string()]);
    let indexers = loaded.scripts.iter().flat_map(|of| of.script.indexers());
    let names = rules.chain(indexers.map(|indexer| indexer.meta().id.to_string()));
    let meant = nearest(asked, names).map(|meant| format!("Did you mean '{meant}'? "));
    let all = "List scripted rules and indexers: skc plugin list";
    // Scripted rules have been looked up already, so a rule that is found here is built in.
    let hint = match loaded.plugins.rule(asked) {
        Some(rule) => format!("That is a built-in rule: skc explain {}", rule.meta().code),
        None => meant.unwrap_or_default() + all,
    };
    Error::InvalidOption {
        message: format!("unknown rule, indexer or script '{asked}'"),
        hint: Some(hint.into()),
    }
}
