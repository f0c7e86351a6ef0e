//! The audit log of MCP calls: contents, location, and `skc audit`.
//!
//! Design: catalog-commands, catalog-config, catalog-files.

mod places;
mod settings;
mod showing;
mod support;
mod unusable;
