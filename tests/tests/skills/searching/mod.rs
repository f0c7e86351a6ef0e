//! The search index and `skc search`: which text is indexed, when an index is valid, and what a query matches.
//!
//! Design: requirements-search, C-TOKENIZER, R8, R20, R24, R25.

mod cjk;
mod code;
mod damage;
mod formats;
mod hostile_tables;
mod index;
mod lifecycle;
mod lookup;
mod places;
mod query;
mod relevance;
mod search;
mod staleness;
mod support;
mod types;
