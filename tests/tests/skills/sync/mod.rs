//! `skc sync`: local logs moved to where they belong, and what becomes of them when something goes wrong.

mod concurrency;
mod destination;
mod duplicates;
mod failures;
mod interruption;
mod moving;
mod schemas;
mod sources;
mod support;
