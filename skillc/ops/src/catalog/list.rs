//! `skc catalog list` and `catalog_list`: the skills that agents can find in a directory, including disabled skills,
//! and the files that could not be read.
//!
//! Design: catalog-commands, catalog-tools, CAT-PROTO.1, CAT-PROTO.2, CAT-PROTO.3, CAT-PROTO.6, D6, D22.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use skillc_catalog::{Audience, Catalog, LoadFailure, SkillCatalog};
use skillc_core::{Error, Result};

use super::Look;
use crate::notes::Notes;
use crate::operation::{Example, Fault, Operation, tool_of};
use crate::scope::ScopeFilter;
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

pub use skillc_catalog::CatalogEntry;

/// Arguments of `skc catalog list`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogListRequest {
    /// Only skills of this scope
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(skip)]
    #[schemars(skip)]
    pub scope: Option<ScopeFilter>,
    /// List skills as seen from this directory
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    #[serde(default)]
    pub cwd: Option<String>,
    /// Read everything from disk, ignoring the cache
    #[cfg_attr(feature = "clap", arg(long = "reload", alias = "force-reload"))]
    #[serde(default)]
    pub force_reload: bool,
}

/// The catalog of a directory, or its skills of one scope.
#[derive(Debug, Clone)]
pub struct CatalogListResponse {
    catalog: Arc<Catalog>,
    skills: Vec<CatalogEntry>,
}

impl CatalogListResponse {
    /// Creates the response with all skills of a catalog that an audience may see.
    pub(super) fn all(catalog: Arc<Catalog>, audience: Audience) -> Self {
        let skills = catalog.shown_to(audience).map(Cow::into_owned).collect();
        Self { catalog, skills }
    }

    /// Returns the requested skills.
    pub fn skills(&self) -> &[CatalogEntry] {
        &self.skills
    }

    /// Returns the files that could not be read, up to a limit.
    pub fn errors(&self) -> &[LoadFailure] {
        self.catalog.passed_on(Audience::Person).errors
    }

    /// Returns the number of files that could not be read.
    pub fn error_count(&self) -> usize {
        self.catalog.found().errors.len()
    }

    /// Returns whether the scope filter hides some skills.
    pub fn has_others(&self) -> bool {
        self.catalog.skills().len() > self.skills.len()
    }

    /// Returns whether the catalog is enabled.
    pub fn is_enabled(&self) -> bool {
        self.catalog.settings.enabled
    }

    /// Returns whether rules forbid loading a skill.
    pub fn is_denied(&self, entry: &CatalogEntry) -> bool {
        self.catalog.policy.closed_entry(entry).is_some()
    }
}

/// Serializes the result of the MCP tool.
impl Serialize for CatalogListResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let passed_on = SkillCatalog {
            skills: self.skills.iter().map(Cow::Borrowed).collect(),
            ..self.catalog.passed_on(Audience::Person)
        };
        passed_on.serialize(serializer)
    }
}

impl JsonSchema for CatalogListResponse {
    fn schema_name() -> Cow<'static, str> {
        SkillCatalog::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SkillCatalog::json_schema(generator)
    }
}

/// Implements `skc catalog list`.
pub struct CatalogList;

skillc_core::inventory::submit!(tool_of::<CatalogList>());

impl Operation for CatalogList {
    const NAME: &'static str = "catalog list";
    const ABOUT: &'static str = "List the skills that agents can find here, and invalid skills";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog list",
            does: "skills of the project, then of the user",
        },
        Example {
            command: "skc catalog list --scope project -v",
            does: "only the project's, with paths",
        },
        Example {
            command: "skc catalog list --cwd ../other -o json",
            does: "as seen from another directory, as JSON",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "catalog_list",
        title: "List the catalog",
        about: "List every skill found here, including disabled skills and files that are not valid skills.",
        effect: Effect::Reads,
        form: Form::Envelope,
        text: ResultText::Json,
        gives_skill: false,
    });
    type Request = CatalogListRequest;
    type Response = CatalogListResponse;

    fn run(
        toolkit: &Toolkit,
        request: CatalogListRequest,
        notes: &mut Notes,
    ) -> Result<CatalogListResponse> {
        let look = if request.force_reload {
            Look::Anew
        } else {
            Look::IfDue
        };
        let own = toolkit.context.cwd.canonicalize().ok();
        let other = request.cwd.as_deref().map(|dir| directory(toolkit, dir));
        let other = other.transpose()?.filter(|dir| Some(dir) != own.as_ref());
        let catalog = match other {
            Some(dir) => toolkit.catalog_in(&dir, look, notes),
            None => toolkit.catalog(look, notes),
        };
        let scope = request.scope.and_then(ScopeFilter::in_catalog);
        let skills = catalog.shown_to(toolkit.audience);
        let skills = skills.filter(|entry| scope.is_none_or(|scope| entry.scope == scope));
        Ok(CatalogListResponse {
            skills: skills.map(Cow::into_owned).collect(),
            catalog,
        })
    }

    fn check(toolkit: &Toolkit, request: &CatalogListRequest) -> std::result::Result<(), Fault> {
        let dir = request.cwd.as_deref();
        let dir = dir.map(|dir| directory(toolkit, dir)).transpose();
        dir.map(drop).map_err(|_| Fault {
            argument: "cwd",
            code: "invalid_value",
            message: "expected a directory",
        })
    }
}

/// Returns a directory's canonical path.
fn directory(toolkit: &Toolkit, dir: &str) -> Result<PathBuf> {
    let path = toolkit.context.cwd.join(dir);
    let real = path.canonicalize().ok().filter(|path| path.is_dir());
    real.ok_or_else(|| no_directory(dir, &path))
}

fn no_directory(asked: &str, path: &Path) -> Error {
    let what = if path.exists() {
        "not a directory"
    } else {
        "does not exist"
    };
    Error::invalid_option(format!("--cwd: '{asked}' {what}"))
}
