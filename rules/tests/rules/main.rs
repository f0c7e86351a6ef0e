//! Tests of the rules, with fixtures and without.

mod bounds;
mod fixtures;
mod known_fields;
