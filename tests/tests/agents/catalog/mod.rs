//! `skc catalog`: what agents can find, load and be allowed to use, by the command line.
//!
//! The library has its own tests of discovery, ranking, rules and loading; these test the program, from process to
//! process.
//!
//! Design: requirements-catalog.

mod acceptance;
mod bad_input;
mod loading;
mod permitting;
mod retrieval;
mod searching;
mod support;
mod switching;
mod written;
