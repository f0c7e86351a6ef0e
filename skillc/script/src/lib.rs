//! Lint rules and search indexers written in Rhai.
//!
//! A script calls `rule(#{…})` and `indexer(#{…})` with functions in the map. The host calls these functions with
//! copies of what rules and indexers in Rust get, under the same names, and receives findings and sections. The script
//! decides; the host does the searching.
//!
//! Scripts are sandboxed: they have no access to files, network, clock or environment, no state outlives a call, and
//! everything has a limit ([`limits`]). Exceeding a limit is a fault of that script, and affects nothing else.
//!
//! Design: sandbox, R5, R20.

mod captured;
mod compiled;
mod coverage;
mod declared;
mod engine;
mod fault;
mod host;
mod indexer;
pub mod limits;
mod meter;
mod metered;
pub mod nodes;
mod one_line;
mod printed;
pub mod reference;
mod replaced;
mod rule;
mod script;
mod tokens;
mod trail;
mod weight;

pub use coverage::{Coverage, Covered};
pub use fault::ScriptFault;
pub use indexer::ScriptedIndexer;
pub use printed::Printed;
pub use rule::ScriptedRule;
pub use script::{EmbeddedScript, Host, Script};

#[doc(hidden)]
pub use skillc_core::inventory;
