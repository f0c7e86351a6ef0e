//! The indexers of the specification. Each divides files of one type into sections for search, and is a file in
//! `indexers/`.
//!
//! The indexers register themselves in every program that links this crate (`use skillc_formats as _;`).
//!
//! Design: C-FORMATS.

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
