//! The rules and indexers with their fixtures, and what fixtures cannot show.

mod clients;
mod code;
mod fixes;
mod fixtures;
mod properties;
