//! `skill_search`: the skills that fit a task, the best first.
//!
//! Source: CATALOG 3.9, CAT-SEARCH.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use skillc_catalog::{Found, Query, Scope, search};
use skillc_core::Error;
use skillc_ops::Notes;
use skillc_ops::catalog::Look;

use super::{About, invalid, of_error, read, said, tool as make};
use crate::arguments::Issue;
use crate::tools::{Answer, End, Entry, Failure, Job};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Words of the task, or the name, its beginning or the path of a skill
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    query: String,
    /// Most results to return
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    /// Whose skills: the project's or the user's
    #[serde(default)]
    scope: Option<Scope>,
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "skill_search",
        title: "Search skills",
        text: "Find skills for a task by words of their names and descriptions. Load one with skill_load.",
    };
    make::<Request, Found>(&about, call)
}

fn call(job: &Job<'_>, arguments: JsonObject) -> Answer {
    let mut notes = Notes::default();
    let end = found(job, arguments, &mut notes);
    Answer::new(end, notes)
}

fn found(job: &Job<'_>, arguments: JsonObject, notes: &mut Notes) -> Result<End, Failure> {
    let request: Request = read(arguments)?;
    let query = Query {
        text: request.query,
        limit: request.limit,
        scope: request.scope,
        ..Query::default()
    };
    let catalog = job.server.kept.catalog(job.toolkit, Look::IfDue, notes);
    catalog.prepare_search();
    let found = search(&catalog, &query).map_err(|error| match error {
        // A lone `$` is a query without anything in it.
        Error::EmptyQuery {} => {
            let message = "expected a text that is not blank";
            invalid(vec![Issue::new("query", "too_small", message)])
        }
        other => of_error(other),
    })?;
    said(&found)
}
