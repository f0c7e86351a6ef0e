//! Checking skills: `skc lint` with findings, fixes and output; scripted rules; and `skc doctor`.

mod accuracy;
mod ci;
mod corpus;
mod doctor;
mod fixing;
mod linting;
mod plugins;
mod security;
