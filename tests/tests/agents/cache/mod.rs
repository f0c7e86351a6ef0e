//! The server's cache between calls: each call answers as a new process would, whatever has changed since the last
//! call.
//!
//! Design: D-STALE, C-LOGGING@7, requirements-config.

mod any_changes;
mod bounds;
mod edits;
mod logs;
mod support;
mod threads;
