//! The answer, as JSON has it.
//!
//! Design: C-SCHEMA, D-STATS-JSON.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::filter::Span;
use super::group::GroupBy;
use super::overview::Overview;
use super::report::Report;

/// How a skill, or all of them, were used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatsResponse {
    /// Skill's name; null for all skills
    pub skill: Option<String>,
    /// Source directory, absolute and without links; null for all skills
    pub skill_path: Option<String>,
    /// What was counted by
    pub query: GroupBy,
    /// Filters that were applied
    pub filters: Applied,
    /// From the first to the last access that matches
    pub period: Period,
    /// Counts; their form depends on what was counted by
    pub data: StatsData,
    /// Skills that were counted together, by name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<SkillUse>>,
    /// The time that was asked for, in words
    #[serde(skip)]
    pub span: Span,
    /// What the text of a summary shows beside the totals
    #[serde(skip)]
    pub overview: Option<Overview>,
    /// What a page shows beside that, if one was asked for
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
    /// Directories, absolute and without links
    pub projects: Vec<String>,
}

/// From the first to the last access.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Period {
    /// First access; null without any
    pub start: Option<String>,
    /// Last access; null without any
    pub end: Option<String>,
}

/// Counts in one of their forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StatsData {
    /// Totals
    Summary(Summary),
    /// Sections, the most used first
    Sections(Vec<SectionCount>),
    /// Files, the most used first
    Files(Vec<FileCount>),
    /// Number of accesses by command
    Commands(BTreeMap<String, u64>),
    /// Working directories, the most frequent first
    Projects(Vec<ProjectCount>),
    /// Failures, the most frequent first
    Errors(Vec<ErrorCount>),
    /// Search queries, or those that found nothing, the most frequent first
    Search(Vec<QueryCount>),
    /// Runs, the newest first
    Sessions(Vec<Session>),
    /// Days with accesses, in their order
    Timeline(Vec<DayCount>),
    /// Rows that were deleted
    Pruned(Pruned),
}

/// Totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Accesses of every kind
    pub total_accesses: u64,
    /// Different sections shown
    pub unique_sections: u64,
    /// Different files shown or opened
    pub unique_files: u64,
    /// Accesses that failed
    pub error_count: u64,
}

/// How often a section was shown.
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

/// How often a file was shown or opened.
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

/// How often a skill was used from a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectCount {
    /// Working directory
    pub project: String,
    /// Number of accesses
    pub count: u64,
}

/// How often something failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorCount {
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// What was asked for: a section, a path, a query; else the skill
    pub target: String,
    /// Command
    pub command: String,
    /// Message
    pub error: String,
    /// Number of failures
    pub count: u64,
}

/// How often something was searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueryCount {
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Query as typed
    pub query: String,
    /// Number of searches
    pub count: u64,
}

/// What one run of `skc`, or one life of its server, did.
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
    /// Accesses that failed
    pub error_count: u64,
    /// First accesses in their order, at most a thousand
    pub commands: Vec<SessionCommand>,
}

/// A command of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionCommand {
    /// When
    pub timestamp: String,
    /// Skill's name; only for all skills
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Command
    pub command: String,
    /// What was asked for: a section, a path, a query
    pub target: Option<String>,
    /// Message, if it failed
    pub error: Option<String>,
}

/// How much a day saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayCount {
    /// Day in UTC
    pub date: String,
    /// Number of accesses
    pub count: u64,
    /// Accesses that failed
    pub error_count: u64,
}

/// Rows that were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pruned {
    /// First second that was kept
    pub before: String,
    /// Rows that were older
    pub found: u64,
    /// Rows that were deleted; 0 if the answer was no
    pub deleted: u64,
}

/// How much a skill was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillUse {
    /// Skill's name
    pub skill: String,
    /// Source directory, absolute and without links
    pub skill_path: String,
    /// Accesses that match
    pub count: u64,
}
