//! The skill registry: the skills of a working directory as rows, filled, listed and shown by `skc registry`.
//!
//! Source: CATALOG Part 2, §3.4, §3.5, §3.8.

mod settings;
