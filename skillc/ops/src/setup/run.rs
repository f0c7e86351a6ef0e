//! From clients to changed files: look at all of them, judge the entries that are there, then write.

use skillc_core::clients::Client;
use skillc_core::layout::Scope;
use skillc_core::{Error, Result};

use crate::operation::{Notes, Toolkit};
use crate::setup::entry::{
    ARGS, Judgement, SERVER, SeenEntry, command, filled, judge, likely_command,
};
use crate::setup::file::ClientFile;
use crate::setup::place::{Place, to_paste};
use crate::setup::{Change, ClientChange, SetupResponse, diff, edit};
use crate::staged::Durability;

/// What is to be done with each client.
pub(crate) struct Run<'a> {
    pub toolkit: &'a Toolkit,
    pub scope: Scope,
    pub is_forced: bool,
    pub is_dry: bool,
}

/// A client's file, and the text that it is to have.
pub(crate) struct Plan<'a> {
    place: Place<'a>,
    file: ClientFile,
    change: Change,
    text: Option<String>,
}

impl Run<'_> {
    /// Plans for all clients, then writes.
    pub(crate) fn all<'a>(
        &self,
        clients: &[&'a Client],
        plan: fn(&Self, &'a Client) -> Result<Plan<'a>>,
        notes: &mut Notes,
    ) -> Result<SetupResponse> {
        let plans: Vec<Plan<'_>> = clients
            .iter()
            .map(|client| plan(self, client))
            .collect::<Result<_>>()?;
        for plan in &plans {
            notes.detail(format!("file    {}", plan.place.path.display()));
        }
        let changes = clients.iter().zip(plans).map(|(client, planned)| {
            // Two clients may lead to one file by links, so what was planned for the second may be out of date.
            let plan = if self.is_dry {
                planned
            } else {
                plan(self, client)?
            };
            self.carry_out(plan)
        });
        Ok(SetupResponse {
            dry_run: self.is_dry,
            clients: changes.collect::<Result<_>>()?,
        })
    }

    pub(crate) fn install<'a>(&self, client: &'a Client) -> Result<Plan<'a>> {
        let context = &self.toolkit.context;
        let (place, file, seen) = self.look(client)?;
        let command = command(context, self.scope)?;
        let entry = filled(place.config, &command);
        let change = match seen.map(|seen| judge(place.config, &seen, &command, context)) {
            None => Change::Added,
            Some(Judgement::Ours) => Change::Unchanged,
            Some(_) if self.is_forced => Change::Replaced,
            Some(Judgement::Elsewhere(line)) => return Err(taken(&place, Some(&line), &command)),
            Some(Judgement::Different(line)) => {
                return Err(taken(&place, line.as_deref(), &command));
            }
        };
        let text = match change {
            Change::Unchanged => None,
            _ => Some(edit::set(
                place.config,
                file.text.as_deref().unwrap_or_default(),
                &entry,
            )),
        };
        let text = text
            .transpose()
            .map_err(|why| self.unreadable(&place, &why))?;
        Ok(Plan {
            place,
            file,
            change,
            text,
        })
    }

    pub(crate) fn uninstall<'a>(&self, client: &'a Client) -> Result<Plan<'a>> {
        let context = &self.toolkit.context;
        let (place, file, seen) = self.look(client)?;
        let command = likely_command(context, self.scope);
        let change = match seen.map(|seen| judge(place.config, &seen, &command, context)) {
            None => Change::Absent,
            Some(Judgement::Different(line)) if !self.is_forced => {
                return Err(foreign(&place, line.as_deref()));
            }
            Some(_) => Change::Removed,
        };
        let text = match (&file.text, change) {
            (Some(text), Change::Removed) => Some(edit::remove(place.config, text)),
            _ => None,
        };
        let text = text
            .transpose()
            .map_err(|why| self.unreadable(&place, &why))?;
        Ok(Plan {
            place,
            file,
            change,
            text,
        })
    }

    /// Reads a client's file.
    fn look<'a>(&self, client: &'a Client) -> Result<(Place<'a>, ClientFile, Option<SeenEntry>)> {
        let place = Place::of(&self.toolkit.context, client, self.scope)?;
        let file = ClientFile::read(&place.path)?;
        let seen = match &file.text {
            None => None,
            Some(text) => {
                edit::find(place.config, text).map_err(|why| self.unreadable(&place, &why))?
            }
        };
        Ok((place, file, seen))
    }

    /// Says that a file cannot be used as it is, and what the entry looks like.
    fn unreadable(&self, place: &Place<'_>, why: &str) -> Error {
        let text = to_paste(&self.toolkit.context, place.config, self.scope);
        let hint = format!(
            "Nothing was changed. Mend it and try again, or see to the entry by hand:\n\n{text}"
        );
        Error::Internal {
            message: format!("'{}' {why}", place.path.display()),
            hint: Some(hint.into()),
        }
    }

    fn carry_out(&self, plan: Plan<'_>) -> Result<ClientChange> {
        let Plan {
            place,
            file,
            change,
            text,
        } = plan;
        let path = place.path.display().to_string();
        let (mut backup, mut diff) = (None, None);
        if let Some(text) = &text {
            if self.is_dry {
                diff = Some(diff::unified(&path, file.text.as_deref(), text));
            } else {
                backup = file.write(text, Durability::of(&self.toolkit.context))?;
            }
        }
        let is_there = matches!(change, Change::Added | Change::Replaced | Change::Unchanged);
        let project_note = place
            .config
            .project_note
            .iter()
            .filter(|_| self.scope == Scope::Project);
        let notes = place
            .config
            .note
            .iter()
            .chain(project_note)
            .filter(|_| is_there);
        Ok(ClientChange {
            client: place.client.id.clone(),
            scope: self.scope,
            backup: backup.map(|backup| backup.display().to_string()),
            notes: notes.cloned().collect(),
            path,
            change,
            diff,
        })
    }
}

/// Says that the entry's name is taken.
fn taken(place: &Place<'_>, line: Option<&str>, command: &str) -> Error {
    let hint = format!(
        "Nothing was changed. To have it start '{command} {}': --force",
        ARGS.join(" ")
    );
    Error::Internal {
        message: other_entry(place, line),
        hint: Some(hint.into()),
    }
}

/// Says that an entry of this name is not ours to remove.
fn foreign(place: &Place<'_>, line: Option<&str>) -> Error {
    Error::Internal {
        message: other_entry(place, line),
        hint: Some("Nothing was changed. To remove it all the same: --force".into()),
    }
}

fn other_entry(place: &Place<'_>, line: Option<&str>) -> String {
    let does = line.map_or_else(
        || "starts no program that is known".to_owned(),
        |line| format!("starts '{line}'"),
    );
    format!("'{SERVER}' in '{}' {does}", place.path.display())
}
