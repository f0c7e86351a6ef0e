//! The pages of indexers and lint rules, generated from the plug-in registry.

use skillc_lint::{Activation, PluginRegistry, RuleMeta};

use super::{cell, header, row};

/// The rules without an example in the playground, which supports neither builds, nor several skills, nor scripts on
/// disk. `docs/playground/build` generates the examples, and a browser test checks that every linked example exists.
const WITHOUT_EXAMPLE: [&str; 5] = ["CFG201", "SET101", "SET102", "SET103", "SKL001"];

pub(crate) fn formats(registry: &PluginRegistry) -> String {
    let mut page = "# Indexers\n\n".to_owned();
    page += "Files with these extensions, in upper or lower case, are searchable. All other files can be listed and \
        opened, but not searched. A file whose content does not match its extension is indexed as plain text, with a \
        warning.\n\n";
    page += &header(&["Format", "Files", "Sections"]);
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
    let mut page = "# Lint rules\n\nThese are the rules that `skc lint` checks. To measure the *precision* of each \
        rule, we reviewed its findings in more than a hundred public skills by hand: “14 of 14” means that all 14 \
        reviewed findings of the rule were correct and worth fixing. A dash means that the rule had no findings in \
        these skills.\n\n"
        .to_owned();
    page += &header(&["Code", "Name", "Severity", "What it reports", "Precision"]);
    for rule in registry.rules() {
        let meta = rule.meta();
        let code = format!("[{0}](rules/{0}.md)", meta.code);
        let right = registry.measurement(&meta.code).map_or_else(
            || "-".to_owned(),
            |m| format!("{} of {}", m.right, m.judged),
        );
        page += &row(&[
            &code,
            &meta.name,
            &severity(meta),
            &cell(&meta.summary()),
            &right,
        ]);
    }
    page
}

pub(crate) fn rule(meta: &RuleMeta, registry: &PluginRegistry) -> String {
    let measured = registry.measurement(&meta.code).map(|measured| {
        format!(
            " Precision: {}; {} {} in 100+ public skills.",
            measured.in_words(),
            measured.found,
            if measured.found == 1 {
                "finding"
            } else {
                "findings"
            },
        )
    });
    let code = &meta.code;
    let example = if WITHOUT_EXAMPLE.contains(&&**code) {
        String::new()
    } else {
        format!("\n[Try an example in the playground](../../playground/index.html#rule={code})\n")
    };
    format!(
        "# {} {}\n\nSeverity: {}. Since version {}.{}\n\n{}\n{example}",
        meta.code,
        meta.name,
        severity(meta),
        meta.since,
        measured.unwrap_or_default(),
        meta.page().trim()
    )
}

/// Returns the lines of the table of contents, one per rule.
pub(crate) fn contents(registry: &PluginRegistry) -> String {
    let line = |meta: &RuleMeta| {
        let (code, name) = (&meta.code, &meta.name);
        format!("  - [{code} {name}](reference/rules/{code}.md)\n")
    };
    registry.rules().map(|rule| line(rule.meta())).collect()
}

fn severity(meta: &RuleMeta) -> String {
    let off = match meta.activation {
        Activation::Default | Activation::Always => "",
        Activation::OnRequest => ", off unless selected",
    };
    format!("{}{off}", meta.severity.as_str())
}

/// Returns the first paragraph on one line, without the final full stop.
fn summary(doc: &str) -> String {
    let lines = doc.lines().map(str::trim);
    let first: Vec<&str> = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    first.join(" ").trim_end_matches('.').to_owned()
}
