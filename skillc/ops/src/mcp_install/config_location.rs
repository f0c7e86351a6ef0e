//! The configuration file in which a client's MCP servers are listed.

use std::path::{Path, PathBuf};

use skillc_core::clients::Client;
use skillc_core::layout::{Scope, project_roots};
use skillc_core::mcp_config::{McpConfig, McpFormat, Os};
use skillc_core::{Context, Error, Result};

use crate::mcp_install::edit;
use crate::mcp_install::entry::{SERVER, likely_command};
use crate::mcp_install::file::ClientFile;
use crate::mcp_install::paste::{common_snippet, snippet};

/// A client's configuration file, either the user's or a project's.
pub(crate) struct ConfigLocation<'a> {
    pub client: &'a Client,
    pub config: &'a McpConfig,
    pub scope: Scope,
    pub path: PathBuf,
    /// The root of the project, if the file belongs to a project.
    root: Option<PathBuf>,
}

impl<'a> ConfigLocation<'a> {
    /// Finds the file to edit.
    ///
    /// # Errors
    /// E100 if the client has no such file, or if skc does not edit it; the hint contains the text to paste.
    pub(crate) fn new(context: &Context, client: &'a Client, scope: Scope) -> Result<Self> {
        let config = client.mcp.as_ref().ok_or_else(|| without_mcp(client))?;
        let place = Self::find(context, client, config, scope);
        let place = place.ok_or_else(|| without_file(context, client, config, scope))?;
        if config.format == McpFormat::Yaml {
            return Err(place.by_hand(context));
        }
        Ok(place)
    }

    /// Finds the file, regardless of its type. Returns `None` if the client has no file in this scope.
    pub(crate) fn find(
        context: &Context,
        client: &'a Client,
        config: &'a McpConfig,
        scope: Scope,
    ) -> Option<Self> {
        let (root, path) = match scope {
            Scope::Global => {
                // The XDG specification requires that relative paths in its variables be ignored.
                let is_valid = |name: &str, value: &str| {
                    !name.starts_with("XDG_") || Path::new(value).has_root()
                };
                let variable = |name: &str| context.env(name).filter(|value| is_valid(name, value));
                let path =
                    config.user_file(Os::current(), &context.home, &context.cwd, variable)?;
                (None, path)
            }
            Scope::Project => {
                let root = project_root(context);
                let path = root.join(config.project.as_ref()?);
                (Some(root), path)
            }
        };
        let mut place = Self {
            client,
            config,
            scope,
            path,
            root,
        };
        if let Some(other) = &config.also_named {
            place.choose(other);
        }
        Some(place)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// E999 if it cannot be used.
    pub(crate) fn read(&self) -> Result<ClientFile> {
        self.read_at(&self.path)
    }

    fn read_at(&self, path: &Path) -> Result<ClientFile> {
        match &self.root {
            Some(root) => ClientFile::read_in_project(root, path),
            None => ClientFile::read(path),
        }
    }

    /// If a client's file may have either of two names, chooses the file with the entry, otherwise the existing file.
    fn choose(&mut self, other: &str) {
        let other = self.path.with_file_name(other);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let is_other = match (is_there(&self.path), is_there(&other)) {
            (true, true) => self.has_entry(&other) && !self.has_entry(&self.path),
            (is_first, is_second) => is_second && !is_first,
        };
        if is_other {
            self.path = other;
        }
    }

    fn has_entry(&self, path: &Path) -> bool {
        let text = self.read_at(path).ok().and_then(|file| file.text);
        text.is_some_and(|text| matches!(edit::find(self.config, &text), Ok(Some(_))))
    }

    /// Creates the error for a file that skc does not edit, with the text to paste.
    fn by_hand(&self, context: &Context) -> Error {
        let (id, path) = (&self.client.id, self.path.display());
        let keys = self.config.key.join(".");
        let text = to_paste(context, self.config, self.scope);
        let hint = format!("Add this to '{path}', at '{keys}':\n\n{text}");
        Error::InvalidOption {
            message: format!("the file of client '{id}' is YAML, which skc does not edit"),
            hint: Some(hint.into()),
        }
    }
}

/// Returns the root of the project that contains the working directory. Outside a project, returns the working
/// directory.
fn project_root(context: &Context) -> PathBuf {
    let nearest = project_roots(context).into_iter().next();
    nearest.unwrap_or_else(|| context.cwd.clone())
}

fn without_mcp(client: &Client) -> Error {
    let reason = client
        .no_mcp
        .as_ref()
        .map_or("", |none| none.reason.as_str());
    let text = common_snippet();
    let hint = format!("{reason}\nMost MCP clients accept this for '{SERVER}':\n\n{text}");
    Error::InvalidOption {
        message: format!("client '{}' has no MCP configuration file", client.id),
        hint: Some(hint.into()),
    }
}

fn without_file(context: &Context, client: &Client, config: &McpConfig, scope: Scope) -> Error {
    let (whose, other, way) = match scope {
        Scope::Global => ("the user", Scope::Project, "With --project"),
        Scope::Project => ("a project", Scope::Global, "Without --project"),
    };
    let note = config.note.iter().filter(|_| scope == Scope::Global);
    let mut hint: Vec<String> = note.cloned().collect();
    if let Some(place) = ConfigLocation::find(context, client, config, other) {
        hint.push(format!("{way}, the file is '{}'.", place.path.display()));
    }
    hint.push(format!(
        "Text to paste:\n\n{}",
        to_paste(context, config, scope)
    ));
    Error::InvalidOption {
        message: format!(
            "client '{}' has no MCP configuration file for {whose}",
            client.id
        ),
        hint: Some(hint.join("\n").into()),
    }
}

/// Returns the text to paste.
pub(crate) fn to_paste(context: &Context, config: &McpConfig, scope: Scope) -> String {
    snippet(config, &likely_command(context, scope))
}
