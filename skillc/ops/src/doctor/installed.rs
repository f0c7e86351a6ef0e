//! Detects whether a client is installed, by its files.
//!
//! A directory shows that a client is installed if it is named after the client, such as `.claude` or `.config/goose`,
//! or if the client keeps its configuration there. Neither `.agents` nor a directory of another client shows this, even
//! if this client also reads it.

use std::path::{Component, Path, PathBuf};

use skillc_core::Context;
use skillc_core::clients::{Client, expand};
use skillc_core::mcp_config::Os;

use crate::client_roots::levels;

/// Returns the directory or file by which a client is recognized as installed, or as used in this project.
pub(super) fn sign_of(client: &Client, context: &Context) -> Option<PathBuf> {
    let own = |dir: &&String| is_named_after(Path::new(dir.as_str()), client);
    let user = client.dirs.user.iter().filter(own).filter_map(|dir| {
        let skills = expand(dir, &context.home, &context.cwd);
        skills.parent().map(Path::to_path_buf)
    });
    let project = levels(context).into_iter().flat_map(|level| {
        let dirs = client.dirs.project.iter().filter(own);
        dirs.map(move |dir| expand(dir, &context.home, level))
    });
    let mut dirs = user.chain(config_dir(client, context)).chain(project);
    dirs.find(|dir| dir.is_dir())
        .or_else(|| config_file(client, context).filter(|file| file.is_file()))
}

/// Returns the file that lists the user's MCP servers.
fn config_file(client: &Client, context: &Context) -> Option<PathBuf> {
    let variable = |name: &str| context.env(name);
    let config = client.mcp.as_ref()?;
    config.user_file(Os::current(), &context.home, &context.cwd, variable)
}

/// Returns the directory of [`config_file`], unless other programs share it.
fn config_dir(client: &Client, context: &Context) -> Option<PathBuf> {
    let file = config_file(client, context)?;
    let dir = file.parent()?;
    let is_shared = [&context.home, &context.user_home, &context.cwd]
        .into_iter()
        .any(|shared| shared == dir);
    (!is_shared).then(|| dir.to_path_buf())
}

/// Returns whether a component of a path begins with the first word of a client's id: `.claude` for `claude-code`,
/// `.trae-cn` for `trae`.
fn is_named_after(dir: &Path, client: &Client) -> bool {
    let first = |text: &str| text.split('-').next().unwrap_or_default().to_owned();
    let id = first(&client.id);
    dir.components().any(|part| match part {
        Component::Normal(name) => first(name.to_string_lossy().trim_start_matches('.')) == id,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use skillc_core::clients::Clients;

    use super::*;

    /// Returns, for all clients, the directories that are named after the client itself, as `id dir`.
    fn own(dirs: fn(&Client) -> &[String]) -> Vec<String> {
        let all = Clients::shared().clients.iter();
        all.flat_map(|client| {
            let own = dirs(client)
                .iter()
                .filter(|dir| is_named_after(Path::new(dir), client));
            own.map(|dir| format!("{} {dir}", client.id))
        })
        .collect()
    }

    #[test]
    fn only_a_clients_own_directory_proves_installation() {
        assert_eq!(
            own(|client| &client.dirs.user),
            [
                "claude-code ~/.claude/skills",
                "codex ~/.codex/skills",
                "codex /etc/codex/skills",
                "copilot-cli ~/.copilot/skills",
                "cursor ~/.cursor/skills",
                "gemini-cli ~/.gemini/skills",
                "kiro ~/.kiro/skills",
                "opencode ~/.config/opencode/skills",
                "goose ~/.config/goose/skills",
                "openclaw ~/.openclaw/skills",
                "pi ~/.pi/agent/skills",
                "amp ~/.config/amp/skills",
                "windsurf ~/.codeium/windsurf/skills",
                "junie ~/.junie/skills",
                "trae ~/.trae/skills",
            ]
        );
        let project = own(|client| &client.dirs.project);
        assert!(
            project.iter().all(|dir| !dir.contains(".agents")),
            "{project:?}"
        );
        assert!(
            project.contains(&"opencode .opencode/skill".to_owned()),
            "{project:?}"
        );
    }
}
