//! `skc build`: compilation, deployment, and failures.

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
mod several_skills;
mod sizes;
mod stub;
mod support;
mod symlinks;
mod targets;
mod trash;
