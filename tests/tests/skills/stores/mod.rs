//! Stores and skill lookup: `init`, projects and home directories, resolution, `list`, configuration, and
//! compatibility with any Agent Skill.

mod support;

mod client_folders;
mod compatibility;
mod config;
mod config_faults;
mod homes;
mod hostile_clone;
mod hostile_names;
mod hostile_stores;
mod in_place;
mod init;
mod list;
mod list_validity;
mod offline;
mod project_targets;
mod projects;
mod racing;
mod resolution;
mod runtime_store;
#[cfg(unix)]
mod symlinks;
