//! `skc sync`: moving the entries of local logs into the logs of their skills, and failures.

mod concurrency;
mod destination;
mod duplicates;
mod failures;
mod interruption;
mod moved_rows;
mod schemas;
mod sources;
mod support;
