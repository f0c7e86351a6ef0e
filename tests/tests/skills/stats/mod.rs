//! `skc stats`: what is counted, of which rows, and how it is shown.
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
