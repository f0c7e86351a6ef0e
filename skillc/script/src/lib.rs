//! Lint rules and search formats that are written in Rhai.
//!
//! A script calls `rule(#{…})` and `indexer(#{…})` with functions in the map. They are called with copies of what rules and
//! indexers in Rust see, under the same names, and hand back findings and sections: a script decides, the host finds.
//!
//! Whatever a script does it stays here: it has no files, network, clock or environment, nothing outlives a call, and there
//! is a limit on everything ([`limits`]). Going beyond one is a fault of that script, and changes nothing else.
//!
//! Source: ARCHITECTURE §6, RULINGS R5, R20.

mod captured;
mod clock;
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
