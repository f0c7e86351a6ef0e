//! Rules and formats that are scripts: where they are found, and that they are like all others wherever they are used.
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
