//! Conformance with C-OUTLINE to C-SOURCES: reading a skill with `outline`, `show`, `open` and `sources`, and invalid
//! input to these commands.

mod encoding;
mod limits;
#[cfg(unix)]
mod links;
mod markdown;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod names;
mod open;
mod outline;
mod path;
mod root;
mod show;
mod show_lookup;
mod show_places;
mod sources;
mod sources_options;
#[cfg(unix)]
mod streams;
