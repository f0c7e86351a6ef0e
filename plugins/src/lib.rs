//! Indexers and rules beyond the specification: one file each in `indexers/`, behind a feature of the same name, one
//! each in `rules/`, and those written in Rhai in `scripts/`.
//!
//! A plug-in registers itself: a program has it if it links this crate (`use skillc_plugins as _;`).

mod encoding;
mod fences;
mod frontmatter;
mod mentions;
mod prose;
mod python;
mod reactions;
mod security;
mod tables;

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
include!(concat!(env!("OUT_DIR"), "/rules.rs"));
include!(concat!(env!("OUT_DIR"), "/scripts.rs"));
