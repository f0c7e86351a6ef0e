//! Installs and uninstalls the server for several clients: reads all files, checks existing entries, then writes.

use std::path::PathBuf;

use skillc_core::clients::Client;
use skillc_core::layout::Scope;
use skillc_core::{Error, Result};

use crate::mcp_install::config_location::{ConfigLocation, to_paste};
use crate::mcp_install::entry::{
    ARGS, Judgement, SERVER, SeenEntry, additions, command, filled, judge, likely_command,
};
use crate::mcp_install::file::{ClientFile, Written, unusable};
use crate::mcp_install::{Change, ClientChange, SetupResponse, diff, edit};
use crate::notes::Notes;
use crate::staged::Durability;
use crate::toolkit::Toolkit;

/// How many times to retry if a client keeps writing to its file.
const MAX_RESTARTS: usize = 3;

/// Plans the change for a client.
pub(crate) type Planner<'a> = fn(&Run<'a>, &'a Client) -> Result<Plan<'a>>;

/// The options of an installation.
pub(crate) struct Run<'a> {
    pub toolkit: &'a Toolkit,
    pub scope: Scope,
    pub is_forced: bool,
    pub is_dry: bool,
}

/// A client's file with its new text.
pub(crate) struct Plan<'a> {
    place: ConfigLocation<'a>,
    file: ClientFile,
    change: Change,
    text: Option<String>,
}

impl<'a> Run<'a> {
    /// Plans all changes, then writes.
    pub(crate) fn all(
        &self,
        clients: &[&'a Client],
        plan: Planner<'a>,
        notes: &mut Notes,
    ) -> Result<SetupResponse> {
        let plans: Vec<Plan<'_>> = clients
            .iter()
            .map(|client| plan(self, client))
            .collect::<Result<_>>()?;
        for plan in &plans {
            notes.detail(format!("file    {}", plan.place.path.display()));
        }
        let changes = if self.is_dry {
            plans.iter().map(|plan| Ok(plan.shown())).collect()
        } else {
            let written = clients.iter().map(|client| self.written(client, plan));
            written.collect::<Result<_>>()
        };
        Ok(SetupResponse {
            dry_run: self.is_dry,
            clients: changes?,
        })
    }

    /// Plans again and writes: two clients may have the same file because of a symlink, and any client may have written
    /// to its file.
    fn written(&self, client: &'a Client, plan: Planner<'a>) -> Result<ClientChange> {
        let context = &self.toolkit.context;
        for _ in 0..=MAX_RESTARTS {
            let plan = plan(self, client)?;
            if let Written::Done(backup) = plan.write(Durability::from_context(context))? {
                return Ok(plan.told(backup, None));
            }
        }
        let place = ConfigLocation::new(context, client, self.scope)?;
        let hint = "Close the client and try again.";
        Err(unusable(
            &place.path,
            "is constantly being written to by its client",
            hint,
        ))
    }

    pub(crate) fn install(&self, client: &'a Client) -> Result<Plan<'a>> {
        let context = &self.toolkit.context;
        let (place, file, seen) = self.look(client)?;
        let command = command(context, self.scope)?;
        let entry = filled(place.config, &command);
        // A project's file may come with a repository, and additional settings in its entry may make the client run
        // another program. In the user's own file, such settings are the user's choice.
        let others = seen.as_ref();
        let others = others.and_then(|seen| additions(place.config, seen));
        let others = others.filter(|_| self.scope == Scope::Project);
        let others = others.map(|others| format!("{}; {others}", starts(Some(&ours(&command)))));
        let judged = seen.map(|seen| judge(place.config, &seen, &command, context));
        let change = match (judged, others) {
            (None, _) => Change::Added,
            (Some(Judgement::Ours), None) => Change::Unchanged,
            (Some(_), _) if self.is_forced => Change::Replaced,
            (Some(Judgement::Ours), Some(others)) => return Err(taken(&place, &others, &command)),
            (Some(Judgement::Elsewhere(line)), _) => {
                return Err(taken(&place, &starts(Some(&line)), &command));
            }
            (Some(Judgement::Different(line)), _) => {
                return Err(taken(&place, &starts(line.as_deref()), &command));
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

    pub(crate) fn uninstall(&self, client: &'a Client) -> Result<Plan<'a>> {
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
    fn look(
        &self,
        client: &'a Client,
    ) -> Result<(ConfigLocation<'a>, ClientFile, Option<SeenEntry>)> {
        let place = ConfigLocation::new(&self.toolkit.context, client, self.scope)?;
        let file = place.read()?;
        let seen = match &file.text {
            None => None,
            Some(text) => {
                edit::find(place.config, text).map_err(|why| self.unreadable(&place, &why))?
            }
        };
        Ok((place, file, seen))
    }

    /// Creates the error for an unusable file, with the entry to add manually.
    fn unreadable(&self, place: &ConfigLocation<'_>, why: &str) -> Error {
        let text = to_paste(&self.toolkit.context, place.config, self.scope);
        let hint = format!(
            "Nothing was changed. Fix the file and try again, or edit the entry manually:\n\n{text}"
        );
        Error::Internal {
            message: format!("'{}' {why}", place.path.display()),
            hint: Some(hint.into()),
        }
    }
}

impl Plan<'_> {
    /// Returns the change that would be written.
    fn shown(&self) -> ClientChange {
        let path = self.place.path.display().to_string();
        let former = self.file.text.as_deref();
        let text = self.text.as_ref();
        self.told(None, text.map(|text| diff::unified(&path, former, text)))
    }

    fn write(&self, durability: Durability) -> Result<Written> {
        match &self.text {
            Some(text) => self.file.write(text, durability),
            None => Ok(Written::Done(None)),
        }
    }

    fn told(&self, backup: Option<PathBuf>, diff: Option<String>) -> ClientChange {
        let ConfigLocation { config, scope, .. } = self.place;
        let is_there = matches!(
            self.change,
            Change::Added | Change::Replaced | Change::Unchanged
        );
        let of_scope = match scope {
            Scope::Global => &config.user_note,
            Scope::Project => &config.project_note,
        };
        let notes = config.note.iter().chain(of_scope);
        ClientChange {
            client: self.place.client.id.clone(),
            scope,
            path: self.place.path.display().to_string(),
            change: self.change,
            backup: backup.map(|backup| backup.display().to_string()),
            diff,
            notes: notes.filter(|_| is_there).cloned().collect(),
        }
    }
}

/// Creates the error for an entry of the same name that skc did not write. `does`: what that entry does.
fn taken(place: &ConfigLocation<'_>, does: &str, command: &str) -> Error {
    let hint = format!(
        "Nothing was changed. To make it start '{}', use --force.",
        ours(command)
    );
    Error::Internal {
        message: other_entry(place, does),
        hint: Some(hint.into()),
    }
}

/// Creates the error for an entry that is not ours to remove.
fn foreign(place: &ConfigLocation<'_>, line: Option<&str>) -> Error {
    Error::Internal {
        message: other_entry(place, &starts(line)),
        hint: Some("Nothing was changed. To remove it anyway, use --force.".into()),
    }
}

fn other_entry(place: &ConfigLocation<'_>, does: &str) -> String {
    format!("'{SERVER}' in '{}' {does}", place.path.display())
}

fn starts(line: Option<&str>) -> String {
    line.map_or_else(
        || "does not start a known program".to_owned(),
        |line| format!("starts '{line}'"),
    )
}

/// Returns the command line of our entry.
fn ours(command: &str) -> String {
    format!("{command} {}", ARGS.join(" "))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use skillc_core::testkit::{context, write_files};
    use tempfile::TempDir;

    use super::*;

    const FILE: &str = ".cursor/mcp.json";

    fn text(home: &TempDir) -> String {
        fs::read_to_string(home.path().join(FILE)).expect("a file")
    }

    fn is_touched(path: &Path, how_often: usize) -> bool {
        let text = fs::read_to_string(path).expect("a file");
        text.matches('\n').count() >= how_often
    }

    /// Simulates a running client: adds a line after the file was read.
    fn write_to(plan: &Plan<'_>, how_often: usize) {
        let path = &plan.place.path;
        if !is_touched(path, how_often) {
            let text = plan.file.text.as_deref().unwrap_or_default();
            fs::write(path, format!("{text}\n")).expect("a file");
        }
    }

    fn busy_for_a_while<'a>(run: &Run<'a>, client: &'a Client) -> Result<Plan<'a>> {
        let plan = run.install(client)?;
        write_to(&plan, 3);
        Ok(plan)
    }

    fn always_busy<'a>(run: &Run<'a>, client: &'a Client) -> Result<Plan<'a>> {
        let plan = run.install(client)?;
        write_to(&plan, usize::MAX);
        Ok(plan)
    }

    /// Installs into a temporary home directory.
    fn installed(plan: for<'a> fn(&Run<'a>, &'a Client) -> Result<Plan<'a>>) -> Installed {
        let home = tempfile::tempdir().expect("a directory");
        write_files(home.path(), &[(FILE, "{}")]);
        let context = context(home.path(), home.path());
        let (toolkit, _) = Toolkit::new(context).expect("no plug-ins");
        let run = Run {
            toolkit: &toolkit,
            scope: Scope::Global,
            is_forced: false,
            is_dry: false,
        };
        let cursor = skillc_core::clients::Clients::shared()
            .client("cursor")
            .expect("it is known");
        let done = run.all(&[cursor], plan, &mut Notes::default());
        (home, done)
    }

    type Installed = (TempDir, Result<SetupResponse>);

    #[test]
    fn concurrent_client_writes_are_kept_and_the_backup_is_accurate() {
        let (home, done) = installed(busy_for_a_while);
        let done = done.expect("it is unlocked in the end");
        let backup = done.clients[0].backup.as_deref().expect("a backup");
        assert_eq!(fs::read_to_string(backup).expect("a file"), "{}\n\n\n");
        assert!(text(&home).ends_with("}\n\n\n") && text(&home).contains("\"skillc\""));
        let dir = home.path().join(".cursor");
        assert_eq!(dir.read_dir().expect("a directory").count(), 2);
    }

    #[test]
    fn a_client_that_never_stops_writing_is_an_error_without_changes() {
        let (home, done) = installed(always_busy);
        let error = done.expect_err("it is never unlocked").to_string();
        assert!(
            error.ends_with("is constantly being written to by its client"),
            "{error}"
        );
        assert!(text(&home).trim_end() == "{}" && text(&home).len() >= 2 + MAX_RESTARTS);
        let dir = home.path().join(".cursor");
        assert_eq!(dir.read_dir().expect("a directory").count(), 1);
    }
}
