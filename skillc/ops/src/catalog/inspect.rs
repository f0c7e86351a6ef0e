//! `skc catalog inspect` and `context_inspect`: where skills come from here, which rules and limits hold, what the run has
//! loaded.
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
    /// Add the catalog, its roots, and what was loaded
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    pub include_skills: bool,
    /// Handle from the answer of a load
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(default)]
    pub run: Option<String>,
}

/// What is known of the working directory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CatalogInspectResponse {
    /// The run
    pub run_id: String,
    /// Working directory, canonical
    pub working_dir: String,
    /// Catalog root
    pub root_dir: String,
    /// What is known of skills, if asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<InspectedSkills>,
}

/// What is known of skills.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InspectedSkills {
    /// What agents can ask for, too
    #[serde(flatten)]
    pub seen: Inspected,
    /// What is allowed and denied; for people only
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<InspectedRules>,
}

/// What is known of skills, but for the rules.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Inspected {
    /// Whether skills are in use
    pub enabled: bool,
    /// Catalog root
    pub root_dir: String,
    /// Working directory, canonical
    pub working_dir: String,
    /// Directories that may hold skills, the first rank first
    pub roots: Vec<InspectedRoot>,
    /// The skills
    pub catalog: CatalogListResponse,
    /// What the run has loaded, by path
    pub loaded_versions: Vec<LoadedVersion>,
    /// Limits, by the tables of the configuration
    pub limits: Limits,
    /// How much of the catalog an agent is told at the start
    pub injected: Injected,
}

/// A directory that may hold skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InspectedRoot {
    /// Where it is
    pub path: String,
    /// Whose its skills are
    pub scope: Scope,
    /// Its kind
    pub origin: &'static str,
    /// Whether it is there
    pub exists: bool,
    /// Skills that come from it
    pub entries: usize,
}

/// What is allowed and denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InspectedRules {
    /// What holds where no rule does: allow, confirm or deny; null if nothing is set
    pub default: Option<Cow<'static, str>>,
    /// Rules that allow, with their files
    pub allow: Vec<String>,
    /// Rules that deny, with their files
    pub deny: Vec<String>,
}

/// Limits, by the tables of the configuration and their keys.
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

/// How much an agent is told at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitialLimits {
    /// Skills
    pub max_entries: usize,
    /// Bytes of all of them
    pub max_bytes: usize,
}

/// How many results a search has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchLimits {
    /// Unless more are asked for
    pub default_limit: usize,
    /// Whatever is asked for
    pub max_limit: usize,
}

/// How much of a skill is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoadLimits {
    /// Files that are listed
    pub max_files: usize,
    /// Bytes of that list
    pub max_listing_bytes: usize,
    /// Bytes of SKILL.md
    pub max_body_bytes: usize,
}

/// How far skills are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScanLimits {
    /// Levels below a root
    pub max_depth: usize,
    /// Directories of a root
    pub max_dirs: usize,
}

/// How much of the catalog an agent is told at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Injected {
    /// Skills
    pub entries: usize,
    /// Bytes of their elements
    pub bytes: usize,
    /// Whether there are more
    pub truncated: bool,
}

/// The operation.
pub struct CatalogInspect;

skillc_core::inventory::submit!(tool_of::<CatalogInspect>());

impl Operation for CatalogInspect {
    const NAME: &'static str = "catalog inspect";
    const ABOUT: &'static str =
        "Show where skills come from here, and the rules and limits that hold";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog inspect",
            does: "directories, rules, limits",
        },
        Example {
            command: "SKC_RUN_ID=r1 skc catalog inspect -o json",
            does: "with what the run has loaded, for a program",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "context_inspect",
        title: "Inspect the context",
        about: "Show the working directory and, if asked, where skills come from, which are loaded, and the limits.",
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
                seen: Inspected::of(catalog, &versions, toolkit.audience),
            }),
        })
    }
}

impl Inspected {
    /// Describes a catalog as far as an audience may see it, and what a run has loaded.
    fn of(catalog: Arc<Catalog>, versions: &Versions, audience: Audience) -> Self {
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
