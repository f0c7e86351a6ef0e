//! Search formats and rules beyond the specification: one file each in `indexers/`, behind a feature of its name, and one
//! each in `rules/`.
//!
//! A plug-in registers itself: a program has it if it names this crate (`use skillc_plugins as _;`).

mod frontmatter;
mod reactions;

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
include!(concat!(env!("OUT_DIR"), "/rules.rs"));
