//! `skc build`: what it makes of a skill, where that goes, and what becomes of it when something goes wrong.

mod concurrency;
mod copies;
mod deployment;
mod disk;
mod import;
mod incremental;
mod input;
mod interruption;
mod manifest;
mod output;
mod removing;
mod same_as_fresh;
mod scope;
mod sections;
mod several;
mod sizes;
mod stub;
mod support;
mod symlinks;
mod targets;
mod trash;
