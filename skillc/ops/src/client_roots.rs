//! In which folders a client looks for skills from here.
//!
//! Project folders are looked for from the working directory up to the top of its repository; where there is none, in the
//! working directory alone.
//!
//! Names and runs without a name look in the folders of all clients: see [`skill_folders`].
//!
//! Source: RULINGS R1, R12.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::clients::{Client, Clients, SameName, expand};

/// What a directory has that is the top of a repository or a project.
const TOPS: [&str; 3] = [".git", ".jj", ".skillc"];

/// How many folders below a directory of skills are looked at where that is not known of a client.
pub(crate) const USUAL_DEPTH: usize = 1;

/// A folder that a client takes skills from, there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientRoot {
    /// Absolute.
    pub(crate) dir: PathBuf,
    /// Whether it is the user's, for every project.
    pub(crate) is_user: bool,
}

/// Returns the folders of a client in the order in which it prefers them: those of the project, the nearest first, then the
/// user's, unless these go before.
pub(crate) fn roots_of(client: &Client, context: &Context) -> Vec<ClientRoot> {
    let project = levels(context).into_iter().flat_map(|level| {
        let dirs = client.dirs.project.iter();
        dirs.map(move |dir| ClientRoot {
            dir: expand(dir, &context.home, level),
            is_user: false,
        })
    });
    let user = client.dirs.user.iter().map(|dir| ClientRoot {
        dir: expand(dir, &context.home, &context.cwd),
        is_user: true,
    });
    if client.same_name == Some(SameName::UserFirst) {
        return user.chain(project).collect();
    }
    project.chain(user).collect()
}

/// A folder that one or more clients take skills from, there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillFolder {
    /// Absolute.
    pub(crate) dir: PathBuf,
    /// Whether it is the user's, for every project.
    pub(crate) is_user: bool,
    /// How many levels below it the client that looks deepest reads.
    pub(crate) levels: usize,
}

/// Returns the skill folders of every known client, each once: those of the project, the nearest directory first, then the
/// user's. Within a directory they are in the order of the table of clients.
///
/// A folder that is both, as in the home directory, is the user's.
pub(crate) fn skill_folders(context: &Context) -> Vec<SkillFolder> {
    let clients = || Clients::shared().clients.iter();
    let of_user = |client: &'static Client| {
        let dirs = client.dirs.user.iter();
        dirs.map(move |dir| (expand(dir, &context.home, &context.cwd), client))
    };
    let user: BTreeSet<PathBuf> = clients().flat_map(of_user).map(|(dir, _)| dir).collect();
    let project = levels(context).into_iter().flat_map(|level| {
        clients().flat_map(move |client| {
            let dirs = client.dirs.project.iter();
            dirs.map(move |dir| (level.join(dir), client))
        })
    });
    let mut folders: Vec<SkillFolder> = Vec::new();
    let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (dir, client) in project
        .filter(|(dir, _)| !user.contains(dir))
        .chain(clients().flat_map(of_user))
    {
        let levels = client.max_depth.unwrap_or(USUAL_DEPTH);
        let at = *places.entry(dir.clone()).or_insert_with(|| {
            let is_user = user.contains(&dir);
            folders.push(SkillFolder {
                dir,
                is_user,
                levels,
            });
            folders.len() - 1
        });
        folders[at].levels = folders[at].levels.max(levels);
    }
    folders
}

/// Returns the directories that may have folders of the project, the nearest first.
pub(crate) fn levels(context: &Context) -> Vec<&Path> {
    let is_top = |dir: &Path| TOPS.iter().any(|top| dir.join(top).exists());
    let mut levels: Vec<&Path> = context.cwd.ancestors().collect();
    let top = levels.iter().position(|dir| is_top(dir)).unwrap_or(0);
    levels.truncate(top + 1);
    levels
}
