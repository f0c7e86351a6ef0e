//! `skc stats`: counting, filters, and output.
//!
//! Design: requirements-stats, C-LOGGING@7.

mod all;
mod counting;
mod damage;
mod errors;
mod extensions;
mod filters;
mod groups;
mod logged;
mod prune;
mod shared;
mod support;
mod text;
