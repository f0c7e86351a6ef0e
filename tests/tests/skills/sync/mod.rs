//! `skc sync`: moves local logs to the logs of their skills; failures.

mod concurrency;
mod destination;
mod duplicates;
mod failures;
mod interruption;
mod moved_rows;
mod schemas;
mod sources;
mod support;
