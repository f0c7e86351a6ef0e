//! Indexers and rules that are not in the specification. Each indexer is a file in `indexers/`; an indexer that needs
//! other packages is behind a feature of the same name. Each rule is a file in `rules/`. Plug-ins written in Rhai are
//! in `scripts/`.
//!
//! The plug-ins register themselves in every program that links this crate (`use skillc_plugins as _;`).

mod encoding;
mod fences;
#[cfg(any(feature = "toml", feature = "yaml"))]
mod flat;
mod frontmatter;
mod mentions;
mod prose;
mod python;
mod reactions;
mod security;
mod source_code;
mod tables;

/// Does nothing. A call of this function keeps the crate in the program: for WebAssembly, the linker drops a crate and
/// the rules that it registers if none of the crate's functions is called.
#[inline(never)]
pub fn keep() {}

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
include!(concat!(env!("OUT_DIR"), "/rules.rs"));
include!(concat!(env!("OUT_DIR"), "/scripts.rs"));
