//! `skc stats`: what is counted, of which rows, and how it is shown.
//!
//! Source: RFC-0003, RFC-0007 C-LOGGING.

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
