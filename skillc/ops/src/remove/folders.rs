//! The agent folders to which a build may have been deployed.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use skillc_core::clients::{Clients, expand};
use skillc_core::contained::hold_folder;
use skillc_core::layout::canonical;
use skillc_core::{Context, Result};

use crate::toolkit::Toolkit;

/// A folder that agents read skills from.
pub(crate) struct AgentFolder {
    /// The absolute path.
    pub(crate) dir: PathBuf,
    /// The project that the folder belongs to; `None` if it is one of the user's own folders.
    pub(crate) project: Option<PathBuf>,
}

impl AgentFolder {
    /// Opens the folder, which must still be inside its project. Everything that is read or removed through the handle
    /// is in the opened folder, even if another process replaces the folder (a race). Returns `None` if the folder is
    /// gone or is not readable.
    ///
    /// # Errors
    /// Returns the errors of [`hold_folder`].
    pub(crate) fn hold(&self) -> Result<Option<Dir>> {
        let unreadable = [ErrorKind::NotFound, ErrorKind::PermissionDenied];
        match self.dir.read_dir() {
            Err(error) if unreadable.contains(&error.kind()) => Ok(None),
            _ => hold_folder(&self.dir, self.project.as_deref()).map(Some),
        }
    }
}

/// Returns the existing folders, without duplicates: first the projects' folders, then the user's folders, those of
/// `[targets]`, and `more`.
///
/// `projects`: the roots of the projects. A project's folder that resolves to a path outside the project is skipped.
pub(crate) fn agent_folders(
    toolkit: &Toolkit,
    projects: &[PathBuf],
    more: Vec<PathBuf>,
) -> Vec<AgentFolder> {
    let (context, clients): (&Context, _) = (&toolkit.context, Clients::shared());
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut add = |dir: PathBuf, project: Option<&Path>| {
        let real = canonical(&dir);
        let is_its_own = project.is_none_or(|root| real.starts_with(canonical(root)));
        if dir.is_dir() && is_its_own && seen.insert(real) {
            let project = project.map(Path::to_path_buf);
            found.push(AgentFolder { dir, project });
        }
    };
    for root in projects {
        for dir in clients.project_folders() {
            add(root.join(dir), Some(root));
        }
    }
    for dir in clients.user_folders() {
        add(expand(dir, &context.home, &context.cwd), None);
    }
    for dir in toolkit.config.targets.values().cloned().chain(more) {
        let project = projects.iter().find(|root| dir.starts_with(root));
        add(dir, project.map(PathBuf::as_path));
    }
    found
}
