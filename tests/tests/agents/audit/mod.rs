//! The audit log of a server's calls: what is kept, where, and how `skc audit` shows it.
//!
//! Design: catalog-commands, catalog-config, catalog-files.

mod places;
mod settings;
mod showing;
mod support;
mod unusable;
