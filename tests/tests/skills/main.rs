//! Skills in stores: building, reading, searching, and the logs of their use.

mod building;
mod logging;
mod reading;
mod report;
mod searching;
mod stats;
mod stores;
mod sync;
