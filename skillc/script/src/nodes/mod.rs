//! Structured data that scripts read: JSON, YAML, TOML and CSV with the place of every value.
//!
//! Each of [`json`], [`yaml`], [`toml`] and [`csv`] turns a text into a tree of [`Node`]s or says in one line why not. A
//! byte order mark at the beginning is passed over. `base` is where the text begins in its file, in bytes: it is added to
//! every place, so that a block in a Markdown file can be read like a file of its own.
//!
//! Bounded: 32 MiB of text, a nesting of 128, and [`MAX_VALUES`]. Nothing is read twice, and a tree holds one copy of the
//! text and some 40 bytes for each value; what is written without escapes is not copied again.
//!
//! Source: RULINGS R20.

mod fault;
mod json;
mod node;
mod scalar;
mod separated;
mod signs;
mod toml;
mod tree;
mod yaml;

#[cfg(test)]
mod tests;

pub use fault::Fault;
pub use json::json;
pub use node::{Children, Kind, Node};
pub use separated::csv;
pub(crate) use signs::cost as cost_of_toml;
pub use toml::toml;
pub use yaml::{fields, yaml};

/// The most values of a tree: scalars, lists and maps, without keys.
pub const MAX_VALUES: usize = 200_000;

/// The deepest nesting of lists and maps.
pub const MAX_DEPTH: usize = 128;
