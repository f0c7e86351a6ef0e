//! The text output of the `skc registry` commands: counts, a table, one row with its text, or a path.
//!
//! Design: catalog-commands.

use std::io;

use skillc_ops::registry::get::RegistryGetResponse;
use skillc_ops::registry::list::{RegistryListResponse, RegistryRow};
use skillc_ops::registry::path::RegistryPathResponse;
use skillc_ops::registry::sync::RegistrySyncResponse;

use super::wrap::{columns, cut, padded};
use crate::{Page, Render, clean};

/// The column headings of the list.
const HEADS: [&str; 4] = ["SKILL", "VERSION", "CAPABILITIES", "DESCRIPTION"];

/// The maximum line width without `--verbose`, in columns.
const WIDTH: usize = 120;

/// The maximum width of every column except the last.
const MAX_COLUMN: usize = 40;

impl Render for RegistrySyncResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let files = if self.loaded == 1 { "skill" } else { "skills" };
        let mut line = format!(
            "Loaded {} {files}, skipped {}, pruned {}",
            self.loaded, self.skipped, self.pruned
        );
        if self.shadowed > 0 {
            line += &format!("; {} shadowed by others with the same name", self.shadowed);
        }
        page.line(line)?;
        match &self.db {
            Some(db) => page.line(format_args!("Skill registry: {db}")),
            None => Ok(()),
        }
    }
}

impl Render for RegistryListResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.skills.is_empty() {
            return page.line(if self.is_filtered {
                "No matching skills."
            } else {
                "No skills in the skill registry. Update it: skc registry sync"
            });
        }
        let rows: Vec<[String; 4]> = self.skills.iter().map(cells).collect();
        let width = |column: usize| {
            let widths = rows.iter().map(|row| columns(&row[column]));
            let widest = widths.max().unwrap_or_default().min(MAX_COLUMN);
            widest.max(HEADS[column].len())
        };
        let widths = [width(0), width(1), width(2)];
        let line = |row: [&str; 4]| {
            let cells = row.iter().zip(widths);
            let cells = cells.map(|(cell, width)| padded(&cut(cell, width), width) + "  ");
            cells.collect::<String>() + row[3]
        };
        page.parts(&[page.strong(line(HEADS))])?;
        for row in &rows {
            let line = line(row.each_ref().map(String::as_str));
            if page.is_verbose {
                page.line(line)?;
            } else {
                page.line(cut(&line, WIDTH))?;
            }
        }
        Ok(())
    }
}

fn cells(row: &RegistryRow) -> [String; 4] {
    let or_none = |text: String| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            text
        }
    };
    let version = row.version.clone().unwrap_or_default();
    [
        row.name.clone(),
        or_none(clean(&version).into_owned()),
        or_none(clean(&row.capabilities.join(", ")).into_owned()),
        clean(&row.description).into_owned(),
    ]
}

impl Render for RegistryGetResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let row = &self.row;
        let capabilities = row.capabilities.join(", ");
        let file = self.file.as_ref().unwrap_or(&row.source_path);
        let lines = [
            ("name", Some(&row.name)),
            ("description", Some(&row.description)),
            ("version", row.version.as_ref()),
            ("entrypoint", row.entrypoint.as_ref()),
            ("capabilities", Some(&capabilities)),
            ("greek letter", row.greek_letter.as_ref()),
            ("file", Some(file)),
            ("loaded", Some(&row.loaded_at)),
        ];
        for (name, value) in lines {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let name = page.strong(format_args!("{name:14}"));
                let value = page.plain(value);
                page.parts(&[name, value])?;
            }
        }
        page.line("")?;
        self.body
            .trim_start_matches(['\r', '\n'])
            .lines()
            .try_for_each(|line| page.line(line))
    }
}

impl Render for RegistryPathResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.line(&self.path)
    }
}
