//! The access log: what is in it, where it is, and that nothing else changes by it.

mod crowd;
mod hostile;
mod places;
mod rows;
mod stale;
mod support;
mod unchanged;
