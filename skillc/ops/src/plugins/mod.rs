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

pub use fault::PluginFault;
pub use pack::Pack;

pub(crate) use find::{FOLDER, Found, FoundScript, Places, lies_in_skill};
pub(crate) use kept::KeptPlugins;
pub(crate) use load::{Loaded, LoadedScript, load, read_pack, shown};
