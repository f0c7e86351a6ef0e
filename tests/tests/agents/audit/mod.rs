//! The audit log of a server's calls: what is kept, where, and how `skc audit` shows it.
//!
//! Source: CATALOG §3.4, §3.5, §3.8.

mod places;
mod settings;
mod showing;
mod support;
mod unusable;
