//! `skc plugin …`: commands for those who write rules and formats as scripts. One module for each.
//!
//! Which scripts there are is decided in [`plugins`](crate::plugins); here is what their authors ask about them.
//!
//! Source: RULINGS R5.
