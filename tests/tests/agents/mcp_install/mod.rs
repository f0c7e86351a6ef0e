//! `skc mcp install`, `uninstall` and `status`: the server in the files of agent clients, and nothing else changed.

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
