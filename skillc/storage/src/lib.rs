//! The databases that skillc keeps on disk, and the freshness table of a search index.
//!
//! * [`search_index`] reads the search index; [`index_writer`] creates and edits it.
//! * [`freshness`] checks whether an index still matches the files.
//! * [`access_log`] appends to the usage log, [`access_stats`] reads it, [`access_prune`] deletes old rows, and
//!   [`log_sync`] moves the rows of local logs to their final destination.
//! * [`audit_log`] appends to the log of a server's calls; [`audit_calls`] reads it.
//! * [`run_loads`] records which skills each run has loaded.
//! * [`skill_registry`] caches the skills of some directories as database rows.
//!
//! The public API does not expose the database library, and there is no SQL outside this crate.

pub mod access_log;
pub mod access_prune;
pub mod access_stats;
pub mod audit_calls;
pub mod audit_log;
#[cfg(test)]
mod audit_testkit;
mod best_rows;
mod cjk_tokenizer;
mod db;
pub mod freshness;
mod headings_above;
pub mod index_writer;
mod limits;
mod local_lock;
pub mod log_sync;
#[cfg(test)]
mod pages_testkit;
mod private;
pub mod run_loads;
mod schema_check;
pub mod search_index;
mod search_query;
mod sidecar;
pub mod skill_registry;
mod snippet;
mod state;

pub use access_log::{Access, LogFault, WritableLog};
pub use access_stats::{AccessLog, LogUnusable};
pub use audit_calls::{Call, CallEnd, CallFilter, Calls};
pub use audit_log::{AuditLog, CallBegun, CallEnded};
pub use freshness::Freshness;
pub use index_writer::IndexWriter;
pub use search_index::{
    Hit, IndexMeta, IndexedHeading, Matching, OutlineHeading, SearchFault, SearchIndex,
    SectionQuery, Unusable,
};
pub use search_query::raw_words;
pub use skill_registry::{HeadRow, SkillFilter, SkillRegistry, SkillRow, SourceRow};
pub use snippet::Marking;
pub use state::StateUnusable;
