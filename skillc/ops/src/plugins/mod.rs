//! Which scripts there are: those in the program, in the home folder, in the project, and those that were named.
//!
//! Source: RULINGS R5, R20.

/// The extension of a script.
pub(crate) const EXTENSION: &str = "rhai";

/// The folder of scripts within a `.skillc` folder.
pub(crate) const FOLDER: &str = "plugins";
