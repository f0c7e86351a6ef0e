//! Skills and what is made of them: stores, builds, reading, searching, and the logs of their use.

mod building;
mod logging;
mod reading;
mod report;
mod searching;
mod stats;
mod stores;
mod sync;
