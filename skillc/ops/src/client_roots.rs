//! The folders in which a client looks for skills, as seen from the working directory.
//!
//! Project folders are searched from the working directory up to the top of the repository; outside a repository, up to
//! the outermost skillc project; if there is neither, only in the working directory. A `.skillc` inside a repository
//! does not stop the search: a build or a log can create one in any directory, and stopping there would hide the
//! repository's own folders.
//!
//! Lookups by name search the folders of all clients, and so do commands that are run without a name: see
//! [`skill_folders`].
//!
//! Design: R1, R12.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillc_core::Context;
use skillc_core::clients::{Client, Clients, SameName, expand};
use skillc_core::layout::{
    REPOSITORY_MARKS, is_by_way_of_another, is_home, is_of_another, project_roots,
};

/// The assumed search depth below a skill folder if the client's search depth is unknown.
pub(crate) const USUAL_DEPTH: usize = 1;

/// A folder in which a client looks for skills. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientRoot {
    /// The absolute path.
    pub(crate) dir: PathBuf,
    /// Whether this is one of the user's folders, which all projects share.
    pub(crate) is_user: bool,
}

/// Returns the folders of a client, highest precedence first: by default, the project's folders (nearest first), then
/// the user's folders.
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

/// A folder in which one or more clients look for skills. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillFolder {
    /// The absolute path.
    pub(crate) dir: PathBuf,
    /// Whether this is one of the user's folders, which all projects share.
    pub(crate) is_user: bool,
    /// The maximum depth to which any client searches the folder.
    pub(crate) levels: usize,
}

/// Returns the skill folders of all known clients without duplicates: the project's folders (nearest directory first),
/// then the user's folders; within a directory, in the order of the clients table.
///
/// A folder that is both the project's and the user's, as in the home directory, is treated as the user's.
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
                .filter(move |(dir, _)| !is_by_way_of_another(level, dir, &context.cwd))
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

/// Returns the directories that may contain project folders, nearest first.
///
/// The home directory is included only if it is the working directory, or if the repository's top is at or above the
/// home directory and the working directory is in no project below the home directory. Otherwise, the folders in the
/// home directory are treated only as the user's.
pub(crate) fn levels(context: &Context) -> Vec<&Path> {
    // In a directory that other users can write to, such as `/tmp`, an attacker could plant a marker.
    let is_mark = |mark: &Path| mark.exists() && !is_of_another(mark, &context.cwd);
    let is_top = |dir: &Path| REPOSITORY_MARKS.iter().any(|top| is_mark(&dir.join(top)));
    let mut levels: Vec<&Path> = context.cwd.ancestors().collect();
    let repository = levels.iter().position(|dir| is_top(dir));
    let home = levels.iter().position(|dir| is_home(context, dir));
    let home = home.unwrap_or(levels.len());
    let project = || {
        let roots = project_roots(context);
        let is_root = |dir: &&Path| roots.iter().any(|root| root == *dir);
        levels[..home].iter().rposition(is_root)
    };
    let top = match repository {
        Some(top) if top < home => top,
        Some(top) => project().unwrap_or(top.min(home)),
        None => project().unwrap_or(0),
    };
    levels.truncate(top + 1);
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use skillc_core::testkit::context;

    /// Creates `dirs` and `cwd`, and checks which directories are searched.
    #[track_caller]
    fn check(dirs: &[&str], cwd: &str, expected: &[&str]) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap();
        for dir in dirs.iter().chain([&cwd]) {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let context = context(&root.join(cwd), &root.join("home"));
        let found: Vec<_> = levels(&context)
            .into_iter()
            .map(|dir| dir.strip_prefix(&root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(found, expected, "{dirs:?}");
    }

    #[test]
    fn a_skillc_folder_does_not_hide_the_repository() {
        for inner in [".skillc/logs", ".skillc/runtime", ".skillc/skills"] {
            let inner = format!("repo/pkg/{inner}");
            for top in ["repo/.git", "repo/.jj"] {
                let expected = ["repo/pkg/src", "repo/pkg", "repo"];
                check(&[top, &inner], "repo/pkg/src", &expected);
            }
        }
    }

    #[test]
    fn without_a_repository_the_outermost_project_is_the_top() {
        let outer = &["a/.skillc/skills", "a/b/.skillc/runtime"];
        check(outer, "a/b/c", &["a/b/c", "a/b", "a"]);
        check(&["a/.skillc/logs/x"], "a/b", &["a/b"]);
        check(&[], "a/b", &["a/b"]);
        // A repository inside a project stops the search earlier.
        check(
            &["a/.skillc/skills", "a/b/.git"],
            "a/b/c",
            &["a/b/c", "a/b"],
        );
    }

    #[test]
    fn the_home_directory_is_not_part_of_a_project_below_it() {
        let project = "home/p/.skillc/skills";
        check(&["home/.skillc/skills", project], "home/p", &["home/p"]);
        check(&["home/.git", project], "home/p/x", &["home/p/x", "home/p"]);
        check(&["home/.skillc/skills"], "home/p", &["home/p"]);
        check(&["home/.git"], "home/p", &["home/p", "home"]);
        check(&[".git"], "home/p", &["home/p", "home"]);
        check(&["home/.skillc/skills"], "home", &["home"]);
    }
}
