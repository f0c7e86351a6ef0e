//! The playground: lints a skill that a web page holds in memory, and applies its fixes.
//!
//! [`run`] takes a request as JSON and returns a response as JSON. The page in `docs/playground` calls this function in
//! a worker, through the functions of `exports.rs`. Findings have the form of `skc lint -o json`, and fixes are those
//! of `skc lint --fix`.
//!
//! Design: playground.

mod answer;
#[cfg(target_family = "wasm")]
pub mod exports;
mod request;

pub use answer::{about, run};
