//! `skc catalog inspect` and `context_inspect`: the skill roots, the active rules and limits, and the skills that the
//! run has loaded.
//!
//! Design: catalog-commands, catalog-tools, CAT-CONF.2, CAT-CONF.3, CAT-PROTO.4, CAT-PROTO.5.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::settings::{Rule, Unruled};
use skillc_catalog::text::injected;
use skillc_catalog::{Audience, Catalog, LoadedVersion, Scope, Versions};
use skillc_core::Result;

use super::Look;
use super::list::CatalogListResponse;
use super::runs::versions;
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

/// Arguments of `skc catalog inspect`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogInspectRequest {
    /// Also return the catalog, its folders and the loaded skills
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    pub include_skills: bool,
    /// Value of 'run' in the response to an earlier load
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    pub run: Option<String>,
}

/// State of the catalog for the working directory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CatalogInspectResponse {
    /// Id of the run
    pub run_id: String,
    /// Working directory, canonical
    pub working_dir: String,
    /// Catalog root
    pub root_dir: String,
    /// State of the catalog, if requested
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<InspectedSkills>,
}

/// State of the catalog.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InspectedSkills {
    /// The part that agents can see
    #[serde(flatten)]
    pub seen: Inspected,
    /// Permission rules; not shown to agents
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<InspectedRules>,
}

/// State of the catalog, without the rules.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Inspected {
    /// Whether skills are enabled
    pub enabled: bool,
    /// Catalog root
    pub root_dir: String,
    /// Working directory, canonical
    pub working_dir: String,
    /// Skill folders, highest precedence first
    pub roots: Vec<InspectedRoot>,
    /// The skills
    pub catalog: CatalogListResponse,
    /// Skills loaded in this run, by path
    pub loaded_versions: Vec<LoadedVersion>,
    /// Limits, by table of the configuration
    pub limits: Limits,
    /// Size of the skill list that an agent gets at the start of a session
    pub injected: Injected,
}

/// A folder that may hold skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InspectedRoot {
    /// Its path
    pub path: String,
    /// Its scope
    pub scope: Scope,
    /// Its kind
    pub origin: &'static str,
    /// Whether it exists
    pub exists: bool,
    /// Number of skills found in it
    pub entries: usize,
}

/// Permission rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InspectedRules {
    /// Decision if no rule matches: allow, confirm or deny; null if not set
    pub default: Option<Cow<'static, str>>,
    /// Allow rules, with the files that contain them
    pub allow: Vec<String>,
    /// Deny rules, with the files that contain them
    pub deny: Vec<String>,
}

/// Limits, by table and key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Limits {
    /// `[skills.initial]`
    pub initial: InitialLimits,
    /// `[skills.search]`
    pub search: SearchLimits,
    /// `[skills.load]`
    pub load: LoadLimits,
    /// `[catalog]`
    pub catalog: ScanLimits,
}

/// Limits of the skill list that an agent gets at the start of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitialLimits {
    /// Maximum number of skills
    pub max_entries: usize,
    /// Maximum size in bytes
    pub max_bytes: usize,
}

/// Limits of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchLimits {
    /// Default number of results
    pub default_limit: usize,
    /// Maximum number of results
    pub max_limit: usize,
}

/// Limits of a load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoadLimits {
    /// Maximum number of files listed
    pub max_files: usize,
    /// Maximum size of the file list in bytes
    pub max_listing_bytes: usize,
    /// Maximum size of SKILL.md in bytes
    pub max_body_bytes: usize,
}

/// Limits of skill discovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScanLimits {
    /// Maximum depth below a root
    pub max_depth: usize,
    /// Maximum number of directories per root
    pub max_dirs: usize,
}

/// Size of the skill list that an agent gets at the start of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Injected {
    /// Number of skills
    pub entries: usize,
    /// Size of their entries in bytes
    pub bytes: usize,
    /// Whether skills were left out
    pub truncated: bool,
}

/// Implements `skc catalog inspect`.
pub struct CatalogInspect;

skillc_core::inventory::submit!(tool_of::<CatalogInspect>());

impl Operation for CatalogInspect {
    const NAME: &'static str = "catalog inspect";
    const ABOUT: &'static str = "Show the skill folders, rules and limits in effect here";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog inspect",
            does: "directories, rules, limits",
        },
        Example {
            command: "SKC_RUN_ID=r1 skc catalog inspect -o json",
            does: "with the skills loaded in run r1, as JSON",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "context_inspect",
        title: "Inspect the context",
        about: "Show the working directory and, if requested, the skill folders, loaded skills and limits.",
        effect: Effect::Reads,
        form: Form::Envelope,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = CatalogInspectRequest;
    type Response = CatalogInspectResponse;

    fn run(
        toolkit: &Toolkit,
        request: CatalogInspectRequest,
        notes: &mut Notes,
    ) -> Result<CatalogInspectResponse> {
        let catalog = toolkit.catalog(Look::IfDue, notes);
        let versions = versions(toolkit, request.run.as_deref(), notes);
        let chain = &catalog.chain;
        let is_persons = toolkit.audience == Audience::Person;
        Ok(CatalogInspectResponse {
            run_id: versions.run().to_owned(),
            working_dir: chain.working_dir.to_string_lossy().into_owned(),
            root_dir: chain.root.to_string_lossy().into_owned(),
            skills: (is_persons || request.include_skills).then(|| InspectedSkills {
                rules: is_persons.then(|| rules(&catalog)),
                seen: Inspected::new(catalog, &versions, toolkit.audience),
            }),
        })
    }
}

impl Inspected {
    /// Describes the skills that an audience may see, and those that a run has loaded.
    fn new(catalog: Arc<Catalog>, versions: &Versions, audience: Audience) -> Self {
        let block = injected(&catalog);
        let block = block.as_ref();
        Self {
            enabled: catalog.settings.enabled,
            root_dir: catalog.chain.root.to_string_lossy().into_owned(),
            working_dir: catalog.chain.working_dir.to_string_lossy().into_owned(),
            roots: roots(&catalog),
            loaded_versions: versions.passed_on(&catalog),
            limits: limits(&catalog),
            injected: Injected {
                entries: block.map_or(0, |block| block.entries),
                bytes: block.map_or(0, |block| block.bytes),
                truncated: block.is_some_and(|block| block.left_out > 0),
            },
            catalog: CatalogListResponse::all(catalog, audience),
        }
    }
}

fn roots(catalog: &Catalog) -> Vec<InspectedRoot> {
    let roots = catalog.found().roots.iter().map(|seen| InspectedRoot {
        path: seen.root.path.to_string_lossy().into_owned(),
        scope: seen.root.scope,
        origin: seen.root.origin.as_str(),
        exists: seen.exists,
        entries: seen.entries,
    });
    roots.collect()
}

impl Limits {
    /// Returns the keys of each table with their values.
    pub fn tables(&self) -> [(&'static str, Vec<(&'static str, usize)>); 4] {
        let (initial, search, load) = (&self.initial, &self.search, &self.load);
        [
            (
                "initial",
                vec![
                    ("max_entries", initial.max_entries),
                    ("max_bytes", initial.max_bytes),
                ],
            ),
            (
                "search",
                vec![
                    ("default_limit", search.default_limit),
                    ("max_limit", search.max_limit),
                ],
            ),
            (
                "load",
                vec![
                    ("max_files", load.max_files),
                    ("max_listing_bytes", load.max_listing_bytes),
                    ("max_body_bytes", load.max_body_bytes),
                ],
            ),
            (
                "catalog",
                vec![
                    ("max_depth", self.catalog.max_depth),
                    ("max_dirs", self.catalog.max_dirs),
                ],
            ),
        ]
    }
}

fn limits(catalog: &Catalog) -> Limits {
    let settings = &catalog.settings;
    Limits {
        initial: InitialLimits {
            max_entries: settings.initial.max_entries,
            max_bytes: settings.initial.max_bytes,
        },
        search: SearchLimits {
            default_limit: settings.search.default_limit,
            max_limit: settings.search.max_limit,
        },
        load: LoadLimits {
            max_files: settings.load.max_files,
            max_listing_bytes: settings.load.max_listing_bytes,
            max_body_bytes: settings.load.max_body_bytes,
        },
        catalog: ScanLimits {
            max_depth: settings.discovery.project.max_depth,
            max_dirs: settings.discovery.project.max_dirs,
        },
    }
}

fn rules(catalog: &Catalog) -> InspectedRules {
    let permissions = &catalog.settings.permissions;
    let texts = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect();
    let default = permissions.unruled.map(|unruled| match unruled {
        Unruled::Allow => "allow".into(),
        Unruled::Confirm => "confirm".into(),
        Unruled::Deny => "deny".into(),
    });
    InspectedRules {
        default,
        allow: texts(&permissions.allow),
        deny: texts(&permissions.deny),
    }
}
