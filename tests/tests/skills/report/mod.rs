//! `skc stats --format html`: the page's content and destination.
//!
//! `tests/browser` tests rendering in a browser.

mod content;
mod hostile;
mod output;
mod pages;
mod sample;
mod tags;
