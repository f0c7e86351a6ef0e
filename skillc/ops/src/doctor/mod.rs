//! `skc doctor`: which skills each client finds from the working directory, and which it drops silently.
//!
//! Client behaviour is reported as far as the clients table records it; unknown behaviour is reported as unknown and
//! does not fail the run. The command is read-only: it writes nothing and starts no client.
//!
//! Design: R12, R16, R20.

mod broken;
mod cause;
mod find;
mod head;
mod installed;
mod look;
mod mend;
mod problems;
mod report;

use schemars::JsonSchema;
use serde::Deserialize;
use skillc_core::clients::{Client, Clients};
use skillc_core::{Error, Result};

use self::find::Finder;
use self::installed::sign_of;
use self::look::view;
use self::problems::Gathered;
use crate::lookup;
use crate::notes::Notes;
use crate::operation::{Example, Operation, Verdict};
use crate::toolkit::Toolkit;

pub use report::{
    Cause, ClientView, DoctorResponse, Effect, Loss, Problem, RootState, RootView, SkillState,
    SkillView,
};

/// Arguments of `skc doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct DoctorRequest {
    /// Only this skill: its path, or the name that clients show
    pub skill: Option<String>,
    /// Only these clients, for example codex,claude-code
    #[cfg_attr(
        feature = "clap",
        arg(long, short, alias = "for", value_name = "ID,…", value_delimiter = ',')
    )]
    #[serde(default, alias = "for")]
    pub client: Vec<String>,
    /// Include clients that are not installed
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub all: bool,
}

/// Implements `skc doctor`.
pub struct Doctor;

impl Operation for Doctor {
    const NAME: &'static str = "doctor";
    const ABOUT: &'static str =
        "Show which skills each agent client finds here, and which fail to load";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "skc doctor",
            does: "installed clients",
        },
        Example {
            command: "skc doctor --client codex,goose",
            does: "these clients, installed or not",
        },
        Example {
            command: "skc doctor --all ./skills/pdf-forms",
            does: "one skill, in all known clients",
        },
    ];
    type Request = DoctorRequest;
    type Response = DoctorResponse;

    fn run(toolkit: &Toolkit, request: DoctorRequest, notes: &mut Notes) -> Result<DoctorResponse> {
        let (clients, not_installed) = clients(toolkit, &request)?;
        let mut finder = Finder::new(toolkit);
        for client in &clients {
            finder.walk(client, notes)?;
        }
        let asked = request.skill.as_ref();
        let asked = asked.map(|asked| finder.asked(asked, notes)).transpose()?;
        let context = &toolkit.context;
        let named = request.skill.as_deref();
        // A name may match several skills in client folders: use the root of the skill that other commands would find.
        notes.root = named
            .and_then(|name| lookup::find(context, &toolkit.stores, name).ok())
            .map(|found| found.at.canonical);
        let mut gathered = Gathered::new(context);
        let mut views = Vec::with_capacity(clients.len());
        for client in clients {
            toolkit.stop.check()?;
            let found = finder.find_for(client, asked.as_ref());
            views.push(view(client, &found, asked.as_ref(), context, &mut gathered));
        }
        Ok(DoctorResponse {
            skill: request.skill,
            problems: gathered.problems(),
            clients: views,
            not_installed,
        })
    }

    fn verdict(response: &DoctorResponse) -> Verdict {
        if response.problems.iter().any(|p| p.worst.is_loss()) {
            Verdict::Failed
        } else {
            Verdict::Passed
        }
    }
}

/// Returns the clients to examine, and the ids of those that are skipped.
///
/// # Errors
/// Returns E100 for an unknown client, or if `--all` is combined with named clients.
fn clients(
    toolkit: &Toolkit,
    request: &DoctorRequest,
) -> Result<(Vec<&'static Client>, Vec<String>)> {
    let all = Clients::shared();
    if request.all && !request.client.is_empty() {
        return Err(Error::InvalidOption {
            message: "--all cannot be used with --client".into(),
            hint: Some("Use one of them.".into()),
        });
    }
    if !request.client.is_empty() {
        let mut named: Vec<&'static Client> = Vec::new();
        for name in &request.client {
            let client = all.client(name.trim())?;
            if named.iter().all(|known| known.id != client.id) {
                named.push(client);
            }
        }
        return Ok((named, Vec::new()));
    }
    let programs = all.clients.iter().filter(|client| client.is_program());
    if request.all {
        return Ok((programs.collect(), Vec::new()));
    }
    let is_there = |client: &&Client| sign_of(client, &toolkit.context).is_some();
    let (there, absent): (Vec<_>, Vec<_>) = programs.partition(is_there);
    Ok((
        there,
        absent.into_iter().map(|client| client.id.clone()).collect(),
    ))
}
