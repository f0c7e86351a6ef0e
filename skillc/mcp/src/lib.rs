//! The MCP server for agents: the Model Context Protocol over standard input and output, and over HTTP.
//!
//! This is a thin adapter: tools are generated from the operations, and a call runs [`perform`](skillc_ops::perform) as
//! the command line does. The rest of this crate implements the protocol: the steps of each call, resources, prompts,
//! and the transports.
//!
//! Design: C-MCP-SERVER, catalog-tools, catalog-chain, R7, R13, R17.

mod access_check;
mod answer_size;
mod arguments;
mod ask;
mod asking;
mod chain;
mod changes;
mod confirm_token;
#[cfg(feature = "http")]
mod connections;
mod envelope;
mod handler;
#[cfg(feature = "http")]
mod http;
mod in_flight;
mod instructions;
mod lines;
mod message_values;
#[cfg(feature = "http")]
mod metrics;
mod progress;
mod prompts;
mod reading;
mod resource_index;
mod resources;
mod schema;
mod server;
mod stdio;
#[cfg(test)]
mod tests;
mod tools;

#[cfg(feature = "http")]
pub use http::{HttpOptions, Listening, Reach, serve_http};
pub use stdio::{serve_input, serve_stdio};

use skillc_core::config::Toolset;

/// Returns the tool definitions, in workflow order. They are the elements of the array `tools` in the result of
/// `tools/list`.
pub fn tool_list() -> Vec<serde_json::Value> {
    let tools = tools::Tools::new(Toolset::All).map(|tools| tools.list());
    let tools = tools.unwrap_or_default();
    let values = tools.iter().map(serde_json::to_value);
    values.filter_map(Result::ok).collect()
}
