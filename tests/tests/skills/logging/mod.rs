//! The usage log: what it records, where it is written, and that logging has no side effects.

mod hostile;
mod many_processes;
mod places;
mod rows;
mod stale;
mod support;
mod unchanged;
