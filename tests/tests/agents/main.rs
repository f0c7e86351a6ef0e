//! What agents and their people have: the MCP server, the catalog, the registry, and the set-up of clients.

mod audit;
mod cache;
mod catalog;
mod mcp;
mod mcp_install;
mod picker;
mod registry;
