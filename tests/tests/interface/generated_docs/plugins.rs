//! The pages of search formats and lint rules, from the plug-in registry.

use skillc_core::{PluginRegistry, RuleMeta, Severity};

use super::{cell, header, row};

pub(crate) fn formats(registry: &PluginRegistry) -> String {
    let mut page = "# Search formats\n\n".to_owned();
    page += "Files with these extensions, in any case, are searched; others are listed and opened only. A file that is not of the \
             format its extension promises is searched as plain text, with a warning.\n\n";
    page += &header(&["Format", "Files", "What becomes a section"]);
    for indexer in registry.indexers() {
        let meta = indexer.meta();
        let files: Vec<String> = meta
            .extensions
            .iter()
            .map(|extension| format!("`.{extension}`"))
            .collect();
        page += &row(&[&meta.id, &files.join(", "), &cell(&summary(&meta.doc))]);
    }
    page
}

pub(crate) fn rules(registry: &PluginRegistry) -> String {
    let mut page = "# Lint rules\n\nWhat `skc lint` checks.\n\n".to_owned();
    page += &header(&["Code", "Name", "Severity", "What it reports"]);
    for rule in registry.rules() {
        let meta = rule.meta();
        let code = format!("[{0}](rules/{0}.md)", meta.code);
        page += &row(&[
            &code,
            &meta.name,
            severity(meta),
            &cell(&summary(&meta.doc)),
        ]);
    }
    page
}

pub(crate) fn rule(meta: &RuleMeta) -> String {
    let doc = unindented(&meta.doc);
    format!(
        "# {} {}\n\nSeverity: {}. Since version {}.\n\n{}\n",
        meta.code,
        meta.name,
        severity(meta),
        meta.since,
        doc.trim()
    )
}

fn severity(meta: &RuleMeta) -> &'static str {
    match meta.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Takes away the blank that follows `///`.
fn unindented(doc: &str) -> String {
    doc.lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
        .collect()
}

/// Returns the first paragraph, on one line, without the full stop.
fn summary(doc: &str) -> String {
    let doc = unindented(doc);
    let first: Vec<&str> = doc
        .trim()
        .lines()
        .take_while(|line| !line.is_empty())
        .collect();
    first.join(" ").trim_end_matches('.').to_owned()
}
