//! Tests of the rules: their fixtures, and behaviour that fixtures cannot show.

mod bounds;
mod fixtures;
mod known_fields;
