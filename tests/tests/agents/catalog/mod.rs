//! `skc catalog`: finding, loading and permitting skills on the command line.
//!
//! The library has unit tests of discovery, ranking, rules and loading; these test the program as a process.
//!
//! Design: requirements-catalog.

mod acceptance;
mod bad_input;
mod config_edits;
mod enabling;
mod loading;
mod permitting;
mod retrieval;
mod searching;
mod support;
