//! `skc plugin …`: commands for those who write rules and formats as scripts. One module for each.
//!
//! Which scripts there are is decided in [`plugins`](crate::plugins); here is what their authors ask about them.
//!
//! Source: RULINGS R5.

mod check;
mod doc;
mod list;
mod new;
mod testing;

pub use check::{PluginCheck, PluginCheckRequest, PluginCheckResponse};
pub use doc::{FormatPage, PluginDoc, PluginDocRequest, PluginDocResponse};
pub use list::{
    PackName, PluginList, PluginListRequest, PluginListResponse, ScriptedFormat, ScriptedLint,
};
pub use new::{PluginKind, PluginNew, PluginNewRequest, PluginNewResponse};
pub use testing::{
    Difference, PluginTest, PluginTestRequest, PluginTestResponse, RefusedFix, ScriptCoverage,
    TestedCase, TestedScript,
};
