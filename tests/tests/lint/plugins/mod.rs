//! Scripted rules and indexers: discovery, and parity with built-in ones everywhere.
//!
//! Design: R3, R5, R20.

mod budget;
mod busy;
mod case_files;
mod commands;
mod everywhere;
mod finding;
mod formats;
mod making;
mod packs;
mod refused;
mod served;
mod support;
mod testing;
#[cfg(unix)]
mod watching;
