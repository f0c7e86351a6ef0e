//! `skc sync`: moves local logs to their final location; failures.

mod concurrency;
mod destination;
mod duplicates;
mod failures;
mod interruption;
mod moving;
mod schemas;
mod sources;
mod support;
