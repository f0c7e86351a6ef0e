//! The rules of the skill authoring standard. Each rule is a file in `rules/`.
//!
//! The rules register themselves in every program that links this crate (`use skillc_rules as _;`).
//!
//! Design: C-REGISTRY.

mod support;

skillc_core::inventory::submit! {
    skillc_lint::measured::LinkedMeasurements(include_str!("../measured.txt"))
}

/// Does nothing. A call of this function keeps the crate in the program: for WebAssembly, the linker drops a crate and
/// the rules that it registers if none of the crate's functions is called.
#[inline(never)]
pub fn keep() {}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
