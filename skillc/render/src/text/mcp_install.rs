//! The text output of `skc mcp install`, `uninstall` and `status`.

use std::io;

use anstyle::AnsiColor;
use skillc_core::layout::Scope;
use skillc_ops::mcp_install::status::{ClientStatus, State, StatusResponse};
use skillc_ops::mcp_install::{Change, ClientChange, SetupResponse};

use crate::page::Painted;
use crate::{Page, Render};

impl Render for SetupResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        self.clients
            .iter()
            .try_for_each(|change| client(change, self.dry_run, page))
    }
}

fn client(change: &ClientChange, is_dry: bool, page: &mut Page<'_>) -> io::Result<()> {
    let path = &change.path;
    let done = match (change.change, is_dry) {
        (Change::Added, false) => format!("added skillc to {path}"),
        (Change::Added, true) => format!("would add skillc to {path}"),
        (Change::Replaced, false) => format!("replaced skillc in {path}"),
        (Change::Replaced, true) => format!("would replace skillc in {path}"),
        (Change::Unchanged, _) => format!("skillc is already in {path}"),
        (Change::Removed, false) => format!("removed skillc from {path}"),
        (Change::Removed, true) => format!("would remove skillc from {path}"),
        (Change::Absent, _) => format!("skillc is not in {path}"),
    };
    page.parts(&[
        page.strong(&change.client),
        page.plain(format_args!(": {done}")),
    ])?;
    if let Some(backup) = &change.backup {
        page.line(format_args!("  Backup: {backup}"))?;
    }
    for note in &change.notes {
        page.line(format_args!("  {note}"))?;
    }
    let lines = change.diff.iter().flat_map(|diff| diff.lines());
    lines.into_iter().try_for_each(|line| {
        let line = painted(line, page);
        page.parts(&[line])
    })
}

/// Returns a diff line with its colour.
fn painted(line: &str, page: &Page<'_>) -> Painted {
    match line.chars().next() {
        Some('+') => page.coloured(AnsiColor::Green, line),
        Some('-') => page.coloured(AnsiColor::Red, line),
        Some('@') => page.coloured(AnsiColor::Cyan, line),
        _ => page.plain(line),
    }
}

impl Render for StatusResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.clients.is_empty() {
            return page.line("None of these clients has a configuration file in this scope.");
        }
        let widest = |of: fn(&ClientStatus) -> &str, title: &str| {
            let widths = self.clients.iter().map(|status| of(status).chars().count());
            widths.max().unwrap_or_default().max(title.len())
        };
        let client = widest(|status| &status.client, "CLIENT");
        let state = widest(|status| status.state.as_str(), "STATE");
        let header = format!(
            "{:client$}  {:7}  {:state$}  FILE",
            "CLIENT", "SCOPE", "STATE"
        );
        page.parts(&[page.strong(header)])?;
        for status in &self.clients {
            let scope = status.scope.map_or("-", Scope::as_str);
            let head = format!("{:client$}  {scope:7}  ", status.client);
            let gap = " ".repeat(state - status.state.as_str().len());
            let path = status.path.as_deref().unwrap_or("-");
            let detail = status.detail.as_ref().map(|detail| format!(" ({detail})"));
            page.parts(&[
                page.plain(head),
                coloured(status.state, page),
                page.plain(format_args!("{gap}  {path}")),
                page.faint(detail.unwrap_or_default()),
            ])?;
        }
        Ok(())
    }
}

/// Returns a state with its colour.
fn coloured(state: State, page: &Page<'_>) -> Painted {
    let text = state.as_str();
    match state {
        State::Installed => page.coloured(AnsiColor::Green, text),
        State::Disabled | State::Different => page.coloured(AnsiColor::Yellow, text),
        State::Unreadable => page.coloured(AnsiColor::Red, text),
        State::Absent | State::NoFile | State::ByHand | State::Unsupported => page.faint(text),
    }
}
