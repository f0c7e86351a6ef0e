//! `skc stats --format html`: the page, what is on it, and where it goes.
//!
//! What a browser makes of it is tested in `tests/browser`.

mod content;
mod hostile;
mod output;
mod pages;
mod sample;
mod tags;
