//! `skc catalog search` and `skill_search`: ranks skills by a query, best match first.
//!
//! Design: catalog-commands, catalog-tools, catalog-freshness, CAT-SEARCH.

use schemars::JsonSchema;
use serde::Deserialize;
use skillc_catalog::{Catalog, Query, search};
use skillc_core::Result;

use super::Look;
use super::settings;
use crate::notes::Notes;
use crate::operation::{Example, Operation, tool_of};
use crate::registry::warm;
use crate::scope::ScopeFilter;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

pub use skillc_catalog::{Reason, SearchResults};

/// Arguments of `skc catalog search`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogSearchRequest {
    /// The task in any words, or a skill's name, name prefix or path
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub query: String,
    /// Maximum number of skills, up to the configured limit
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N"))]
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Only skills of this scope
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(default)]
    pub scope: Option<ScopeFilter>,
}

/// Implements `skc catalog search`.
pub struct CatalogSearch;

skillc_core::inventory::submit!(tool_of::<CatalogSearch>());

impl Operation for CatalogSearch {
    const NAME: &'static str = "catalog search";
    const ABOUT: &'static str = "Search the skills that agents can load here, best matches first";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog search release",
            does: "skills that mention 'release'",
        },
        Example {
            command: "skc catalog search \"review a pull request\" --limit 3",
            does: "the three best matches",
        },
        Example {
            command: "skc catalog search repo- --scope user",
            does: "the user's skills named repo-…",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "skill_search",
        title: "Search skills",
        about: "Find skills for a task, best first: pass the task as it was given to you. Load one with skill_load. \
                If 'confident' is false, probably no skill fits.",
        effect: Effect::Reads,
        form: Form::Envelope,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = CatalogSearchRequest;
    type Response = SearchResults;

    fn run(
        toolkit: &Toolkit,
        request: CatalogSearchRequest,
        notes: &mut Notes,
    ) -> Result<SearchResults> {
        let query = Query {
            text: request.query,
            limit: request.limit,
            scope: request.scope.and_then(ScopeFilter::in_catalog),
            audience: toolkit.audience,
        };
        if toolkit.kept.is_shared() {
            return found(&toolkit.catalog(Look::IfDue, notes), &query, notes);
        }
        // The skill registry gives the same results as a scan, but is faster, because it caches the frontmatter of
        // unchanged files.
        let (settings, notices) = settings(&toolkit.context);
        let Some(catalog) = warm::catalog(toolkit, &settings) else {
            return found(&toolkit.catalog(Look::IfDue, notes), &query, notes);
        };
        notes.notices.extend(notices);
        let of_scan = catalog.found().notices.iter();
        notes.notices.extend(of_scan.cloned());
        found(&catalog, &query, notes)
    }
}

/// Searches a catalog. Warns if the configured model cannot be used.
fn found(catalog: &Catalog, query: &Query, notes: &mut Notes) -> Result<SearchResults> {
    let results = search(catalog, query)?;
    notes.notices.extend(catalog.model_warning());
    Ok(results)
}
