//! `skill_load`: hands a skill to an agent, or reminds it that it has it.
//!
//! Source: CATALOG 3.6, 3.7, 3.9, CAT-LOAD.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use skillc_catalog::{
    Catalog, Entry as Skill, Loaded, Refusal, Resend, Scope, Wanted, load, resolve,
};
use skillc_core::Error;
use skillc_ops::catalog::{Look, write};
use skillc_ops::{Arguments, Notes};

use super::confirm::{Confirmed, Given, confirm};
use super::{About, read, said, tool as make};
use crate::arguments::Issue;
use crate::tools::{Answer, End, Entry, Failure, Job};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Name of the skill; this or path is needed
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// Its SKILL.md or directory, which decides whatever the name
    #[serde(default)]
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// Narrows an ambiguous name
    #[serde(default)]
    scope: Option<Scope>,
    /// Send it even if this run has it
    #[serde(default)]
    force: bool,
    /// Handle from an earlier answer; avoids sending a body twice
    #[serde(default)]
    run: Option<String>,
}

pub(super) fn tool() -> Entry {
    let about = About {
        name: "skill_load",
        title: "Load a skill",
        text: "Read the instructions of a skill, by name or path, before a task that its description fits.",
    };
    Entry {
        check: |_, arguments| {
            let is_blank = |key| match arguments.get(key) {
                Some(Value::String(text)) => text.trim().is_empty(),
                _ => true,
            };
            let message = "a name or a path is needed";
            let is_named = !is_blank("name") || !is_blank("path");
            (!is_named).then(|| Issue::new("name", "required", message))
        },
        ..make::<Request, Loaded>(&about, call)
    }
}

fn call(job: &Job<'_>, arguments: JsonObject) -> Answer {
    let mut notes = Notes::default();
    let request: Request = match read(arguments) {
        Ok(request) => request,
        Err(failure) => return failure.into(),
    };
    let catalog = job
        .server
        .kept
        .catalog(job.toolkit, Look::IfDue, &mut notes);
    let mut answer = answer(job, &request, &catalog, &mut notes);
    answer.notes.append(notes);
    answer
}

fn answer(job: &Job<'_>, request: &Request, catalog: &Catalog, notes: &mut Notes) -> Answer {
    let wanted = Wanted {
        name: request.name.clone(),
        path: request.path.clone(),
        scope: request.scope,
        ..Wanted::default()
    };
    let resolved = match resolve(catalog, &wanted) {
        Ok(resolved) => resolved,
        Err(refusal) => return refusal.into(),
    };
    let skill = resolved.entry();
    let confirmed = match confirm(job, resolved) {
        Ok(confirmed) => confirmed,
        Err(end) => {
            if let End::Failed(failure) = &end {
                log(job, skill, request, Some(&failure.error), notes);
            }
            return Answer::new::<Failure>(Ok(end), Notes::default());
        }
    };
    let result = loaded(job, request, catalog, &confirmed, notes);
    let error = result.as_ref().err().map(Refusal::error);
    log(job, skill, request, error.as_ref(), notes);
    result.unwrap_or_else(Answer::from)
}

/// Loads a skill for the run that the call belongs to, which other loads of that run wait for.
fn loaded(
    job: &Job<'_>,
    request: &Request,
    catalog: &Catalog,
    confirmed: &Confirmed<'_>,
    notes: &mut Notes,
) -> Result<Answer, Refusal> {
    let kept = Arc::clone(&job.server.kept);
    let run = kept.runs.begin(job, request.run.as_deref());
    let resend = if request.force {
        Resend::Always
    } else {
        Resend::Changed
    };
    let mut loaded = load(catalog, confirmed.permitted, resend, &run.versions)?;
    loaded.root = job.toolkit.root_of(&loaded.dir);
    let name = &loaded.name;
    if let Some(Given { content, always }) = confirmed.word {
        if content != loaded.sha256 {
            // Nobody has allowed what it says now.
            let skill = name.clone();
            return Err(Refusal::NeedsWord { skill });
        }
        if always {
            allow_always(job, catalog, name, notes);
        }
    }
    notes.notices.append(&mut loaded.notices);
    let end = said(&loaded).map(|end| match end {
        End::Said { value, .. } => End::Said {
            value,
            text: Some(loaded.content.clone()),
            beside: None,
        },
        other => other,
    });
    let mut answer = Answer::new(end, Notes::default());
    answer.when_sent = Some(Box::new(move || {
        kept.runs.remember(&loaded);
        drop(run);
    }));
    Ok(answer)
}

/// Writes down that a skill may be loaded in this project from now on. It is loaded this time, whether or not that can be.
fn allow_always(job: &Job<'_>, catalog: &Catalog, name: &str, notes: &mut Notes) {
    let written = write::allow_always(job.toolkit, name, &catalog.chain.root);
    if let Err(error) = written {
        notes.notices.push(error.into());
    }
}

fn log(job: &Job<'_>, skill: &Skill, request: &Request, error: Option<&Error>, notes: &mut Notes) {
    let mut arguments = Arguments::default();
    for (key, value) in [("name", &request.name), ("path", &request.path)] {
        if let Some(value) = value {
            arguments.set(key, value.clone());
        }
    }
    job.toolkit.log_load(skill, arguments, error, notes);
}
