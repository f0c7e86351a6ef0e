//! Tests of the rules and indexers, with fixtures and without.

mod clients;
mod code;
mod fixes;
mod fixtures;
mod properties;
