//! `skc plugin …`: commands for authors of scripted rules and indexers. One module per command.
//!
//! Discovery and loading are in [`plugins`](crate::plugins); these commands only use them.
//!
//! Design: R5.

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
