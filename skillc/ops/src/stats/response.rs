//! The JSON form of the response.
//!
//! Design: C-SCHEMA, D-STATS-JSON.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::filter::Span;
use super::group::GroupBy;
use super::overview::Overview;
use super::report::Report;

/// Usage of a skill, or of all skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatsResponse {
    /// Skill's name; null for all skills
    pub skill: Option<String>,
    /// Source directory, absolute, symlinks resolved; null for all skills
    pub skill_path: Option<String>,
    /// Grouping
    pub query: GroupBy,
    /// Filters that were applied
    pub filters: Applied,
    /// Time of the first and last matching access
    pub period: Period,
    /// Counts; the structure depends on the grouping
    pub data: StatsData,
    /// Skills that were counted, by name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<SkillUse>>,
    /// Requested period, in words
    #[serde(skip)]
    pub span: Span,
    /// Additional data of a summary, shown in text and HTML
    #[serde(skip)]
    pub overview: Option<Overview>,
    /// Additional data of an HTML page
    #[serde(skip)]
    pub report: Option<Report>,
}

/// Filters that were applied.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Applied {
    /// First second, RFC 3339 in UTC
    pub since: Option<String>,
    /// Last second, RFC 3339 in UTC
    pub until: Option<String>,
    /// Directories, absolute, symlinks resolved
    pub projects: Vec<String>,
}

/// Time of the first and last access.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Period {
    /// First access; null if there are none
    pub start: Option<String>,
    /// Last access; null if there are none
    pub end: Option<String>,
}

/// Counts, by grouping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StatsData {
    /// Totals
    Summary(Summary),
    /// Sections, most used first
    Sections(Vec<SectionCount>),
    /// Files, most used first
    Files(Vec<FileCount>),
    /// Number of accesses by command
    Commands(BTreeMap<String, u64>),
    /// Working directories, most frequent first
    Projects(Vec<ProjectCount>),
    /// Failures, most frequent first
    Errors(Vec<ErrorCount>),
    /// All search queries or only those without results, as requested; most frequent first
    Search(Vec<QueryCount>),
    /// Runs, newest first
    Sessions(Vec<Session>),
    /// Days with accesses, in order
    Timeline(Vec<DayCount>),
    /// Deleted rows
    Pruned(Pruned),
}

/// Totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// All accesses
    pub total_accesses: u64,
    /// Distinct sections shown
    pub unique_sections: u64,
    /// Distinct files shown or opened
    pub unique_files: u64,
    /// Failed accesses
    pub error_count: u64,
}

/// Number of times a section was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionCount {
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Heading
    pub section: String,
    /// File, relative to the skill's root; empty if it was not logged
    pub file: String,
    /// Number of accesses
    pub count: u64,
}

/// Number of times a file was shown or opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// File, relative to the skill's root
    pub file: String,
    /// Number of accesses
    pub count: u64,
}

/// Number of accesses from a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectCount {
    /// Working directory
    pub project: String,
    /// Number of accesses
    pub count: u64,
}

/// Number of times a command failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorCount {
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Target: a section, a path or a query; otherwise the skill
    pub target: String,
    /// Command
    pub command: String,
    /// Error message
    pub error: String,
    /// Number of failures
    pub count: u64,
}

/// Number of times a query was searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueryCount {
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Query as typed
    pub query: String,
    /// Words that no section contained; only for searches without results
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// Number of searches
    pub count: u64,
}

/// Accesses of one run of `skc`, or of one server process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Session {
    /// Run's id
    pub run_id: String,
    /// First access
    pub start: String,
    /// Last access
    pub end: String,
    /// Number of accesses
    pub count: u64,
    /// Failed accesses
    pub error_count: u64,
    /// First accesses in order, at most a thousand
    pub commands: Vec<SessionCommand>,
}

/// A command of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionCommand {
    /// Time
    pub timestamp: String,
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Command
    pub command: String,
    /// Target: a section, a path or a query
    pub target: Option<String>,
    /// Error message, if it failed
    pub error: Option<String>,
}

/// Accesses on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayCount {
    /// Day in UTC
    pub date: String,
    /// Number of accesses
    pub count: u64,
    /// Failed accesses
    pub error_count: u64,
}

/// Deleted rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pruned {
    /// Rows older than this time are deleted
    pub before: String,
    /// Number of rows older than that time
    pub found: u64,
    /// Number of rows deleted; 0 if not confirmed
    pub deleted: u64,
}

/// Number of accesses of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillUse {
    /// Skill's name
    pub skill: String,
    /// Source directory, absolute, symlinks resolved
    pub skill_path: String,
    /// Matching accesses
    pub count: u64,
}
