//! Structured data for scripts: JSON, YAML, TOML and CSV, with the position of every value.
//!
//! Each of [`json`], [`yaml`], [`toml`] and [`csv`] parses text into a tree of [`Node`]s, or fails with a one-line
//! reason. A leading byte order mark is skipped. `base` is the byte offset of the text in its file. It is added to
//! every position, so a block in a Markdown file can be parsed like a separate file.
//!
//! All input is bounded: 32 MiB of text, 128 levels of nesting, and [`MAX_VALUES`] values. Nothing is parsed twice. A
//! tree needs one copy of the text and about 40 bytes per value; values written without escapes are not copied again.
//!
//! Design: R20.

mod fault;
mod json;
mod node;
mod scalar;
mod separated;
mod toml;
mod tree;
mod yaml;

#[cfg(test)]
mod tests;

pub use fault::Fault;
pub use json::json;
pub use node::{Children, Kind, Node};
pub use separated::csv;
pub(crate) use skillc_core::toml_cost::cost as cost_of_toml;
pub use skillc_core::toml_cost::{MAX_DEPTH, MAX_VALUES};
pub use toml::toml;
pub use yaml::{fields, yaml};
