//! `catalog_list`: all skills of a directory that a model may know of, those that are switched off too, and what could not be
//! read.
//!
//! Source: CATALOG 3.9, CAT-PROTO.1 to .3, .6, D6, D22.

use std::path::PathBuf;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use skillc_catalog::{Audience, SkillCatalog};
use skillc_ops::catalog::Look;
use skillc_ops::{Notes, Toolkit};

use super::{About, read, said, tool as make};
use crate::arguments::Issue;
use crate::tools::{Answer, End, Entry, Failure, Job};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Directory whose skills are listed, if not the server's
    #[serde(default)]
    cwd: Option<String>,
    /// Read everything from disk again
    #[serde(default)]
    force_reload: bool,
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "catalog_list",
        title: "List the catalog",
        text: "List every skill that can be found here, with those that are switched off and files that are no valid skills.",
    };
    Entry {
        check: |toolkit, arguments| {
            let cwd = arguments.get("cwd").and_then(Value::as_str)?;
            let message = "expected a directory";
            directory(toolkit, cwd)
                .is_none()
                .then(|| Issue::new("cwd", "invalid_value", message))
        },
        ..make::<Request, SkillCatalog<'_>>(&about, call)
    }
}

/// Returns a directory's canonical path.
fn directory(toolkit: &Toolkit, path: &str) -> Option<PathBuf> {
    let path = toolkit.context.cwd.join(path).canonicalize().ok()?;
    path.is_dir().then_some(path)
}

fn call(job: &Job<'_>, arguments: JsonObject) -> Answer {
    let mut notes = Notes::default();
    let end = listed(job, arguments, &mut notes);
    Answer::new(end, notes)
}

fn listed(job: &Job<'_>, arguments: JsonObject, notes: &mut Notes) -> Result<End, Failure> {
    let request: Request = read(arguments)?;
    let toolkit = job.toolkit;
    let look = if request.force_reload {
        Look::Anew
    } else {
        Look::IfDue
    };
    let own = toolkit.context.cwd.canonicalize().ok();
    let cwd = request.cwd.and_then(|cwd| directory(toolkit, &cwd));
    let catalog = match cwd.filter(|cwd| Some(cwd) != own.as_ref()) {
        Some(cwd) => toolkit.catalog_in(&cwd, look, notes),
        None => job.server.kept.catalog(toolkit, look, notes),
    };
    said(&catalog.passed_on(Audience::Model))
}
