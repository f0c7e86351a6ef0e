//! `skc lint --fix`: what is changed, what is not, and what is said of it.

mod command;
mod corpus;
mod over_mcp;
mod refused;
