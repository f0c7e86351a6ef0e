//! Skills in stores: building, reading and searching them, and their usage logs.

mod building;
mod logging;
mod reading;
mod report;
mod searching;
mod stats;
mod stores;
mod sync;
