//! The subset of SARIF 2.1.0 that this crate writes, with the standard's names.
//!
//! Members required by GitHub code scanning are always present. Lines and columns are 1-based, the end column is
//! exclusive, and columns count Unicode characters.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a> {
    pub(super) tool: Tool<'a>,
    pub(super) invocations: [Invocation<'a>; 1],
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<Finding<'a>>,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'a> {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<Descriptor<'a>>,
}

/// A rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) help: Help<'a>,
    pub(super) default_configuration: Configuration,
    pub(super) properties: Properties<'a>,
}

#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

#[derive(Serialize)]
pub(super) struct Help<'a> {
    pub(super) text: &'a str,
    pub(super) markdown: &'a str,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct Properties<'a> {
    pub(super) tags: Vec<&'a str>,
    #[serde(rename = "problem.severity")]
    pub(super) problem_severity: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation<'a> {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification<'a>>,
}

/// A problem with the run itself.
#[derive(Serialize)]
pub(super) struct Notification<'a> {
    pub(super) level: &'static str,
    pub(super) message: Failure<'a>,
}

#[derive(Serialize)]
pub(super) struct Failure<'a> {
    pub(super) text: &'a str,
}

/// A `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding<'a> {
    pub(super) rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: &'static str,
    pub(super) message: Message,
    pub(super) locations: [Location; 1],
    pub(super) partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<Mending<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    pub(super) physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) region: Region,
}

#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: usize,
    pub(super) start_column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
}

/// A `fix`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Mending<'a> {
    pub(super) description: Message,
    pub(super) artifact_changes: Vec<ArtifactChange<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange<'a> {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) replacements: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement<'a> {
    pub(super) deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inserted_content: Option<Content<'a>>,
}

#[derive(Serialize)]
pub(super) struct Content<'a> {
    pub(super) text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fingerprints {
    pub(super) primary_location_line_hash: String,
}
