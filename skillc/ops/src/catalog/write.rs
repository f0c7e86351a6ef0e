//! Configuration edits: enable and disable skills, allow and deny loading them.
//!
//! People edit these files, too: comments, order and formatting are preserved, a symlink stays a symlink, and a file
//! that cannot be parsed is left unchanged. Edits are serialized; a file that another process changed in the meantime
//! is read again. Writing an entry that already exists is a no-op.
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

use super::CatalogCache;
use super::config_text::ConfigDoc;
use super::rules::RuleEdit;
use super::switches::SwitchEdit;
use crate::mcp_install::Change;
use crate::mcp_install::file::{ClientFile, unusable};
use crate::staged::Durability;
use crate::toolkit::Toolkit;

pub use super::switches::{Subject, Turn};

/// The header of a new file.
const NEW_FILE: &str = "version = 1\n";

/// The size limit of a configuration file. Design: R20.
const MAX_BYTES: usize = 1 << 20;

/// How many times an edit is attempted if another process keeps changing the file.
const MAX_RESTARTS: usize = 8;

/// Which configuration file to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Owner {
    /// The project's file; outside a project, the user's file.
    #[default]
    Project,
    /// The user's file.
    User,
}

/// The result of editing a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// The configuration file
    pub file: String,
    /// Scope of the file
    pub scope: Scope,
    /// What was done
    pub change: Change,
    /// Text that was added
    pub added: Vec<String>,
    /// Text that was removed
    pub removed: Vec<String>,
    /// Additional notes, one line each
    pub notes: Vec<String>,
}

/// Enables or disables skills.
///
/// Disabling writes an override. Skills are enabled by default, so enabling removes an override, and adds one only if
/// another entry would disable the skill.
///
/// # Errors
/// E999 if the file cannot be used or written; it is then unchanged.
pub fn switch(toolkit: &Toolkit, subject: &Subject, turn: Turn, place: Owner) -> Result<Written> {
    let at = ConfigFile::new(&toolkit.context, place);
    let edit = SwitchEdit::new(&toolkit.context, &at, subject, turn);
    at.edited(toolkit, |doc| edit.apply(doc))
}

/// Applies the answer "always": adds an allow rule to the user's file, for one catalog root (a canonical path).
///
/// # Errors
/// The same as for [`switch`].
///
/// Design: CAT-PERM.6, R18.
pub fn allow_always(toolkit: &Toolkit, name: &str, root: &Path) -> Result<Written> {
    let at = ConfigFile::new(&toolkit.context, Owner::User);
    let edit = RuleEdit::allow(&toolkit.context, &at, name, Some(root))?;
    at.edited(toolkit, |doc| edit.apply(doc))
}

/// The result of an edit.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub added: Vec<String>,
    pub removed: Vec<String>,
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

/// A configuration file to edit.
pub(super) struct ConfigFile {
    /// The root of the store that the file belongs to.
    pub root: PathBuf,
    pub scope: Scope,
    pub path: PathBuf,
    /// Whether the user's file is used because there is no project.
    is_implied: bool,
}

impl ConfigFile {
    /// Finds the file. In nested projects, this is the file that is in effect: the nearest existing file, or, if there
    /// is none, the file of the nearest project.
    pub(super) fn new(context: &Context, place: Owner) -> Self {
        let stores = stores(context);
        let of_project = |store: &&Store| store.scope == Scope::Project && place == Owner::Project;
        let read = stores.iter().filter(of_project);
        let is_there = |store: &&Store| store.config().symlink_metadata().is_ok();
        let read = read.clone().find(is_there);
        let found = read.or_else(|| stores.iter().find(of_project)).cloned();
        let is_implied = found.is_none() && place == Owner::Project;
        let store = found.unwrap_or_else(|| Store::global(context));
        Self {
            path: store.config(),
            root: store.root,
            scope: store.scope,
            is_implied,
        }
    }

    /// Edits the file, if there is anything to change.
    ///
    /// # Errors
    /// E999 if the file cannot be used or written; it is then unchanged.
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
        let durability = Durability::from_context(&toolkit.context);
        for _ in 0..MAX_RESTARTS {
            let (file, text, edits) = self.planned(&edit)?;
            if edits.is_none() || file.replace(&text, durability)? {
                toolkit.kept.get::<CatalogCache>().forget();
                return Ok(self.written(edits));
            }
        }
        let hint = "Another program keeps changing it. Try again later.";
        Err(unusable(
            &self.path,
            "is constantly being changed by another program",
            hint,
        ))
    }

    /// Reads the file and returns its new text.
    fn planned(
        &self,
        edit: impl Fn(&mut ConfigDoc) -> Result<Edits, String>,
    ) -> Result<(ClientFile, String, Edits)> {
        let file = match self.scope {
            Scope::Project => ClientFile::read_in_project(&self.root, &self.path),
            Scope::Global => ClientFile::read(&self.path),
        }?;
        let fail = |what: String| unusable(&self.path, &what, "Fix the file and try again.");
        let mut doc = ConfigDoc::parse(file.text.as_deref().unwrap_or(NEW_FILE)).map_err(fail)?;
        let edits = edit(&mut doc).map_err(fail)?;
        let text = doc.text();
        if !edits.is_none() {
            if text.len() > MAX_BYTES {
                return Err(fail("would be larger than 1 MiB".to_owned()));
            }
            // Make sure that the new text can be read again.
            ConfigDoc::parse(&text)
                .map_err(|_| fail("is written in a form that skc cannot edit".to_owned()))?;
        }
        Ok((file, text, edits))
    }

    fn written(&self, edits: Edits) -> Written {
        let implied = self.is_implied.then_some(
            "Not in a project: the user's configuration file was changed, as with --global; it applies everywhere.",
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

/// Waits until other edits of files in a directory have finished, and locks the directory. Returns `None` if the system
/// cannot lock the directory.
fn lock(dir: &Path, toolkit: &Toolkit) -> Result<Option<File>> {
    let Ok(file) = open_dir(dir) else {
        return Ok(None);
    };
    match lock_within(&file, toolkit.context.lock_wait, &toolkit.stop) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::Error(_)) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            let hint = "Another program is writing to it. Try again later.";
            Err(unusable(dir, "is locked by another program", hint))
        }
    }
}
