//! Helpers shared by several rules, or too long for the file of one.

pub(crate) mod delimiter;
pub(crate) mod fields;
pub(crate) mod fixes;
pub(crate) mod links;
pub(crate) mod name;
pub(crate) mod places;
pub(crate) mod quoting;
pub(crate) mod right_name;
pub(crate) mod targets;
pub(crate) mod text;
