//! `skc stats --format html`: the page, what is on it, and where it goes.
//!
//! Rendering in a browser is tested in `tests/browser`.

mod content;
mod hostile;
mod output;
mod pages;
mod sample;
mod tags;
