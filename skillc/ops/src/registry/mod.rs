//! `skc registry` and the tool `skill_list`: the skills of a working directory as rows of a database.
//!
//! The rows are made from the catalog, never by a second search, so that both know the same skills. One file belongs to one
//! list of directories; it is a cache, and can be deleted at any time.
//!
//! * [`sync`] brings the rows to what is on the disk, [`list`], [`get`] and [`path`] show them.
//! * [`skill_list`] is the tool of that name, for agents.
//! * [`warm`] makes a catalog without reading the files that the rows came from.
//!
//! Design: requirements-registry, catalog-commands, catalog-files, R6.

mod columns;
pub mod get;
pub mod list;
mod listed;
pub mod path;
mod place;
mod read;
mod report;
pub mod skill_list;
mod started;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod warm;

pub use listed::{ListedRow, SkillList};
use started::Started;
pub use started::{check_start, start};
