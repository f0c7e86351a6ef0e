//! Search formats beyond the specification, one file each in `indexers/`, each behind a feature of its name.
//!
//! A plug-in registers itself: a program has it if it names this crate (`use skillc_plugins as _;`).

include!(concat!(env!("OUT_DIR"), "/indexers.rs"));
