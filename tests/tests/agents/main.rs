//! What agents and their people have: the MCP server, the catalog, the registry, and the set-up of clients.

mod audit;
mod catalog;
mod kept;
mod mcp;
mod picker;
mod registry;
mod setup;
