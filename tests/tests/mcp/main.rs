//! `skc mcp`: the server for agents, as a process, over the lines of its streams and over HTTP.
//!
//! Source: RFC-0007 C-MCP-SERVER, CATALOG 2.5, 3.9 and 3.10, RULINGS R7, R13, R17, R20.

mod arguments;
mod calls;
mod ending;
mod failures;
mod handshake;
mod messages;
mod results;
mod support;
mod tools;
