//! `skc lint`: skill selection, findings and output.

pub(crate) mod support;

mod baseline;
mod baseline_configured;
mod baseline_kept;
mod bounds;
mod budget;
mod changed;
mod compiled;
mod config;
mod explain;
mod failures;
mod formats;
mod junit;
mod matrix;
mod outputs;
mod pipes;
mod rules;
mod sample;
mod sarif;
mod scope;
mod snapshot;
mod stdin;
mod streaming;
mod streams;
mod suppressing;
mod threads;
#[cfg(unix)]
mod watching;
