//! `skc lint`: which skills, what is found in them, how that is shown.

mod formats;
mod sample;
mod sarif;
mod snapshot;
mod streams;
