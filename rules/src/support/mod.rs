//! Helpers that several rules share, or that are too long for a rule's own file.

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
