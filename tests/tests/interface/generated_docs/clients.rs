//! The MCP clients page, generated from the table of clients.

use std::fmt::Write;

use skillc_core::clients::{Clients, Origin};
use skillc_core::mcp_config::{McpConfig, McpFormat, Os};
use skillc_ops::mcp_install::paste::{common_snippet, snippet};

use super::{cell, header, row};

pub(crate) fn page() -> String {
    let clients = Clients::builtin().clients;
    let mut page = "# MCP clients\n\n".to_owned();
    page += "This page shows how to register `skc mcp` with each agent client. `skc mcp install` adds the entry to \
    the client's file and does not change any other byte: comments, indentation and line endings are preserved. The \
    command keeps a backup of the original next to the file (`.skc-bak`). `skc mcp uninstall` removes the entry \
    again. `--dry-run` shows the change; `skc mcp status` lists all files. In the user's file, the entry runs `skc` \
    by name if it is on the `PATH`, and otherwise by its full path. A project's file is shared, so its entry always \
    runs `skc` by name. `~` is the home directory, or `SKILLC_HOME` if this variable is set.\n\n\
             Clients change. Each section cites its sources, with dates; please report errors as issues.\n\n";
    page += &header(&["Client", "All projects", "One project"]);
    let configured = || {
        clients
            .iter()
            .filter_map(|client| Some((&client.id, client.mcp.as_ref()?)))
    };
    for (id, mcp) in configured() {
        let user = user_file(mcp, Os::Linux);
        let cells = [user.as_deref(), mcp.project.as_deref()].map(code);
        page += &row(&[&format!("[{id}](#{id})"), &cells[0], &cells[1]]);
    }
    for (id, mcp) in configured() {
        section(id, mcp, &mut page);
    }
    page +=
        "\n## Others\n\nMost other clients accept this entry, in a file or a settings field:\n\n";
    write!(
        page,
        "```json\n{}```\n\nThese clients have no file to edit:\n\n",
        common_snippet()
    )
    .expect("writing to a string cannot fail");
    for client in &clients {
        if let Some(none) = &client.no_mcp {
            let seen = seen(&none.origin);
            writeln!(page, "* **{}**: {} {seen}", client.id, cell(&none.reason))
                .expect("writing to a string cannot fail");
        }
    }
    page
}

fn section(id: &str, mcp: &McpConfig, page: &mut String) {
    *page += &format!("\n## {id}\n\n");
    if mcp.format == McpFormat::Yaml {
        *page += "The client's file is YAML, which skc does not edit. By hand:\n\n";
    } else {
        *page += "```sh\n";
        if user_file(mcp, Os::Linux).is_some() {
            *page += &format!("skc mcp install --client {id}\n");
        }
        if mcp.project.is_some() {
            *page += &format!("skc mcp install --client {id} --project\n");
        }
        *page += "```\n\nBy hand:\n\n";
    }
    let language = match mcp.format {
        McpFormat::Json => "json",
        McpFormat::Json5 => "json5",
        McpFormat::Toml => "toml",
        McpFormat::Yaml => "yaml",
    };
    *page += &format!("```{language}\n{}```\n\n", snippet(mcp, "skc"));
    files(mcp, page);
    if let Some(note) = &mcp.note {
        *page += &format!("\n{}\n", cell(note));
    }
    if let Some(note) = &mcp.user_note {
        *page += &format!("\nFor all projects: {}\n", cell(note));
    }
    if let Some(note) = &mcp.project_note {
        *page += &format!("\nIn a project: {}\n", cell(note));
    }
    *page += &format!("\n{}\n", seen(&mcp.origin));
}

/// Formats the source of the facts about a client.
fn seen(origin: &Origin) -> String {
    format!("Seen in: {} (date: {}).", cell(&origin.source), origin.date)
}

/// Lists the configuration files by operating system.
fn files(mcp: &McpConfig, page: &mut String) {
    *page += &header(&["For", "File"]);
    let systems = [
        (Os::Linux, "Linux"),
        (Os::MacOs, "macOS"),
        (Os::Windows, "Windows"),
    ];
    let mut shown: Vec<(Vec<&str>, Option<String>)> = Vec::new();
    for (os, name) in systems {
        let file = user_files(mcp, os);
        match shown.iter_mut().find(|(_, other)| *other == file) {
            Some((names, _)) => names.push(name),
            None => shown.push((vec![name], file)),
        }
    }
    let is_one = shown.len() == 1;
    for (names, file) in shown {
        let Some(file) = file else { continue };
        let on = if is_one {
            String::new()
        } else {
            format!(", {}", names.join(" and "))
        };
        *page += &row(&[&format!("all projects{on}"), &file]);
    }
    let other = |path: &str| {
        let other = mcp
            .also_named
            .as_ref()
            .map(|name| format!(", or `{name}` next to it"));
        format!("`{path}`{}", other.unwrap_or_default())
    };
    if let Some(project) = &mcp.project {
        *page += &row(&["one project", &other(project)]);
    }
}

/// Returns the default path of the user's file.
fn user_file(mcp: &McpConfig, os: Os) -> Option<String> {
    mcp.user_places(os).last().cloned()
}

/// Returns the default path of the user's file, and the paths to which environment variables can move the file.
fn user_files(mcp: &McpConfig, os: Os) -> Option<String> {
    let (last, moved) = mcp.user_places(os).split_last()?;
    let other = mcp
        .also_named
        .as_ref()
        .map(|name| format!(", or `{name}` next to it"));
    let moved = moved
        .iter()
        .map(|place| format!("; `{place}` if the variable is set"));
    Some(format!(
        "`{last}`{}{}",
        other.unwrap_or_default(),
        moved.collect::<String>()
    ))
}

fn code(text: Option<&str>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| format!("`{text}`"))
}
