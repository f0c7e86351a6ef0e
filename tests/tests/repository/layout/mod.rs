//! What holds for the repository as a whole: who may depend on what, where the outside world is touched, how long files
//! are, what lies at the top level, what may come into the build.

mod circles;
pub(crate) mod dependencies;
mod rust_text;
pub(crate) mod sources;
mod supply;
mod top_level;
mod words;
