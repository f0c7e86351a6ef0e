//! The catalog as its users see it: one module for each family of requirements.

mod bounds;
mod discovery;
mod heads;
mod injection;
mod links;
mod permissions;
mod roots;
mod searching;
mod settings;
mod support;
