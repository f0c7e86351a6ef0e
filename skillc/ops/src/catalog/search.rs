//! `skc catalog search`: the skills that fit a few words, as an agent finds them.
//!
//! Source: CATALOG §3.4, §3.11, CAT-SEARCH.

use schemars::JsonSchema;
use serde::Deserialize;
use skillc_catalog::{Audience, Query, Scope, Settings, search};
use skillc_core::Result;

use super::Look;
use super::list::CatalogScope;
use crate::operation::{Example, Notes, Operation, Toolkit};
use crate::registry::warm;

pub use skillc_catalog::{Found, Reason};

/// Arguments of `skc catalog search`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogSearchRequest {
    /// Name of a skill or the beginning of one, words of its description, or a path
    pub query: String,
    /// Most skills to return, within the bound of the configuration
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "N"))]
    #[serde(default)]
    pub limit: Option<usize>,
    /// Whose skills to search
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(default)]
    pub scope: Option<CatalogScope>,
}

/// The operation.
pub struct CatalogSearch;

impl Operation for CatalogSearch {
    const NAME: &'static str = "catalog search";
    const ABOUT: &'static str = "Search the skills that can be loaded here, the best first";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog search release",
            does: "skills that say 'release' in name or description",
        },
        Example {
            command: "skc catalog search \"review a pull request\" --limit 3",
            does: "the three that have the most of these words",
        },
        Example {
            command: "skc catalog search repo- --scope user",
            does: "the user's whose names begin so",
        },
    ];
    type Request = CatalogSearchRequest;
    type Response = Found;

    fn run(toolkit: &Toolkit, request: CatalogSearchRequest, notes: &mut Notes) -> Result<Found> {
        let query = Query {
            text: request.query,
            limit: request.limit,
            scope: request.scope.map(Scope::from),
            audience: Audience::Person,
        };
        // The registry knows the heads of files that have not changed: what is found is the same, and sooner.
        let (settings, notices) = Settings::read(&toolkit.context);
        let Some(catalog) = warm::catalog(toolkit, &settings) else {
            return search(&toolkit.catalog(Look::IfDue, notes), &query);
        };
        notes.notices.extend(notices);
        let of_scan = catalog.found().notices.iter();
        notes.notices.extend(of_scan.cloned());
        search(&catalog, &query)
    }
}
