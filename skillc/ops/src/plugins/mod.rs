//! Scripts of rules and formats: found, loaded, and loaded again when one of them changes.
//!
//! They come from the program, the project, the home folder, and what `--plugin` names, in this order; of two that claim the
//! same the later is left out. A script that cannot be loaded is left out and told of; of those that were named it is an
//! error.
//!
//! Source: RULINGS R5, R6, R20.

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

/// What the name of a file of cases ends with, in the place of a script's extension.
pub(crate) const CASES: &str = "test.toml";
