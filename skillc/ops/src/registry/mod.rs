//! `skc registry` and the tool `skill_list`: the skills of a working directory as rows of a database.
//!
//! The rows are made from the catalog, not by a second search, so that both contain the same skills. Each list of
//! directories has its own database file, which is a cache and can be deleted at any time.
//!
//! * [`sync`] updates the rows from disk; [`list`], [`get`] and [`path`] read them.
//! * [`skill_list`] is the MCP tool of that name.
//! * [`warm`] creates a catalog without reading the files of unchanged rows.
//!
//! Design: requirements-registry, catalog-commands, catalog-files, R6.

mod columns;
pub mod get;
pub mod list;
mod listed;
pub mod path;
mod registry_file;
mod report;
mod row_reader;
pub mod skill_list;
mod started;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod warm;

pub use listed::{ListedRow, SkillList};
use started::Started;
pub use started::{check_start, start};
