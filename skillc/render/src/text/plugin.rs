//! The text output of `skc plugin list` (a table), `check` (errors with excerpts) and `doc` (Markdown).

use std::io;

use skillc_lint::Severity;
use skillc_lint::annotate::{coded, marked};
use skillc_lint::style::Styling;
use skillc_ops::explain::ExplainResponse;
use skillc_ops::plugin::{
    FormatPage, PackName, PluginCheckResponse, PluginDocResponse, PluginListResponse,
};
use skillc_ops::plugins::PluginFault;

use super::explain::since;
use super::wrap::{columns, padded};
use crate::text::explain::takes;
use crate::{Page, Render, clean};

/// The column headings of the list.
const HEADS: [&str; 5] = ["CODE", "NAME", "SEVERITY", "PACK", "FROM"];

impl Render for PluginListResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.rules.is_empty() && self.formats.is_empty() {
            return page.line("No scripts. Create one: skc plugin new rule my-rule");
        }
        let rules = self.rules.iter().map(|rule| {
            let severity = rule.severity.as_str();
            let pack = packed(rule.pack.as_ref());
            [&*rule.code, &*rule.name, severity, &*pack, &*rule.script].map(str::to_owned)
        });
        let formats = self.formats.iter().map(|format| {
            let extensions: Vec<String> = format
                .extensions
                .iter()
                .map(|kind| format!(".{kind}"))
                .collect();
            let pack = packed(format.pack.as_ref());
            let name = extensions.join(" ");
            [&*format.id, &*name, "format", &*pack, &*format.script].map(str::to_owned)
        });
        let rows: Vec<[String; 5]> = rules.chain(formats).collect();
        let width = |column: usize| {
            let widths = rows.iter().map(|row| columns(&row[column]));
            widths.max().unwrap_or_default().max(HEADS[column].len())
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let line = |row: [&str; 5]| -> String {
            let cells = row.iter().zip(widths);
            let cells = cells.map(|(cell, width)| padded(cell, width) + "  ");
            cells.collect::<String>() + row[4]
        };
        page.parts(&[page.strong(line(HEADS))])?;
        rows.iter().try_for_each(|row| {
            let row = row.each_ref().map(String::as_str);
            page.line(line(row))
        })
    }
}

fn packed(pack: Option<&PackName>) -> String {
    pack.map_or_else(
        || "-".to_owned(),
        |pack| format!("{} {}", pack.name, pack.version),
    )
}

impl Render for PluginCheckResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        let ink = Styling::new(page.out_is_styled);
        for fault in &self.faults {
            page.out.write_all(fault_text(fault, ink).as_bytes())?;
        }
        let count = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {one}s"),
        };
        let Self {
            scripts,
            rules,
            formats,
            faults,
        } = self;
        if *scripts == 0 && faults.is_empty() {
            return page.line("No scripts.");
        }
        let errors = match faults.len() {
            0 => "no errors".to_owned(),
            found => count(found, "error"),
        };
        if *scripts == 0 {
            return page.line(format_args!("{errors}; no rules or indexers loaded"));
        }
        page.line(format_args!(
            "{} loaded with {} and {}; {errors}",
            count(*scripts, "script"),
            count(*rules, "rule"),
            count(*formats, "indexer"),
        ))
    }
}

impl Render for PluginDocResponse {
    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.rules.is_empty() && self.formats.is_empty() {
            return page.line("No scripts. Create one: skc plugin new rule my-rule");
        }
        let rules = self.rules.iter().map(rule_page);
        let pages: Vec<String> = rules.chain(self.formats.iter().map(format_page)).collect();
        for line in pages.join("\n").lines() {
            page.line(clean(line))?;
        }
        Ok(())
    }
}

fn rule_page(rule: &ExplainResponse) -> String {
    let how = if rule.default { "enabled" } else { "disabled" };
    let from = rule
        .script
        .as_ref()
        .map(|script| format!(", from `{script}`"));
    let mut text = format!(
        "# {} {}\n\n{}, {how} by default{}{}.\n\n{}",
        rule.code,
        rule.name,
        capital(rule.severity.as_str()),
        since(&rule.since),
        from.unwrap_or_default(),
        deeper(&rule.page)
    );
    if !rule.options.is_empty() {
        text += "\n## Options in configuration\n\n";
        for option in &rule.options {
            let takes = takes(&option.takes, &option.about);
            text += &format!("- `{}` {takes}\n", option.name);
        }
    }
    text
}

fn format_page(format: &FormatPage) -> String {
    let kinds: Vec<String> = format
        .extensions
        .iter()
        .map(|kind| format!("`.{kind}`"))
        .collect();
    format!(
        "# Indexer {}\n\nFiles: {}, from `{}`.\n\n{}",
        format.id,
        kinds.join(", "),
        format.script,
        deeper(&format.page)
    )
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// Demotes a page's top-level headings so that they are below its title.
fn deeper(page: &str) -> String {
    let mut is_code = false;
    let mut text = String::new();
    for line in page.trim().lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if !is_code && line.starts_with("# ") {
            text.push('#');
        }
        text += line;
        text.push('\n');
    }
    text
}

/// Formats a script error: the message, the location, and the faulty line, with a mark below the faulty column.
pub(crate) fn fault_text(fault: &PluginFault, ink: Styling) -> String {
    let mut text = coded(&format!("error: {}", fault.message), Severity::Error, ink);
    text += &format!("  --> {}", clean(&fault.script));
    for number in [fault.line, fault.column].into_iter().flatten() {
        text += &format!(":{number}");
    }
    text.push('\n');
    if let Some(excerpt) = &fault.excerpt {
        text += &marked(excerpt, Severity::Error, ink);
    }
    text.push('\n');
    text
}
