//! Rules and formats in scripts: discovery, loading, and reloading after changes.
//!
//! Order of precedence: built-in scripts, the project's, the home folder's, those of `--plugin`. Of two scripts that claim
//! the same name the later is left out. A script that fails to load is left out with a notice; for a script that was named
//! it is an error.
//!
//! Design: R5, R6, R20.

mod fault;
pub(crate) mod find;
mod kept;
mod load;
mod pack;
mod walk;

pub use fault::PluginFault;
pub use pack::Pack;

pub(crate) use find::{FOLDER, Found, FoundScript, Places, lies_in_skill};
pub(crate) use kept::KeptPlugins;
pub(crate) use load::{Loaded, LoadedScript, load, load_beside, read_pack, refused, shown};
pub(crate) use pack::PACK_FILE;
pub(crate) use walk::{EXTENSION, script_of_cases};

/// The suffix of case files, in place of a script's extension.
pub(crate) const CASES: &str = "test.toml";
