//! `skc mcp`: the MCP server as a process, over standard streams and over HTTP.
//!
//! Design: C-MCP-SERVER, REG-MW, catalog-tools, catalog-chain, R7, R13, R17, R20.

mod addresses;
mod arguments;
mod calls;
mod catalog;
mod chain;
mod closed;
mod confirming;
mod ending;
mod failures;
mod fuzz;
mod handshake;
mod hostile;
mod http;
mod http_limits;
mod invoking;
mod loads;
mod logged;
mod messages;
mod of_catalog;
mod pressure;
mod prompts;
mod registry;
mod replacing;
mod resources;
mod results;
mod searching;
#[cfg(unix)]
mod session;
mod skills;
mod soak;
mod state;
mod support;
mod told;
mod tools;
mod turns;
