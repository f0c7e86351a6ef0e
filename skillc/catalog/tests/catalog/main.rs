//! Tests the catalog through its public API, with one module per family of requirements.

mod bounds;
mod discovery;
mod frames;
mod gone;
mod heads;
mod injection;
mod invoking;
mod known;
mod links;
mod listing;
mod loading;
mod model;
mod permissions;
mod ranking;
mod references;
mod resolving;
mod roots;
mod searching;
mod settings;
mod support;
