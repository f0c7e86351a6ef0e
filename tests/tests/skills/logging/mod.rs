//! The access log: its content, its location, and the absence of other effects.

mod crowd;
mod hostile;
mod places;
mod rows;
mod stale;
mod support;
mod unchanged;
