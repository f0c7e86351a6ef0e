//! `skc catalog`: what agents can find, load and be allowed to use, by the command line.
//!
//! What the library finds, scores and decides has its tests there; here is what the program makes of it, from process to
//! process.
//!
//! Design: requirements-catalog.

mod acceptance;
mod bad_input;
mod loading;
mod permitting;
mod searching;
mod support;
mod switching;
mod written;
