//! Resolves a `--target` of `skc build` to folders in the home directory and in a project.
//!
//! A target keeps the folder that the specification assigns to it. If the target's client does not read that folder, a
//! folder that the client reads is added, so that the client always finds the deployed build.

use std::collections::BTreeMap;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use super::{Client, Clients, Target, expand};
use crate::context::Context;
use crate::error::{Error, Result};

/// An agent directory that a build deploys to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDir {
    /// The name that the user gave.
    pub target: String,
    /// The absolute path of the skills directory.
    pub dir: PathBuf,
}

impl Clients {
    /// Returns the agent directories of a `--target` value. The list is never empty.
    ///
    /// `extra`: the `[targets]` of the configuration, which take precedence over the built-in names; their values are
    /// absolute paths. `project`: the root of the project in which built-in names are resolved; `None` for the user's
    /// home directory. A value that begins with `~` or `.`, or contains a separator, is the path of a directory.
    ///
    /// # Errors
    /// E100 if the value is neither a name nor a path.
    pub fn agent_dirs(
        &self,
        context: &Context,
        extra: &BTreeMap<String, PathBuf>,
        target: &str,
        project: Option<&Path>,
    ) -> Result<Vec<AgentDir>> {
        let dirs = if let Some(dir) = extra.get(target) {
            vec![dir.clone()]
        } else if let Some(folders) = self.target_folders(target, project.is_some()) {
            let base = project.unwrap_or(&context.cwd);
            let expanded = folders.iter().map(|dir| expand(dir, &context.home, base));
            expanded.collect()
        } else if target.starts_with(['~', '.']) || target.contains(['/', MAIN_SEPARATOR]) {
            vec![expand(target, &context.home, &context.cwd)]
        } else {
            return Err(self.unknown_target(extra, target));
        };
        let at = |dir| AgentDir {
            target: target.to_owned(),
            dir,
        };
        Ok(dirs.into_iter().map(at).collect())
    }

    /// Returns the folders of a built-in target as written in the table; `None` if no target or client has that name,
    /// or if the client has no folder in the requested place. `in_project`: whether to return folders of a project
    /// instead of folders in the home directory.
    pub fn target_folders(&self, target: &str, in_project: bool) -> Option<Vec<&str>> {
        let short = self.targets.iter().find(|short| short.name == target);
        let id = short.map_or(target, |short| &short.client);
        let client = self.clients.iter().find(|client| client.id == id)?;
        if in_project {
            return project_folder(client, short).map(|dir| vec![dir]);
        }
        let read = client.dirs.user.first().map(String::as_str);
        let Some(short) = short else {
            return read.map(|dir| vec![dir]);
        };
        let is_read = client.dirs.user.contains(&short.dir);
        let added = read.filter(|_| !is_read);
        Some(
            [Some(short.dir.as_str()), added]
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    /// Returns every skills folder in the user's home directory that a client reads or a target specifies, as written
    /// in the table.
    pub fn user_folders(&self) -> impl Iterator<Item = &str> {
        let read = self.clients.iter().flat_map(|client| &client.dirs.user);
        let named = self.targets.iter().map(|target| &target.dir);
        read.chain(named).map(String::as_str)
    }

    /// Returns every skills folder that a client reads in a project, relative to the project's root.
    pub fn project_folders(&self) -> impl Iterator<Item = &str> {
        let dirs = self.clients.iter().flat_map(|client| &client.dirs.project);
        dirs.map(String::as_str)
    }

    fn unknown_target(&self, extra: &BTreeMap<String, PathBuf>, target: &str) -> Error {
        let names = self
            .targets
            .iter()
            .map(|t| t.name.as_str())
            .chain(extra.keys().map(String::as_str));
        let known = names.collect::<Vec<_>>().join(", ");
        let hint = format!(
            "Known targets: {known}. To use a directory, include a separator: ./agents/skills"
        );
        Error::InvalidOption {
            message: format!("unknown target '{target}'"),
            hint: Some(hint.into()),
        }
    }
}

/// Returns the skills folder of a client in a project: the same path as in the home directory if the client also reads
/// that path in a project (`.codex/skills` for `codex`), otherwise the first project folder that the client reads.
fn project_folder<'a>(client: &'a Client, short: Option<&Target>) -> Option<&'a str> {
    let home = short.map(|short| &short.dir).or(client.dirs.user.first());
    let same = home.and_then(|dir| dir.strip_prefix("~/"));
    let folders = &client.dirs.project;
    let found = folders.iter().find(|dir| Some(dir.as_str()) == same);
    found.or(folders.first()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every folder of a target is in the table, and the target's client reads at least one of them.
    #[test]
    fn every_target_has_a_folder_that_its_client_reads() {
        let clients = Clients::builtin();
        let short = clients.targets.iter().map(|target| target.name.as_str());
        let ids = clients.clients.iter().map(|client| client.id.as_str());
        for name in short.chain(ids) {
            let client = clients.client(name).expect("a client");
            let is_read = |dirs: &[String], found: Option<Vec<&str>>| match found {
                Some(found) => found.iter().any(|dir| dirs.iter().any(|read| read == dir)),
                None => dirs.is_empty(),
            };
            let (project, user) = (&client.dirs.project, &client.dirs.user);
            assert!(is_read(user, clients.target_folders(name, false)), "{name}");
            assert!(
                is_read(project, clients.target_folders(name, true)),
                "{name}"
            );
        }
    }

    #[test]
    fn targets_have_distinct_folders() {
        let clients = Clients::builtin();
        let user = |name| clients.target_folders(name, false).unwrap_or_default();
        let project = |name| clients.target_folders(name, true).unwrap_or_default();
        assert_eq!(user("copilot"), ["~/.github/skills", "~/.copilot/skills"]);
        let opencode = ["~/.opencode/skills", "~/.config/opencode/skills"];
        assert_eq!(user("opencode"), opencode);
        assert_eq!(user("codex"), ["~/.codex/skills"]);
        assert_eq!(user("copilot-cli"), ["~/.copilot/skills"]);
        for (name, folder) in [
            ("claude", ".claude/skills"),
            ("codex", ".codex/skills"),
            ("copilot", ".github/skills"),
            ("cursor", ".cursor/skills"),
            ("opencode", ".opencode/skills"),
            ("agents", ".agents/skills"),
            ("pi", ".pi/skills"),
            ("openclaw", ".agents/skills"),
        ] {
            assert_eq!(project(name), [folder], "{name}");
        }
        assert_eq!(clients.target_folders("nope", false), None);
        assert_eq!(clients.target_folders("claude-upload", true), None);
    }
}
