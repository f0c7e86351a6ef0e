//! Where an agent client keeps its MCP server configuration, and the format of its entries.
//!
//! This module contains only data from `clients.toml` and never accesses the disk. Paths may contain `~` and
//! `$VARIABLE`; the caller supplies their values.
//!
//! Design: R12.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::clients::{Origin, expand};

/// The placeholder for the program in an entry.
const COMMAND: &str = "$command";

/// The placeholder for the list of the program's arguments in an entry.
const ARGS: &str = "$args";

/// The placeholder for a single list of the program and its arguments in an entry.
const COMMAND_AND_ARGS: &str = "$command+args";

/// A client's MCP configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpConfig {
    /// The source of the values.
    pub origin: Origin,
    /// The format of the file.
    pub format: McpFormat,
    /// The keys that lead to the servers, outermost first; the value of the last key contains an entry for each server.
    pub key: Vec<String>,
    /// The fields of an entry, in the order in which they are written.
    pub entry: Vec<(String, EntryValue)>,
    /// Additional fields at the top of a new file.
    #[serde(default)]
    pub preamble: Vec<(String, EntryValue)>,
    /// Candidates for the user's file. The first candidate that contains no variable, or whose variable is set, is
    /// used.
    #[serde(default)]
    user: Vec<String>,
    /// `user` on macOS, if different.
    #[serde(default)]
    macos: Vec<String>,
    /// `user` on Windows, if different.
    #[serde(default)]
    windows: Vec<String>,
    /// The project's file, relative to the project's root.
    pub project: Option<String>,
    /// An alternative file name in the same directory.
    pub also_named: Option<String>,
    /// Additional notes for the client's user.
    pub note: Option<String>,
    /// Additional notes on the user's file.
    pub user_note: Option<String>,
    /// Additional notes on a project's file.
    pub project_note: Option<String>,
}

/// Why a client has no MCP server configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoMcp {
    /// The source of the reason.
    pub origin: Origin,
    /// The reason, as a sentence about the client.
    pub reason: String,
}

/// The format of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum McpFormat {
    /// JSON; comments and trailing commas are kept where the client allows them.
    Json,
    /// JSON5.
    Json5,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// A value in an entry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum EntryValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A string.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
}

/// The part of the command line that a placeholder in an entry represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The program.
    Command,
    /// The list of the program's arguments.
    Args,
    /// The program and its arguments in one list.
    CommandAndArgs,
}

/// Operating systems with different configuration paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux and other Unix-like systems.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Os {
    /// All operating systems.
    pub const ALL: [Self; 3] = [Self::Linux, Self::MacOs, Self::Windows];

    /// Returns the operating system that this program was compiled for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

impl McpConfig {
    /// Returns the candidates for the user's file as written in the table. The first one that applies is used. The list
    /// is empty if the client has no such file.
    pub fn user_places(&self, os: Os) -> &[String] {
        match os {
            Os::MacOs if !self.macos.is_empty() => &self.macos,
            Os::Windows if !self.windows.is_empty() => &self.windows,
            _ => &self.user,
        }
    }

    /// Returns the absolute path of the user's file; `None` if the client has no such file.
    ///
    /// `variable`: returns the value of an environment variable, if set.
    pub fn user_file<'a>(
        &self,
        os: Os,
        home: &Path,
        cwd: &Path,
        variable: impl Fn(&str) -> Option<&'a str>,
    ) -> Option<PathBuf> {
        let path = |place: &String| match place.strip_prefix('$') {
            None => Some(expand(place, home, cwd)),
            Some(rest) => {
                let (name, below) = rest.split_once('/').unwrap_or((rest, ""));
                let dir = expand(variable(name)?, home, cwd);
                let parts = below.split('/').filter(|part| !part.is_empty());
                Some(parts.fold(dir, |dir, part| dir.join(part)))
            }
        };
        self.user_places(os).iter().find_map(path)
    }
}

impl EntryValue {
    /// Returns the role of a value that is a placeholder; `None` for any other value.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Text(text) if text == COMMAND => Some(Role::Command),
            Self::Text(text) if text == ARGS => Some(Role::Args),
            Self::Text(text) if text == COMMAND_AND_ARGS => Some(Role::CommandAndArgs),
            _ => None,
        }
    }

    /// Substitutes a program and its arguments for a placeholder.
    #[must_use]
    pub fn filled(&self, command: &str, args: &[&str]) -> Self {
        let list = |words: &[&str]| Self::List(words.iter().copied().map(str::to_owned).collect());
        match self.role() {
            Some(Role::Command) => Self::Text(command.to_owned()),
            Some(Role::Args) => list(args),
            Some(Role::CommandAndArgs) => list(&[&[command], args].concat()),
            None => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::clients::Clients;

    fn all() -> Vec<(String, McpConfig)> {
        let clients = Clients::builtin().clients.into_iter();
        clients
            .filter_map(|client| Some((client.id, client.mcp?)))
            .collect()
    }

    #[test]
    fn every_client_has_an_mcp_configuration_or_a_reason_with_an_origin() {
        for client in &Clients::builtin().clients {
            let origin = match (&client.mcp, &client.no_mcp) {
                (Some(mcp), None) => &mcp.origin,
                (None, Some(none)) => {
                    assert!(none.reason.ends_with('.'), "{}", client.id);
                    &none.origin
                }
                _ => panic!("{} has both or neither", client.id),
            };
            assert!(
                origin.source.len() > 10 && origin.date.len() > 3,
                "{}",
                client.id
            );
        }
    }

    #[test]
    fn every_entry_names_the_program_and_its_arguments_once() {
        for (id, mcp) in all() {
            let roles: Vec<Role> = mcp.entry.iter().filter_map(|(_, v)| v.role()).collect();
            let expected = [vec![Role::Command, Role::Args], vec![Role::CommandAndArgs]];
            assert!(expected.contains(&roles), "{id}: {roles:?}");
            let keys: BTreeSet<&String> = mcp.entry.iter().map(|(key, _)| key).collect();
            assert_eq!(keys.len(), mcp.entry.len(), "{id}");
            assert!(!mcp.key.is_empty(), "{id}");
            let unknown = |value: &EntryValue| {
                matches!(value, EntryValue::Text(t) if t.starts_with('$')) && value.role().is_none()
            };
            assert!(!mcp.entry.iter().any(|(_, v)| unknown(v)), "{id}");
        }
    }

    #[test]
    fn paths_are_in_the_home_or_a_variable_and_the_last_is_unconditional() {
        for (id, mcp) in all() {
            for os in Os::ALL {
                let places = mcp.user_places(os);
                let is_known = |place: &String| place.starts_with("~/") || place.starts_with('$');
                assert!(places.iter().all(is_known), "{id}: {places:?}");
                let last = places.last();
                assert!(
                    last.is_none_or(|place| place.starts_with("~/")),
                    "{id}: {places:?}"
                );
            }
            let project = mcp.project.iter();
            let is_inside =
                |place: &String| !place.starts_with(['/', '~', '$']) && !place.contains("..");
            assert!(project.clone().all(is_inside), "{id}");
            assert!(!mcp.user.is_empty() || mcp.project.is_some(), "{id}");
        }
    }

    #[test]
    fn the_first_path_whose_variable_is_set_is_used() {
        let (_, codex) = all()
            .into_iter()
            .find(|(id, _)| id == "codex")
            .expect("exists");
        let (home, cwd) = (Path::new("/h"), Path::new("/c"));
        let file = |value: Option<&'static str>| {
            let variable = |name: &str| value.filter(|_| name == "CODEX_HOME");
            codex
                .user_file(Os::Linux, home, cwd, variable)
                .expect("a file")
        };
        assert_eq!(file(None), Path::new("/h/.codex/config.toml"));
        assert_eq!(file(Some("/x")), Path::new("/x/config.toml"));
        assert_eq!(file(Some("~/y")), Path::new("/h/y/config.toml"));
        assert_eq!(file(Some("z")), Path::new("/c/z/config.toml"));
    }

    #[test]
    fn a_variable_may_be_the_whole_path() {
        let (_, openclaw) = all()
            .into_iter()
            .find(|(id, _)| id == "openclaw")
            .expect("exists");
        let variable = |name: &str| (name == "OPENCLAW_CONFIG_PATH").then_some("/etc/claw.json");
        let file = openclaw.user_file(Os::Linux, Path::new("/h"), Path::new("/c"), variable);
        assert_eq!(file.as_deref(), Some(Path::new("/etc/claw.json")));
    }

    #[test]
    fn each_operating_system_has_its_own_path() {
        let (_, vscode) = all()
            .into_iter()
            .find(|(id, _)| id == "vscode")
            .expect("exists");
        let file = |os| vscode.user_file(os, Path::new("/h"), Path::new("/c"), |_| None);
        let path = |text| Some(PathBuf::from(text));
        assert_eq!(file(Os::Linux), path("/h/.config/Code/User/mcp.json"));
        assert_eq!(
            file(Os::MacOs),
            path("/h/Library/Application Support/Code/User/mcp.json")
        );
        assert_eq!(
            file(Os::Windows),
            path("/h/AppData/Roaming/Code/User/mcp.json")
        );
    }

    #[test]
    fn values_are_filled_with_the_program() {
        let text = |text: &str| EntryValue::Text(text.to_owned());
        let list =
            |words: &[&str]| EntryValue::List(words.iter().map(ToString::to_string).collect());
        let filled = |value: EntryValue| value.filled("p", &["a", "b"]);
        assert_eq!(filled(text(COMMAND)), text("p"));
        assert_eq!(filled(text(ARGS)), list(&["a", "b"]));
        assert_eq!(filled(text(COMMAND_AND_ARGS)), list(&["p", "a", "b"]));
        assert_eq!(filled(text("stdio")), text("stdio"));
        assert_eq!(filled(EntryValue::Bool(true)), EntryValue::Bool(true));
    }
}
