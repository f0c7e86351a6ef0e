//! What a server keeps between its calls: each call says what a new process would say, whatever has happened since the last.
//!
//! Design: D-STALE, C-LOGGING@7, requirements-config.

mod anything;
mod bounds;
mod edits;
mod logs;
mod support;
mod threads;
