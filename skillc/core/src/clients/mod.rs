//! The agent clients, as data: the directories they read skills from, the frontmatter fields they support, and how they
//! react to a skill that has a fault.
//!
//! `clients.toml` in this folder contains all of this data; `targets.rs` uses it to resolve `--target` names.
//!
//! Design: G-INTRO.6, ADR, D-TARGETS, D-AGENT-DIR, R1, R12.

mod behaviour;
mod faults;
mod limits;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::did_you_mean::nearest;
use crate::error::{Error, Result};
use crate::mcp_config::{McpConfig, NoMcp};

pub use behaviour::{Behaviour, Consequence, Fault, Reaction, Until};
pub use faults::{FaultPlace, Faults, joined, shown};
pub use limits::{
    ClientField, DescriptionLimits, FieldKind, Listing, NameLimits, NamePattern, SameName, Unit,
};
pub use targets::AgentDir;

/// The id under which the table lists the skill standard itself.
pub const STANDARD: &str = "spec";

/// The built-in table, parsed once.
static BUILTIN: LazyLock<Clients> = LazyLock::new(Clients::builtin);

/// The table of clients.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clients {
    schema: u32,
    /// Short names for `--target`.
    #[serde(rename = "target")]
    pub targets: Vec<Target>,
    /// The clients.
    #[serde(rename = "client")]
    pub clients: Vec<Client>,
}

/// A short name for an agent directory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The name that the user types.
    pub name: String,
    /// The directory, with `~` for the home directory.
    pub dir: String,
    /// The client's id.
    pub client: String,
}

/// One agent client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// The id: `claude-code`, `codex` …
    pub id: String,
    /// The source of the values.
    pub origin: Origin,
    /// The directories that the client searches.
    pub dirs: Dirs,
    /// Which skill the client uses if several skills have the same name; `None` if not known.
    pub same_name: Option<SameName>,
    /// The frontmatter fields that the client supports.
    #[serde(rename = "fields")]
    pub typed_fields: Vec<ClientField>,
    /// The fields that the client's documentation requires.
    pub required: Vec<String>,
    /// The client's limits on names.
    #[serde(default)]
    pub name: NameLimits,
    /// The client's limits on descriptions.
    #[serde(default)]
    pub description: DescriptionLimits,
    /// The limits on the client's listing of all skills.
    pub listing: Option<Listing>,
    /// The placeholders that the client substitutes in a `SKILL.md`: `$ARGUMENTS`, or `$N` for `$` and any number;
    /// `None` if not known.
    pub placeholders: Option<Vec<String>>,
    /// The files next to `SKILL.md` that the client reads.
    #[serde(default)]
    pub sidecars: Vec<String>,
    /// The words that the client accepts for true and false; empty if not known.
    #[serde(default)]
    pub booleans: Vec<String>,
    /// How many levels below a skills directory the client searches; `None` if not known.
    pub max_depth: Option<usize>,
    /// Fields that the client does not read, each with the client's own equivalent.
    #[serde(default)]
    pub instead: BTreeMap<String, String>,
    /// The client's reactions to faults. A fault that is not listed has no known reaction.
    #[serde(default)]
    pub faults: BTreeMap<Fault, Reaction>,
    /// The location of the client's MCP server configuration.
    pub mcp: Option<McpConfig>,
    /// Why the client has no MCP server configuration.
    pub no_mcp: Option<NoMcp>,
}

/// The source of a client's values.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// A document or a source file.
    pub source: String,
    /// When the source was checked, as precisely as known.
    pub date: String,
}

/// Skill directories in the client's search order.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dirs {
    /// Directories relative to the project's root.
    pub project: Vec<String>,
    /// Directories below the user's home directory.
    pub user: Vec<String>,
}

impl Clients {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: the table is embedded in the program, and a test parses it.
    pub fn builtin() -> Self {
        let clients: Self =
            toml::from_str(include_str!("clients.toml")).expect("a test reads the embedded table");
        debug_assert_eq!(clients.schema, 1, "this reader is for schema 1");
        clients
    }

    /// Returns the built-in table, parsed once and shared.
    pub fn shared() -> &'static Self {
        &BUILTIN
    }

    /// Finds a client by its id, or by the target name of one of its directories.
    ///
    /// # Errors
    /// E100 if no client and no target has this name.
    pub fn client(&self, name: &str) -> Result<&Client> {
        let target = self.targets.iter().find(|target| target.name == name);
        let id = target.map_or(name, |target| &target.client);
        let found = self.clients.iter().find(|client| client.id == id);
        found.ok_or_else(|| {
            let ids = || self.clients.iter().map(|client| client.id.as_str());
            let meant = nearest(name, ids()).map(|id| format!("Did you mean '{id}'? "));
            let known = ids().collect::<Vec<_>>().join(", ");
            let hint = format!("{}Known clients: {known}", meant.unwrap_or_default());
            Error::InvalidOption {
                message: format!("unknown client '{name}'"),
                hint: Some(hint.into()),
            }
        })
    }

    /// Returns the names of the hidden directories in which clients keep skills, below a project or home directory:
    /// `.claude` …
    pub fn folders(&self) -> BTreeSet<&str> {
        let dirs = self.clients.iter().map(|client| &client.dirs);
        let dirs = dirs.flat_map(|dirs| dirs.project.iter().chain(&dirs.user));
        let targets = self.targets.iter().map(|target| &target.dir);
        dirs.chain(targets)
            .filter_map(|dir| dir.trim_start_matches("~/").split('/').next())
            .filter(|name| name.starts_with('.'))
            .collect()
    }

    /// Returns the hidden skill directories of all clients, relative to a project or home directory, without
    /// duplicates: `.claude/skills` …
    pub fn skill_folders(&self) -> Vec<&Path> {
        let dirs = self.clients.iter().map(|client| &client.dirs);
        let dirs = dirs.flat_map(|dirs| dirs.project.iter().chain(&dirs.user));
        let dirs: BTreeSet<&str> = dirs
            .map(|dir| dir.trim_start_matches("~/"))
            .filter(|dir| dir.starts_with('.'))
            .collect();
        dirs.into_iter().map(Path::new).collect()
    }

    /// Returns the frontmatter fields that at least one client supports, excluding keys inside a map.
    pub fn fields(&self) -> BTreeSet<&str> {
        self.clients.iter().flat_map(Client::fields).collect()
    }
}

impl Client {
    /// Returns the frontmatter fields that the client supports, excluding keys inside a map.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let keys = self.typed_fields.iter().map(|field| field.key.as_str());
        keys.filter(|key| !key.contains('.'))
    }

    /// Returns whether the client reads a frontmatter field, or at least a key inside the field.
    pub fn has_field(&self, key: &str) -> bool {
        let of = |field: &ClientField| field.key.split('.').next() == Some(key);
        self.typed_fields.iter().any(of)
    }

    /// Returns whether the client is a program that looks for skills on this machine, unlike the standard and upload
    /// services.
    pub fn is_program(&self) -> bool {
        let Dirs { project, user } = &self.dirs;
        self.id != STANDARD && !(project.is_empty() && user.is_empty())
    }

    /// Returns the source that documents a reaction of the client.
    pub fn origin_of<'a>(&'a self, reaction: &'a Reaction) -> &'a Origin {
        reaction.origin.as_ref().unwrap_or(&self.origin)
    }
}

impl Origin {
    /// Formats the source and the date: `openai/codex#8609, seen 2026-01-02`.
    pub fn seen(&self) -> String {
        format!("{}, seen {}", self.source, self.date)
    }
}

/// Returns the absolute path of a directory that a setting names: `~` is the home directory, and a relative path is
/// resolved against `base`.
pub fn expand(text: &str, home: &Path, base: &Path) -> PathBuf {
    match text.strip_prefix('~') {
        Some("") => home.to_path_buf(),
        Some(rest) if rest.starts_with(['/', MAIN_SEPARATOR]) => home.join(&rest[1..]),
        _ => base.join(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_readable_and_every_target_names_a_client_with_an_origin() {
        let clients = Clients::builtin();
        assert_eq!(clients.schema, 1);
        for target in &clients.targets {
            assert!(
                clients.clients.iter().any(|c| c.id == target.client),
                "{}",
                target.name
            );
        }
        assert!(
            clients
                .clients
                .iter()
                .all(|c| !c.origin.source.is_empty() && !c.origin.date.is_empty())
        );
    }

    #[test]
    fn clients_are_found_by_id_or_alias() {
        let clients = Clients::builtin();
        let id = |name| clients.client(name).map(|client| client.id.clone());
        assert_eq!(id("claude-code").as_deref(), Ok("claude-code"));
        assert_eq!(id("gemini").as_deref(), Ok("gemini-cli"));
        let error = id("cursr").expect_err("no client");
        assert_eq!(
            error.message(),
            "invalid option: 'unknown client \"cursr\"'"
        );
        let details = error.details().unwrap_or_default();
        assert!(
            details.starts_with("Did you mean 'cursor'? Known clients: spec, "),
            "{details}"
        );
    }

    #[test]
    fn the_standard_and_upload_targets_are_not_programs() {
        let clients = Clients::builtin();
        let others = clients.clients.iter().filter(|client| !client.is_program());
        let ids: Vec<&str> = others.map(|client| client.id.as_str()).collect();
        assert_eq!(ids, [STANDARD, "claude-upload"]);
    }

    #[test]
    fn client_folders_have_hidden_names() {
        let clients = Clients::builtin();
        let folders = clients.folders();
        for name in [".agents", ".claude", ".codex", ".github"] {
            assert!(folders.contains(name), "{name}");
        }
        let is_plain = |name: &&str| name.starts_with('.') && !name.contains('/');
        assert!(folders.iter().all(is_plain), "{folders:?}");
    }

    #[test]
    fn every_client_has_a_name_and_a_description() {
        let clients = Clients::builtin();
        for client in &clients.clients {
            assert!(client.has_field("name"), "{}", client.id);
            assert!(client.has_field("description"), "{}", client.id);
        }
        let fields = clients.fields();
        for key in ["argument-hint", "user-invocable", "paths", "slash"] {
            assert!(fields.contains(key), "{key}");
        }
        assert!(!fields.contains("version") && !fields.contains("metadata.arguments"));
    }

    #[test]
    fn a_field_can_be_read_for_a_nested_key() {
        let clients = Clients::builtin();
        let codex = clients.client("codex").expect("a client");
        assert!(codex.has_field("metadata") && !codex.has_field("license"));
        assert!(codex.fields().all(|key| key != "metadata"));
    }

    /// A client that reacts to an exceeded limit must have that limit in the table. A client that drops skills without
    /// a field must list the field as required.
    #[test]
    fn reactions_agree_with_limits_and_required_fields() {
        for client in &Clients::builtin().clients {
            let reacts = |fault| client.faults.get(&fault).and_then(|r| r.consequence(fault));
            for (fault, is_there) in [
                (Fault::NameOver, client.name.max.is_some()),
                (Fault::DescriptionOver, client.description.max.is_some()),
                (Fault::NameReserved, !client.name.reserved.is_empty()),
                (
                    Fault::NameCharacters,
                    client.name.pattern.is_some() || !client.name.forbid.is_empty(),
                ),
            ] {
                let is_known = reacts(fault).is_none() || is_there;
                assert!(is_known, "{} {}", client.id, fault.key());
            }
            for (fault, key) in [
                (Fault::NoName, "name"),
                (Fault::NoDescription, "description"),
            ] {
                let is_dropped = client
                    .faults
                    .get(&fault)
                    .is_some_and(|r| matches!(r.does, Behaviour::Drop | Behaviour::Error));
                let is_asked_for = client.required.iter().any(|required| required == key);
                assert!(!is_dropped || is_asked_for, "{} {key}", client.id);
            }
        }
    }

    #[test]
    fn every_origin_has_a_source_and_a_date() {
        for client in &Clients::builtin().clients {
            for reaction in client.faults.values() {
                let origin = client.origin_of(reaction);
                assert!(!origin.source.is_empty() && !origin.date.is_empty());
            }
        }
    }

    #[test]
    fn an_unknown_word_in_the_table_is_refused() {
        let table = include_str!("clients.toml");
        for (right, wrong) in [
            ("does = \"cut\"", "does = \"shorten\""),
            ("name-over = {", "name-too-long = {"),
            ("required = []", "requires = []"),
            (", confirmed = false }", ", sure = false }"),
        ] {
            assert!(table.contains(right), "{right}");
            let table = table.replacen(right, wrong, 1);
            assert!(toml::from_str::<Clients>(&table).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tilde_is_the_home_directory_and_relative_paths_are_below_the_base() {
        let (home, base) = (Path::new("/h"), Path::new("/b"));
        assert_eq!(expand("~/x", home, base), Path::new("/h/x"));
        assert_eq!(expand("./x", home, base), Path::new("/b/x"));
        assert_eq!(expand("/x", home, base), Path::new("/x"));
        assert_eq!(expand("~user/x", home, base), Path::new("/b/~user/x"));
    }
}
