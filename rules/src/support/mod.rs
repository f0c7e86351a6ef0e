//! What two rules or more need.

pub(crate) mod fields;
pub(crate) mod links;
pub(crate) mod name;
pub(crate) mod text;
