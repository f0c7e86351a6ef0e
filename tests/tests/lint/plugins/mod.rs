//! Scripted rules and indexers: where they are discovered, and that they work like built-in ones everywhere.
//!
//! Design: R3, R5, R20.

mod budget;
mod busy;
mod case_files;
mod commands;
mod creating;
mod discovery;
mod formats;
mod outputs;
mod over_mcp;
mod packs;
mod rejected;
mod support;
mod testing;
#[cfg(unix)]
mod watching;
