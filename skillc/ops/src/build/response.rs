//! The response of a build: one object for one named skill, a list for several.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use skillc_core::layout::Scope;
use skillc_core::{Context, Error};

use super::deploy::Deployment;
use crate::hints::hint;

/// What was built, and where it was deployed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildResponse {
    /// Always true
    pub success: bool,
    /// Skill's directory name
    pub skill: String,
    /// Scope of its runtime directory
    pub scope: Scope,
    /// Source directory
    pub source: String,
    /// Runtime directory
    pub runtime: String,
    /// Where the stub was deployed, in the requested order
    pub deploys: Vec<Deployment>,
    /// Unedited copies for other clients that were refreshed
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated: Vec<String>,
    /// Directory that was imported
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
    /// The project's .gitignore, if this build created it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gitignore: Option<String>,
    /// Present and true if the skill is not in a store and was indexed where it is
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
}

/// The result of a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum BuildReport {
    /// The result for one named skill.
    One(BuildResponse),
    /// The results for several skills, a glob, or all skills.
    Several(SeveralBuilds),
}

/// The result of building several skills.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct SeveralBuilds {
    /// Skills that were built, in the requested order
    pub skills: Vec<BuildResponse>,
    /// Skills that failed
    pub failed: Vec<FailedBuild>,
}

/// A skill that failed to build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedBuild {
    /// Requested name, path or glob
    pub skill: String,
    /// The error, with its code
    pub error: String,
    /// What to do about it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl FailedBuild {
    pub(super) fn new(context: &Context, skill: String, error: &Error) -> Self {
        Self {
            skill,
            error: error.to_string(),
            help: error.details().or_else(|| hint(context, error)),
        }
    }
}

/// The schema covers one skill only: a tool call cannot build several.
impl JsonSchema for BuildReport {
    fn schema_name() -> Cow<'static, str> {
        BuildResponse::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BuildResponse::json_schema(generator)
    }
}
