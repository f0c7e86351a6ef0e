//! `skc catalog list` and `catalog_list`: the skills that agents can find in a directory, those that are switched off among
//! them, and what could not be read.
//!
//! Design: catalog-commands, catalog-tools, CAT-PROTO.1, CAT-PROTO.2, CAT-PROTO.3, CAT-PROTO.6, D6, D22.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use skillc_catalog::{Audience, Catalog, LoadFailure, Scope, SkillCatalog};
use skillc_core::{Error, Result};

use super::Look;
use crate::notes::Notes;
use crate::operation::{Example, Fault, Operation, tool_of};
use crate::tool::{Effect, Form, ResultText, Tool};
use crate::toolkit::Toolkit;

pub use skillc_catalog::Entry;

/// Arguments of `skc catalog list`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct CatalogListRequest {
    /// Whose skills to list
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    #[serde(skip)]
    #[schemars(skip)]
    pub scope: Option<CatalogScope>,
    /// Directory whose agents are meant, in place of the working directory
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    #[serde(default)]
    pub cwd: Option<String>,
    /// Read everything, whatever was read before
    #[cfg_attr(feature = "clap", arg(long = "reload", alias = "force-reload"))]
    #[serde(default)]
    pub force_reload: bool,
}

/// Whose skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum CatalogScope {
    /// The project's
    #[cfg_attr(feature = "clap", value(alias = "project"))]
    #[serde(alias = "project")]
    Repo,
    /// The user's
    #[cfg_attr(feature = "clap", value(alias = "global"))]
    #[serde(alias = "global")]
    User,
}

impl From<CatalogScope> for Scope {
    fn from(scope: CatalogScope) -> Self {
        match scope {
            CatalogScope::Repo => Self::Repo,
            CatalogScope::User => Self::User,
        }
    }
}

/// The catalog of a directory, or one scope of it.
#[derive(Debug, Clone)]
pub struct CatalogListResponse {
    catalog: Arc<Catalog>,
    skills: Vec<Entry>,
}

impl CatalogListResponse {
    /// Takes all of a catalog that an audience may know of.
    pub(super) fn all(catalog: Arc<Catalog>, audience: Audience) -> Self {
        let skills = catalog.found_for(audience).cloned().collect();
        Self { catalog, skills }
    }

    /// Returns the skills that were asked for.
    pub fn skills(&self) -> &[Entry] {
        &self.skills
    }

    /// Returns what could not be read, not all if there is too much.
    pub fn errors(&self) -> &[LoadFailure] {
        self.catalog.passed_on(Audience::Person).errors
    }

    /// Returns how much could not be read.
    pub fn error_count(&self) -> usize {
        self.catalog.found().errors.len()
    }

    /// Says whether there are skills that were not asked for.
    pub fn has_others(&self) -> bool {
        self.catalog.skills().len() > self.skills.len()
    }

    /// Says whether skills are in use at all.
    pub fn is_enabled(&self) -> bool {
        self.catalog.settings.enabled
    }

    /// Says whether rules forbid to load a skill.
    pub fn is_denied(&self, entry: &Entry) -> bool {
        self.catalog.policy.closed_entry(entry).is_some()
    }
}

/// As the tool of the server answers.
impl Serialize for CatalogListResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let passed_on = SkillCatalog {
            skills: self.skills.iter().collect(),
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

/// The operation.
pub struct CatalogList;

skillc_core::inventory::submit!(tool_of::<CatalogList>());

impl Operation for CatalogList {
    const NAME: &'static str = "catalog list";
    const ABOUT: &'static str =
        "List the skills that agents can find here, and what is wrong with others";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc catalog list",
            does: "those of the project, then the user's",
        },
        Example {
            command: "skc catalog list --scope repo -v",
            does: "the project's, with their paths",
        },
        Example {
            command: "skc catalog list --cwd ../other -o json",
            does: "those of another directory, for a program",
        },
    ];
    const TOOL: Option<Tool> = Some(Tool {
        name: "catalog_list",
        title: "List the catalog",
        about: "List every skill that can be found here, with those that are switched off and files that are no valid skills.",
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
        let scope = request.scope.map(Scope::from);
        let skills = catalog.found_for(toolkit.audience);
        let skills = skills.filter(|entry| scope.is_none_or(|scope| entry.scope == scope));
        Ok(CatalogListResponse {
            skills: skills.cloned().collect(),
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
        "is not a directory"
    } else {
        "is not there"
    };
    Error::invalid_option(format!("--cwd: '{asked}' {what}"))
}
