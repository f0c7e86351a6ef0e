//! The text output of `skc list`: a table. Design: C-LIST.

use std::io;

use anstyle::AnsiColor;
use skillc_ops::list::{ListResponse, ListedSkill, Status};

use super::wrap::{columns, padded};
use crate::{Page, Render};

impl Render for ListResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.skills.is_empty() {
            let hint = if self.total == 0 {
                "No skills. Create one: skc init my-skill"
            } else {
                "No matching skills."
            };
            return page.line(hint);
        }
        let width = self
            .skills
            .iter()
            .map(|skill| columns(&skill.name))
            .max()
            .unwrap_or_default()
            .max(5);
        let has_folders = self
            .skills
            .iter()
            .any(|skill| skill.client_folder.is_some());
        let source = match (page.is_verbose, has_folders) {
            (true, _) => "    SOURCE",
            (false, true) => "     FROM",
            (false, false) => "",
        };
        let header = format!("{:width$}  {:7}  {}{source}", "SKILL", "SCOPE", "STATUS");
        page.parts(&[page.strong(header)])?;
        self.skills
            .iter()
            .try_for_each(|skill| row(skill, width, has_folders, page))
    }
}

fn row(
    skill: &ListedSkill,
    width: usize,
    has_folders: bool,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let (status, color) = match skill.status {
        Status::Normal => ("normal", AnsiColor::Green),
        Status::NotBuilt => ("not-built", AnsiColor::Yellow),
        Status::Obsolete => ("obsolete", AnsiColor::Red),
    };
    let head = format!(
        "{}  {:7}  ",
        padded(&skill.name, width),
        skill.scope.as_str()
    );
    let mut parts = vec![page.plain(head)];
    if page.is_verbose {
        parts.push(page.coloured(color, format_args!("{status:9}")));
        parts.push(page.plain(format_args!(" {}", skill.short_source)));
    } else if has_folders {
        let folder = skill.short_source.rsplit_once('/');
        parts.push(page.coloured(color, format_args!("{status:9}")));
        parts.push(page.plain(format_args!(
            "  {}",
            folder.map_or("", |(folder, _)| folder)
        )));
    } else {
        parts.push(page.coloured(color, status));
    }
    page.parts(&parts)
}
