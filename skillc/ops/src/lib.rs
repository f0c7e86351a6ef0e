//! What skillc can do: one module for each operation, with its request, its response and the steps between.
//!
//! An adapter turns arguments into a request, calls [`perform`], and shows the response. Nothing here prints.

mod access;
pub mod audit;
pub mod budget;
pub mod build;
pub mod catalog;
pub mod clean;
mod client_roots;
mod content;
pub mod doctor;
pub mod explain;
mod hints;
mod indexed;
pub mod init;
mod kept;
pub mod lint;
pub mod list;
mod live;
mod lookup;
mod named_files;
pub mod open;
pub mod operation;
mod operations;
pub mod outline;
pub mod path;
pub mod plugin;
pub mod plugins;
mod pool;
pub mod progress;
mod project_files;
pub mod random;
pub mod registry;
pub mod remove;
pub mod rules;
pub mod schema;
pub mod search;
mod section_lookup;
pub mod setup;
pub mod show;
mod similar_paths;
pub mod sources;
mod staged;
pub mod stats;
mod stub_compare;
pub mod sync;
mod tool;
mod trash;
pub mod watched;

pub use access::Arguments;
pub use content::FileContent;
pub use hints::{hint, hint_for};
pub use operation::{
    Example, Fault, Notes, Operation, Outcome, Scripts, Toolkit, Verdict, perform,
};
pub use progress::{NoProgress, Progress};
pub use tool::{Effect, Form, ResultText, Tool};
