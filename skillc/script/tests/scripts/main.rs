//! Scripts that define rules and indexers: their API, their faults, and their limits.

mod callbacks;
mod checks;
mod coverage;
mod declared;
mod held;
mod hostile;
mod locks;
mod replaced;
mod support;
mod threads;
