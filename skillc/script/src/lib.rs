//! Lint rules and search indexers written in Rhai.
//!
//! A script calls `rule(#{…})` and `indexer(#{…})` with functions in the map. The host calls these functions, and
//! collects findings and sections. The arguments are read-only views of the arguments that rules and indexers in Rust
//! receive, with the same names. The script decides what to report; the host parses and searches the files.
//!
//! Scripts are sandboxed: they have no access to files, network, clock or environment, they cannot keep state between
//! calls, and all their resources are limited ([`limits`]). A script that exceeds a limit is reported, and nothing else
//! is affected.
//!
//! Design: sandbox, R5, R20.

mod captured;
mod compiled;
mod coverage;
mod declared;
mod each;
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
mod source;
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
