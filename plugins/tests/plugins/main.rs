//! The rules and indexers with their fixtures, and what fixtures cannot show.

mod clients;
mod fixes;
mod fixtures;
mod properties;
