//! The directories that may contain skills ("roots"): those in the directories of a chain, those in the user's home
//! directory, and those that the settings add.
//!
//! This module only computes paths, in the order of rank; the scan finds out which of these directories exist.
//!
//! Design: catalog-roots, CAT-DISC.2, CAT-DISC.4, CAT-DISC.9, CAT-DISC.11, D2, D9, R12.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillc_core::Context;
use skillc_core::clients::{Clients, expand};
use skillc_core::layout::{Store, canonical, is_by_way_of_another};

use crate::chain::Chain;
use crate::settings::{Discovery, SKILLC};

/// The kind of a root that the configuration or a caller adds.
const EXTRA: &str = "extra";

/// The owner of a skill: the project or the user.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The skill belongs to the project.
    Repo,
    /// The skill belongs to the user.
    User,
}

impl Scope {
    /// Returns `repo` or `user`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::User => "user",
        }
    }

    /// Parses a scope from the command line; accepts the aliases `project` and `global`.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "repo" | "project" => Some(Self::Repo),
            "user" | "global" => Some(Self::User),
            _ => None,
        }
    }
}

/// The kind of directory that contains a skill: `skillc`, `agents`, `extra`, or the name of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Origin(&'static str);

impl Origin {
    /// Returns the name of the kind.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A directory that may contain skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The absolute path. The part up to the directory that the root belongs to is canonical.
    pub path: PathBuf,
    /// The scope of the root's skills.
    pub scope: Scope,
    /// The root's kind.
    pub origin: Origin,
    /// The number of directory levels from the directory that the root belongs to down to the working directory; 0 for
    /// the user's roots. For [`named_roots`], the position in the list.
    pub distance: usize,
    /// The rank of the root's kind, starting at 0.
    pub order: usize,
    /// Whether the directory is one of the user's roots. If the home directory is the project, the scope of such a root
    /// is the project.
    pub is_users: bool,
}

/// Returns the roots in the order of rank, without duplicates: the project's roots from the working directory up, then
/// the user's roots, then the extra roots.
pub fn roots(context: &Context, chain: &Chain, discovery: &Discovery) -> Vec<Root> {
    let users = roots_of_user(context, discovery);
    let users_dirs: HashSet<PathBuf> = users.iter().map(|root| root.path.clone()).collect();
    let mut all: Vec<Root> = Vec::new();
    let mut known = HashSet::new();
    let mut add = |root: Root| {
        if known.insert(root.path.clone()) {
            all.push(root);
        }
    };
    for (distance, dir) in chain.dirs.iter().enumerate() {
        for (order, kind) in discovery.project.roots.iter().enumerate() {
            let own = |path: &PathBuf| !is_by_way_of_another(dir, path, &context.cwd);
            for path in in_project(kind, dir).into_iter().filter(own) {
                let is_users = users_dirs.contains(&path);
                add(Root {
                    path,
                    scope: Scope::Repo,
                    origin: Origin(kind),
                    distance,
                    order,
                    is_users,
                });
            }
        }
    }
    users.into_iter().for_each(add);
    all
}

/// Returns the user's roots, then the extra roots, in the order of rank.
fn roots_of_user(context: &Context, discovery: &Discovery) -> Vec<Root> {
    let user = |path, kind, order| Root {
        path,
        scope: Scope::User,
        origin: Origin(kind),
        distance: 0,
        order,
        is_users: true,
    };
    let mut all = Vec::new();
    for (order, kind) in discovery.user.roots.iter().enumerate() {
        let paths = user_roots(context, kind).into_iter();
        all.extend(paths.map(|path| user(path, kind, order)));
    }
    let order = discovery.user.roots.len();
    let extra = discovery.extra_roots.iter();
    all.extend(extra.map(|path| user(canonical(path), EXTRA, order)));
    all
}

/// Returns roots for directories that a caller specifies, without duplicates. Earlier directories rank higher. The
/// scope of every root is the project.
///
/// `dirs`: absolute paths.
pub fn named_roots(dirs: &[PathBuf]) -> Vec<Root> {
    let mut known = HashSet::new();
    let mut paths: Vec<PathBuf> = dirs.iter().map(|dir| canonical(dir)).collect();
    paths.retain(|path| known.insert(path.clone()));
    let roots = paths.into_iter().enumerate();
    let root = |(distance, path)| Root {
        path,
        scope: Scope::Repo,
        origin: Origin(EXTRA),
        distance,
        order: 0,
        is_users: false,
    };
    roots.map(root).collect()
}

/// Returns the directories of one kind in a project directory.
fn in_project(kind: &str, dir: &Path) -> Vec<PathBuf> {
    if kind == SKILLC {
        return vec![Store::project(dir.to_path_buf()).skills()];
    }
    let client = Clients::shared().client(kind);
    let dirs = client.map(|client| client.dirs.project.iter());
    let dirs = dirs.into_iter().flatten();
    dirs.map(|below| dir.join(below)).collect()
}

/// Returns the directories of one kind in the user's home directory. Machine-wide directories are left out, because no
/// scope covers them.
fn user_roots(context: &Context, kind: &str) -> Vec<PathBuf> {
    let home = canonical(&context.home);
    if kind == SKILLC {
        let mut store = Store::global(context);
        store.root = home;
        return vec![store.skills()];
    }
    let client = Clients::shared().client(kind);
    let dirs = client.map(|client| client.dirs.user.iter());
    let dirs = dirs.into_iter().flatten();
    let dirs = dirs.map(|dir| expand(dir, &home, &home));
    dirs.filter(|dir| dir.starts_with(&home)).collect()
}
