//! `skc mcp`: the MCP server as a process, over standard streams and over HTTP.
//!
//! Design: C-MCP-SERVER, REG-MW, catalog-tools, catalog-chain, R7, R13, R17, R20.

mod access_log;
mod addresses;
mod arguments;
mod calls;
mod catalog;
mod catalog_support;
mod chain;
mod concurrency;
mod confirming;
mod deny_rules;
mod discovery;
mod failures;
mod fuzz;
mod handshake;
mod hostile;
mod http;
mod http_limits;
mod invoking;
mod messages;
mod pressure;
mod prompts;
mod registry;
mod replacing;
mod resources;
mod results;
mod searching;
#[cfg(unix)]
mod session;
mod shutdown;
mod skill_load;
mod skills;
mod soak;
mod state;
mod support;
mod team;
mod tools;
