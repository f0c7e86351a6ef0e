//! The rules of the skill authoring standard. Each rule is a file in `rules/`.
//!
//! The rules register themselves in every program that links this crate (`use skillc_rules as _;`).
//!
//! Design: C-REGISTRY.

mod support;

skillc_core::inventory::submit! {
    skillc_lint::measured::LinkedMeasurements(include_str!("../measured.txt"))
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
