//! Structure of the repository: allowed dependencies, where the process environment and file system may be used, file
//! length, top-level contents, publishing, and the supply chain.

mod circles;
pub(crate) mod dependencies;
mod publishing;
mod rust_text;
pub(crate) mod sources;
mod supply;
mod top_level;
mod words;
