//! `context_inspect`: what a run works with: where skills come from, which it has loaded, what it was told at the start.
//!
//! Source: CATALOG 3.9, CAT-PROTO.4, CAT-PROTO.5.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::{Catalog, LoadedVersion, Scope, SkillCatalog, Versions};
use skillc_core::config::Toolset;
use skillc_ops::Notes;
use skillc_ops::catalog::Look;

use super::instructions::injected;
use super::{About, read, said, tool as make};
use crate::tools::{Answer, End, Entry, Failure, Job};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Add the catalog, its roots, and what was loaded
    #[serde(default)]
    include_skills: bool,
    /// Handle from the answer of a load
    #[serde(default)]
    run: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Inspected<'a> {
    run_id: &'a str,
    working_dir: String,
    root_dir: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Skills<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Skills<'a> {
    enabled: bool,
    root_dir: String,
    working_dir: String,
    roots: Vec<Root<'a>>,
    catalog: SkillCatalog<'a>,
    loaded_versions: Vec<LoadedVersion>,
    limits: Limits,
    injected: Injected,
}

#[derive(Serialize, JsonSchema)]
struct Root<'a> {
    path: String,
    scope: Scope,
    origin: &'a str,
    exists: bool,
    entries: usize,
}

/// The settings, by the names that the configuration has for them.
#[derive(Serialize, JsonSchema)]
struct Limits {
    initial: Initial,
    search: Search,
    load: Load,
    catalog: Bounds,
}

#[derive(Serialize, JsonSchema)]
struct Initial {
    max_entries: usize,
    max_bytes: usize,
}

#[derive(Serialize, JsonSchema)]
struct Search {
    default_limit: usize,
    max_limit: usize,
}

#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "as the configuration has them")]
struct Load {
    max_files: usize,
    max_listing_bytes: usize,
    max_body_bytes: usize,
}

#[derive(Serialize, JsonSchema)]
struct Bounds {
    max_depth: usize,
    max_dirs: usize,
}

/// How much of the catalog is in the server's instructions.
#[derive(Serialize, JsonSchema)]
struct Injected {
    entries: usize,
    bytes: usize,
    truncated: bool,
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "context_inspect",
        title: "Inspect the context",
        text: "Show the working directory and, if asked, where skills come from, which are loaded, and the limits.",
    };
    make::<Request, Inspected<'_>>(&about, call)
}

fn call(job: &Job<'_>, arguments: JsonObject) -> Answer {
    let mut notes = Notes::default();
    let end = inspected(job, arguments, &mut notes);
    Answer::new(end, notes)
}

fn inspected(job: &Job<'_>, arguments: JsonObject, notes: &mut Notes) -> Result<End, Failure> {
    let request: Request = read(arguments)?;
    let catalog = job.server.kept.catalog(job.toolkit, Look::IfDue, notes);
    let versions = job.server.kept.runs.versions(job, request.run.as_deref());
    let toolset = job.server.toolset;
    let skills = request
        .include_skills
        .then(|| skills(&catalog, &versions, toolset));
    said(&Inspected {
        run_id: versions.run(),
        working_dir: working_dir(&catalog),
        root_dir: root_dir(&catalog),
        skills,
    })
}

fn working_dir(catalog: &Catalog) -> String {
    catalog.chain.working_dir.to_string_lossy().into_owned()
}

fn root_dir(catalog: &Catalog) -> String {
    catalog.chain.root.to_string_lossy().into_owned()
}

fn skills<'a>(catalog: &'a Catalog, versions: &Versions, toolset: Toolset) -> Skills<'a> {
    let roots = catalog.found().roots.iter().map(|seen| Root {
        path: seen.root.path.to_string_lossy().into_owned(),
        scope: seen.root.scope,
        origin: seen.root.origin.as_str(),
        exists: seen.exists,
        entries: seen.entries,
    });
    let block = injected(toolset, catalog);
    Skills {
        enabled: catalog.settings.enabled,
        root_dir: root_dir(catalog),
        working_dir: working_dir(catalog),
        roots: roots.collect(),
        catalog: catalog.passed_on(),
        loaded_versions: versions.passed_on(catalog),
        limits: limits(catalog),
        injected: Injected {
            entries: block.as_ref().map_or(0, |block| block.entries),
            bytes: block.as_ref().map_or(0, |block| block.bytes),
            truncated: block.is_some_and(|block| block.left_out > 0),
        },
    }
}

fn limits(catalog: &Catalog) -> Limits {
    let settings = &catalog.settings;
    Limits {
        initial: Initial {
            max_entries: settings.initial.max_entries,
            max_bytes: settings.initial.max_bytes,
        },
        search: Search {
            default_limit: settings.search.default_limit,
            max_limit: settings.search.max_limit,
        },
        load: Load {
            max_files: settings.load.max_files,
            max_listing_bytes: settings.load.max_listing_bytes,
            max_body_bytes: settings.load.max_body_bytes,
        },
        catalog: Bounds {
            max_depth: settings.discovery.max_depth,
            max_dirs: settings.discovery.max_dirs,
        },
    }
}
