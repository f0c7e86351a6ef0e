//! Checking skills: what `skc lint` finds, fixes and shows, rules that are scripts, and what `skc doctor` says.

mod accuracy;
mod ci;
mod corpus;
mod doctor;
mod fixing;
mod linting;
mod plugins;
mod security;
