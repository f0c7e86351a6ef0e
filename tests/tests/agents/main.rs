//! Features for agents and their users: MCP server, catalog, registry, and client setup.

mod audit;
mod cache;
mod catalog;
mod mcp;
mod mcp_install;
mod picker;
mod registry;
