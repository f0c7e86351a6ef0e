//! `skc stats`: counting, filters, and output.
//!
//! Design: requirements-stats, C-LOGGING@7.

mod all_skills;
mod damage;
mod end_to_end;
mod errors;
mod extensions;
mod filters;
mod groups;
mod prune;
mod row_counts;
mod shared;
mod support;
mod text;
