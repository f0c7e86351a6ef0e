//! What a server keeps between its calls: each call says what a new process would say, whatever has happened since the last.
//!
//! Source: LEDGER D-STALE, RFC-0007 C-LOGGING, RFC-0009.

mod anything;
mod bounds;
mod edits;
mod logs;
mod support;
mod threads;
