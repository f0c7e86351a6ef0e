//! `skc mcp install`, `uninstall` and `status`: the server's entry in the configuration files of clients.

mod clients;
mod command;
mod entries;
mod faults;
mod files;
mod owners;
mod places;
mod projects;
mod status;
mod support;
mod text;
