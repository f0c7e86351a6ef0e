//! `skc catalog`: finding, loading and permitting skills on the command line.
//!
//! These tests run the program as a process. Discovery, ranking, rules and loading also have unit tests in the library.
//!
//! Design: requirements-catalog.

mod acceptance;
mod bad_input;
mod config_edits;
mod enabling;
mod loading;
mod model;
mod permitting;
mod retrieval;
mod searching;
mod support;
