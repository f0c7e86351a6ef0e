//! The rules with their fixtures, and what fixtures cannot show.

mod bounds;
mod fixtures;
mod known_fields;
