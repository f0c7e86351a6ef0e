//! The usage log: its content, its location, and the absence of other effects.

mod hostile;
mod many_processes;
mod places;
mod rows;
mod stale;
mod support;
mod unchanged;
