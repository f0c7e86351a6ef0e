//! Lint rules and search indexers written in Rhai.
//!
//! A script calls `rule(#{…})` and `indexer(#{…})` with functions in the map. These are called with copies of what rules
//! and indexers in Rust see, under the same names, and return findings and sections: the script decides, the host searches.
//!
//! Scripts are sandboxed: they have no access to files, network, clock or environment, no state outlives a call, and there
//! is a limit on everything ([`limits`]). Exceeding a limit is a fault of that script, and affects nothing else.
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
