//! `skc stats`: counting, filters, and output.
//!
//! Design: requirements-stats, C-LOGGING@7.

mod all_skills;
mod row_counts;
mod damage;
mod errors;
mod extensions;
mod filters;
mod groups;
mod end_to_end;
mod prune;
mod shared;
mod support;
mod text;
