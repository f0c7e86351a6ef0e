//! The text output of `skc sources`: a tree drawn with box characters. Design: C-SOURCES, D-SOURCES-LIMIT.

use std::io;

use skillc_ops::sources::{SourceEntry, SourcesResponse};

use crate::{Page, Render};

impl Render for SourcesResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.line(format_args!("{}/", self.title))?;
        // Work from the bottom up: how a branch is drawn depends on whether another entry of the same level follows
        // below.
        let mut follows: Vec<bool> = Vec::new();
        let mut lines = Vec::with_capacity(self.entries.len());
        for entry in self.entries.iter().rev() {
            lines.push(match entry {
                SourceEntry::Truncated { remaining } => format!("... ({remaining} more)"),
                SourceEntry::File { path } => self.branch(path, &mut follows, ""),
                SourceEntry::Dir { path, files: None } => self.branch(path, &mut follows, "/"),
                SourceEntry::Dir {
                    path,
                    files: Some(count),
                } => self.branch(path, &mut follows, &format!("/ ({count} files)")),
            });
        }
        lines.iter().rev().try_for_each(|line| page.line(line))
    }
}

/// Draws one entry. `follows[n]`: whether another entry of level `n` follows below.
trait Branch {
    fn branch(&self, path: &str, follows: &mut Vec<bool>, suffix: &str) -> String;
}

impl Branch for SourcesResponse {
    fn branch(&self, path: &str, follows: &mut Vec<bool>, suffix: &str) -> String {
        let below = path
            .strip_prefix(self.dir.as_str())
            .unwrap_or(path)
            .trim_start_matches('/');
        let (dirs, name) = below.rsplit_once('/').unwrap_or(("", below));
        let depth = if dirs.is_empty() {
            0
        } else {
            dirs.split('/').count()
        };
        follows.resize(depth + 1, false);
        let trunk: String = follows[..depth]
            .iter()
            .map(|more| if *more { "│   " } else { "    " })
            .collect();
        let branch = if follows[depth] {
            "├── "
        } else {
            "└── "
        };
        follows[depth] = true;
        format!("{trunk}{branch}{name}{suffix}")
    }
}
