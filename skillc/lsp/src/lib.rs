//! The language server: findings, fixes, completion and navigation in editors, over the Language Server Protocol.
//!
//! * **Connection:** [`server`] runs the threads, `transport` reads and writes messages, and `client` records what the
//!   client can do.
//! * **Documents:** `documents` applies edits, `positions` converts positions, `uris` converts between URIs and paths,
//!   `visible` escapes misleading characters, `safe_links` removes links that an editor must not follow.
//! * **Work:** `worker` decides when each skill is linted, and `busy` makes it possible to interrupt the work. `desk`
//!   keeps the state from which requests are answered, and `board` keeps the current findings. `in_flight` ensures that
//!   each request is answered exactly once.
//! * **Features:** one module each, listed in the tables of `requests` and `notifications`.
//!
//! Findings come from the engine and configuration of `skc lint`; this crate contains no rules.

mod actions;
mod answer;
mod board;
mod busy;
mod client;
mod completion;
mod desk;
mod documents;
mod edits;
mod facts;
mod hover;
mod in_flight;
mod links;
mod navigation;
mod notifications;
mod positions;
mod progress;
mod pull;
mod rename;
mod requests;
mod safe_links;
pub mod server;
mod transport;
mod uris;
mod visible;
mod worker;

pub use server::{Ended, serve, serve_stdio};
