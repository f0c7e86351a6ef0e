//! The search formats of the specification, one file each in `indexers/`.
//!
//! An indexer registers itself: a program has them if it names this crate (`use skillc_formats as _;`).
//!
//! Design: C-FORMATS.

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
