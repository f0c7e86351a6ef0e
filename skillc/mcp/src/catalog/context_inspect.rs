//! `context_inspect`: what a run works with: where skills come from, which it has loaded, what it was told at the start.
//!
//! Source: CATALOG 3.9, CAT-PROTO.4, CAT-PROTO.5.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_catalog::Audience;
use skillc_ops::Notes;
use skillc_ops::catalog::Look;
use skillc_ops::catalog::inspect::Inspected;

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
struct Context<'a> {
    run_id: &'a str,
    working_dir: String,
    root_dir: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Inspected>,
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "context_inspect",
        title: "Inspect the context",
        text: "Show the working directory and, if asked, where skills come from, which are loaded, and the limits.",
    };
    make::<Request, Context<'_>>(&about, call)
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
    said(&Context {
        run_id: versions.run(),
        working_dir: catalog.chain.working_dir.to_string_lossy().into_owned(),
        root_dir: catalog.chain.root.to_string_lossy().into_owned(),
        skills: request.include_skills.then(|| {
            let block = injected(job.server.toolset, &catalog);
            Inspected::of(catalog, &versions, block.as_ref(), Audience::Model)
        }),
    })
}
