//! Tests of the rules and indexers: their fixtures, and behaviour that fixtures cannot show.

mod clients;
mod code;
mod fixes;
mod fixtures;
mod properties;
