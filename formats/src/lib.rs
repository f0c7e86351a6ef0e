//! The indexers that the specification defines. Each indexer is a file in `indexers/` and divides files of one type
//! into sections for search.
//!
//! The indexers register themselves in every program that links this crate (`use skillc_formats as _;`).
//!
//! Design: C-FORMATS.

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
