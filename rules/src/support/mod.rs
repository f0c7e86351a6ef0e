//! What two rules or more need.

pub(crate) mod links;
pub(crate) mod name;
