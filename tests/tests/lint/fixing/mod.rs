//! `skc lint --fix`: which files change, which do not, and what the run reports.

mod command;
mod corpus;
mod over_mcp;
mod refused;
