//! `skc lint --fix`: what is changed, what is not, and what is reported.

mod command;
mod corpus;
mod over_mcp;
mod refused;
