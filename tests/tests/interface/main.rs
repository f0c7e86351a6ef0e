//! The user interface: commands, arguments, help, streams, codes, reference pages.

mod arguments;
mod book;
mod code_cases;
mod codes;
mod codes_of_catalog;
mod colours;
mod commands;
mod completions;
mod editor;
mod equal_requests;
mod generated_docs;
mod help;
mod journeys;
mod schemas;
mod self_check;
mod streams;
mod tour;
mod verbose;
mod vocabulary;

/// The path of the program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_skc-under-test");
