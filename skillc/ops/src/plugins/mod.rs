//! Scripted rules and indexers: discovery, loading, and reloading after changes.
//!
//! Precedence, highest first: built-in scripts, the project's scripts, the user's scripts, scripts given with
//! `--plugin`. If two scripts claim the same name, the later one is skipped. A script that fails to load is skipped
//! with a notice; if the script was given explicitly, the failure is an error.
//!
//! Design: R5, R6, R20.

mod cache;
mod fault;
pub(crate) mod find;
mod load;
mod pack;
mod walk;

pub use fault::PluginFault;
pub use pack::Pack;

pub(crate) use cache::PluginCache;
pub(crate) use find::{FOLDER, FoundScript, FoundScripts, Places, lies_in_skill};
pub(crate) use load::{Loaded, LoadedScript, load, load_beside, read_pack, refused, shown};
pub(crate) use pack::PACK_FILE;
pub(crate) use walk::{EXTENSION, files_of_scripts, script_of_cases};

/// The suffix of case files, which replaces a script's extension.
pub(crate) const CASES: &str = "test.toml";
