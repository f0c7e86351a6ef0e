//! In which folders a client looks for skills from here.
//!
//! Project folders are looked for from the working directory up to the top of its repository; where there is none, in the
//! working directory alone.
//!
//! Source: RULINGS R1, R12.

use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::clients::{Client, SameName, expand};

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

/// Returns the directories that may have folders of the project, the nearest first.
pub(crate) fn levels(context: &Context) -> Vec<&Path> {
    let is_top = |dir: &Path| TOPS.iter().any(|top| dir.join(top).exists());
    let mut levels: Vec<&Path> = context.cwd.ancestors().collect();
    let top = levels.iter().position(|dir| is_top(dir)).unwrap_or(0);
    levels.truncate(top + 1);
    levels
}
