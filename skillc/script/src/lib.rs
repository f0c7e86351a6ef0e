//! Lint rules and search formats that are written in Rhai.

pub mod data;
