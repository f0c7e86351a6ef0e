//! The configuration, written: skills switched on and off, loading them allowed and denied.
//!
//! People write to these files, too: comments, order and form stay, a link stays a link, and a file that cannot be
//! understood is left alone. One edit at a time; a file that somebody else changed meanwhile is read again. Nothing is
//! written twice.
//!
//! Design: catalog-config, CAT-PERM.6, CAT-PICK.4, R18.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use skillc_core::layout::{Scope, Store};
use skillc_core::lock::lock_within;
use skillc_core::resolve::stores;
use skillc_core::source::open_dir;
use skillc_core::{Context, Error, Result};

use super::KeptCatalogs;
use super::config_text::ConfigDoc;
use super::rules::RuleEdit;
use super::switches::SwitchEdit;
use crate::setup::Change;
use crate::setup::file::{ClientFile, unusable};
use crate::staged::Durability;
use crate::toolkit::Toolkit;

pub use super::switches::{Subject, Turn};

/// What a new file begins with.
const NEW_FILE: &str = "version = 1\n";

/// The largest configuration file that is read. Design: R20.
const MAX_BYTES: usize = 1 << 20;

/// How often a file is read again that somebody else changed meanwhile.
const MAX_RESTARTS: usize = 8;

/// Whose configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// The project's; the user's where there is no project.
    #[default]
    Project,
    /// The user's.
    User,
}

/// What became of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// The configuration file
    pub file: String,
    /// Whose it is
    pub scope: Scope,
    /// What was done
    pub change: Change,
    /// What it has now that it had not
    pub added: Vec<String>,
    /// What it has no more
    pub removed: Vec<String>,
    /// What else to know, one line each
    pub notes: Vec<String>,
}

/// Switches skills on or off.
///
/// Off is always written down. On is how skills are, so what says off is taken away, and on is written down only where
/// something else would say off.
///
/// # Errors
/// E999 if the file cannot be used or written; it is then as it was.
pub fn switch(toolkit: &Toolkit, subject: &Subject, turn: Turn, place: Place) -> Result<Written> {
    let at = ConfigFile::of(&toolkit.context, place);
    let edit = SwitchEdit::new(&toolkit.context, &at, subject, turn);
    at.edited(toolkit, |doc| edit.apply(doc))
}

/// Writes what "always" answers: a rule of the user's that allows to load a skill in one catalog root, which is canonical.
///
/// # Errors
/// As [`switch`].
///
/// Design: CAT-PERM.6, R18.
pub fn allow_always(toolkit: &Toolkit, name: &str, root: &Path) -> Result<Written> {
    let at = ConfigFile::of(&toolkit.context, Place::User);
    let edit = RuleEdit::allow(&toolkit.context, &at, name, Some(root))?;
    at.edited(toolkit, |doc| edit.apply(doc))
}

/// What an edit did.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// What else there is to say of it.
    pub notes: Vec<String>,
}

impl Edits {
    fn is_none(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    fn change(&self) -> Change {
        match (self.added.is_empty(), self.removed.is_empty()) {
            (true, true) => Change::Unchanged,
            (false, true) => Change::Added,
            (true, false) => Change::Removed,
            (false, false) => Change::Replaced,
        }
    }
}

/// A configuration file that is to be written.
pub(super) struct ConfigFile {
    /// The directory that its paths are below.
    pub root: PathBuf,
    pub scope: Scope,
    pub path: PathBuf,
    /// Whether it is the user's only because there is no project.
    is_implied: bool,
}

impl ConfigFile {
    /// Finds the file: of a project, the one that is read, which is not always the nearest project's.
    pub(super) fn of(context: &Context, place: Place) -> Self {
        let stores = stores(context);
        let of_project = |store: &&Store| store.scope == Scope::Project && place == Place::Project;
        let read = stores.iter().filter(of_project);
        let is_there = |store: &&Store| store.config().symlink_metadata().is_ok();
        let read = read.clone().find(is_there);
        let found = read.or_else(|| stores.iter().find(of_project)).cloned();
        let is_implied = found.is_none() && place == Place::Project;
        let store = found.unwrap_or_else(|| Store::global(context));
        Self {
            path: store.config(),
            root: store.root,
            scope: store.scope,
            is_implied,
        }
    }

    /// Changes the file, if there is anything to change.
    ///
    /// # Errors
    /// E999 if it cannot be used or written; it is then as it was.
    pub(super) fn edited(
        &self,
        toolkit: &Toolkit,
        edit: impl Fn(&mut ConfigDoc) -> Result<Edits, String>,
    ) -> Result<Written> {
        let (_, _, edits) = self.planned(&edit)?;
        if edits.is_none() {
            return Ok(self.written(edits));
        }
        let dir = self.path.parent().unwrap_or(&self.root);
        fs::create_dir_all(dir).map_err(|e| Error::io("creating", dir, &e))?;
        let _lock = lock(dir, toolkit)?;
        let durability = Durability::of(&toolkit.context);
        for _ in 0..MAX_RESTARTS {
            let (file, text, edits) = self.planned(&edit)?;
            if edits.is_none() || file.replace(&text, durability)? {
                toolkit.kept.of::<KeptCatalogs>().forget();
                return Ok(self.written(edits));
            }
        }
        let hint = "Try again when no other program writes to it.";
        Err(unusable(
            &self.path,
            "is being changed by another program",
            hint,
        ))
    }

    /// Reads the file and says what it is to be.
    fn planned(
        &self,
        edit: impl Fn(&mut ConfigDoc) -> Result<Edits, String>,
    ) -> Result<(ClientFile, String, Edits)> {
        let file = match self.scope {
            Scope::Project => ClientFile::read_in_project(&self.root, &self.path),
            Scope::Global => ClientFile::read(&self.path),
        }?;
        let fail = |what: String| unusable(&self.path, &what, "Mend the file, and try again.");
        let mut doc = ConfigDoc::parse(file.text.as_deref().unwrap_or(NEW_FILE)).map_err(fail)?;
        let edits = edit(&mut doc).map_err(fail)?;
        let text = doc.text();
        if !edits.is_none() {
            if text.len() > MAX_BYTES {
                return Err(fail("would be larger than 1 MiB".to_owned()));
            }
            // What cannot be read back is not written.
            ConfigDoc::parse(&text)
                .map_err(|_| fail("has a form that is not edited".to_owned()))?;
        }
        Ok((file, text, edits))
    }

    fn written(&self, edits: Edits) -> Written {
        let implied = self.is_implied.then_some(
            "No project here: it is the user's file, as with --global, and counts everywhere.",
        );
        let mut notes: Vec<String> = implied.into_iter().map(str::to_owned).collect();
        let change = edits.change();
        notes.extend(edits.notes);
        Written {
            file: self.path.display().to_string(),
            scope: self.scope,
            change,
            added: edits.added,
            removed: edits.removed,
            notes,
        }
    }
}

/// Waits until nobody else edits files of a directory. Systems that cannot lock a directory go without.
fn lock(dir: &Path, toolkit: &Toolkit) -> Result<Option<File>> {
    let Ok(file) = open_dir(dir) else {
        return Ok(None);
    };
    match lock_within(&file, toolkit.context.lock_wait, &toolkit.stop) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::Error(_)) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            let hint = "Try again when no other program writes to it.";
            Err(unusable(
                dir,
                "is being written to by another program",
                hint,
            ))
        }
    }
}
