//! `skc mcp`: the server for agents, as a process, over the lines of its streams and over HTTP.
//!
//! Source: RFC-0007 C-MCP-SERVER, CATALOG 2.5, 3.9 and 3.10, RULINGS R7, R13, R17, R20.

mod addresses;
mod arguments;
mod calls;
mod chain;
mod ending;
mod failures;
mod fuzz;
mod handshake;
mod http;
mod http_limits;
mod logged;
mod messages;
mod pressure;
mod prompts;
mod resources;
mod results;
mod skills;
mod soak;
mod state;
mod support;
mod tools;
mod turns;
