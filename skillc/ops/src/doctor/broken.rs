//! Entries of a client's folder that used to be skills: dangling links, and stubs without their `SKILL.md`.
//!
//! A stub is recognized by its location (the runtime directory of a store) or, if it is a copy, by its manifest.
//! Nothing else in the stub is trusted: the report mentions only the entry and the source that belongs to the runtime
//! directory.

use std::io;
use std::path::{Path, PathBuf};

use skillc_core::layout::{RuntimeDir, SKILL_FILE, SKILLC_DIR, Store, canonical};
use skillc_core::resolve::{is_skill, stores};
use skillc_core::source::link_end;
use skillc_core::{Context, SkillRef};

use crate::lookup::{FolderNames, find, named};
use crate::shown_path::shown_path;
use skillc_core::shell::shell_word;

/// An entry that used to be a skill.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) path: PathBuf,
    pub(super) why: Why,
}

/// The fault of a broken entry.
#[derive(Debug)]
pub(super) enum Why {
    /// A dangling link.
    DeadLink,
    /// A link that cannot be followed. Contains the reason.
    Closed(String),
    /// A link to a runtime directory whose stub is gone.
    EmptiedLink(Source),
    /// A copy of a build whose stub is gone.
    EmptiedCopy,
}

/// The source that a runtime directory was built from.
#[derive(Debug)]
pub(super) struct Source {
    /// The skill's directory name.
    pub(super) name: String,
    pub(super) dir: PathBuf,
    /// Whether the source is outside the stores, so that a build without `--in-place` would import it.
    is_in_place: bool,
}

impl Source {
    /// Returns the source of a runtime directory, which need not exist; `None` for any other directory.
    pub(super) fn in_runtime(dir: &Path) -> Option<Self> {
        let name = dir.file_name()?.to_str()?;
        let root = dir.parent()?.parent()?.parent()?;
        let store = Store::project(root.to_path_buf());
        (store.dir().ends_with(SKILLC_DIR) && store.runtime(name).0 == dir).then(|| Self {
            name: name.to_owned(),
            dir: store.source(name),
            is_in_place: false,
        })
    }

    /// Creates the source from the skill that a stub resolves to.
    pub(super) fn from_skill(at: &SkillRef) -> Self {
        Self {
            name: at.name.clone(),
            dir: at.source.clone(),
            is_in_place: at.store.is_none(),
        }
    }

    /// Returns the command that rebuilds the stub: by the skill's name if that finds the skill, otherwise by its path.
    pub(super) fn command(&self, context: &Context) -> String {
        let own = canonical(&self.dir);
        let named = find(context, &stores(context), &self.name);
        let skill = if named.is_ok_and(|found| found.at.canonical == own) {
            self.name.clone()
        } else {
            self.dir.display().to_string()
        };
        let option = if self.is_in_place { " --in-place" } else { "" };
        format!("skc build {}{option}", shell_word(&skill))
    }

    /// Returns the command that rebuilds a deleted build; `None` if the source cannot be found.
    ///
    /// The source is in the store of the build, or, if it was built in place, in a client's folder.
    fn command_for_deleted(&self, context: &Context, known: &FolderNames) -> Option<String> {
        if is_skill(&self.dir) {
            return Some(self.command(context));
        }
        if !known.has(context, &self.name) {
            return None;
        }
        let in_place = named(context, &self.name)?;
        Some(Self::from_skill(&in_place.at).command(context))
    }
}

impl Broken {
    /// Returns the kind of the problem, as a machine-readable key, and the message.
    pub(super) fn message(&self) -> (&'static str, String) {
        let (kind, message) = match &self.why {
            Why::DeadLink => ("dead-link", "the skill is a dangling symlink"),
            Why::Closed(why) => {
                return ("unreadable", format!("the link cannot be followed: {why}"));
            }
            Why::EmptiedLink(_) => ("emptied-stub", "the stub is missing from the skill's build"),
            Why::EmptiedCopy => ("emptied-stub", "the stub is missing from the deployed copy"),
        };
        (kind, message.to_owned())
    }

    /// Returns the suggested remedy.
    ///
    /// `known`: the names in the folders of clients.
    pub(super) fn mend(&self, context: &Context, known: &FolderNames) -> String {
        match &self.why {
            Why::DeadLink => "Restore the link's target, or remove the link.".to_owned(),
            Why::Closed(_) => "Point the link to a readable skill, or remove the link.".to_owned(),
            Why::EmptiedLink(source) => source.command_for_deleted(context, known).map_or_else(
                || "The skill's source is missing, too: remove the link.".to_owned(),
                |command| format!("Rebuild it: {command}"),
            ),
            Why::EmptiedCopy => {
                let name = self.path.file_name().unwrap_or_default();
                let folder = self.path.parent().unwrap_or(&self.path);
                format!(
                    "Rebuild it: skc build {} --copy --target {}",
                    shell_word(&name.to_string_lossy()),
                    shell_word(&shown_path(folder, context))
                )
            }
        }
    }
}

/// Returns the broken entries of a folder, sorted by name.
pub(super) fn broken(dir: &Path) -> Vec<Broken> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<Broken> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let is_link = entry.file_type().ok()?.is_symlink();
            let why = if is_link { link(&path) } else { copy(&path) }?;
            Some(Broken { path, why })
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn link(path: &Path) -> Option<Why> {
    let file = path.join(SKILL_FILE);
    match path.metadata() {
        Ok(_) if file.symlink_metadata().is_ok() => None,
        Ok(_) => Source::in_runtime(&canonical(path)).map(Why::EmptiedLink),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let emptied = Source::in_runtime(&link_end(path)).map(Why::EmptiedLink);
            Some(emptied.unwrap_or(Why::DeadLink))
        }
        Err(error) => Some(Why::Closed(error.kind().to_string())),
    }
}

fn copy(path: &Path) -> Option<Why> {
    let copy = RuntimeDir(path.to_path_buf());
    let is_emptied = copy.stub().symlink_metadata().is_err() && copy.manifest().is_file();
    is_emptied.then_some(Why::EmptiedCopy)
}

/// If the folder is a symlink that cannot be followed, returns the reason.
pub(super) fn closed_folder(dir: &Path) -> Option<String> {
    let is_link = dir.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let error = dir.metadata().err().filter(|_| is_link)?;
    Some(if error.kind() == io::ErrorKind::NotFound {
        "it is a dangling symlink".to_owned()
    } else {
        error.kind().to_string()
    })
}
