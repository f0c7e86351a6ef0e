//! The page of errors and warnings, generated from the table of codes and the catalog's refusals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use skillc_catalog::Refusal;
use skillc_core::error::CodeRow;
use skillc_core::{Error, Warning};

use super::{cell, header, row};

pub(crate) fn page() -> String {
    let mut page = "# Errors and warnings\n\n".to_owned();
    page += "A message is one line on standard error that begins with its code: `error[E001]: skill 'x' not found`. \
             Any lines below it give details. After any error, the exit status is 1; a warning does not stop the \
             command. After Ctrl-C, the exit status is 130. Codes are never reused or removed. Words in braces \
             are placeholders. Over MCP, the catalog's tools report [names](#names-over-mcp) instead of codes.\n\n\
             A `+` marks the codes that skillc adds to the specification's table.\n";
    section("Errors", Error::ALL, &mut page);
    section("Warnings", Warning::ALL, &mut page);
    page += "\n## Names over MCP\n\n\
             The [tools and resources](../design/catalog.md#catalog-tools) of the catalog report errors by these \
             names. Errors whose code is not in this table are reported as `HANDLER_ERROR`. A call that the client \
             cancels ends with `CANCELLED`.\n\n";
    page += &header(&["Name", "Code on the command line"]);
    for (name, codes) in names() {
        let codes: Vec<&str> = codes.into_iter().collect();
        page += &row(&[&format!("`{name}`"), &codes.join(", ")]);
    }
    page
}

/// Returns the name of each of the catalog's refusals, with the codes that the command line reports for it.
fn names() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let text = String::new;
    let refusals = [
        Refusal::Invalid {
            argument: "name",
            message: text(),
        },
        Refusal::SkillsDisabled,
        Refusal::Unknown {
            skill: text(),
            suggestions: Vec::new(),
        },
        Refusal::Ambiguous {
            skill: text(),
            candidates: Vec::new(),
        },
        Refusal::NotInCatalog { path: text() },
        Refusal::Disabled {
            skill: text(),
            file: None,
        },
        Refusal::Denied {
            skill: text(),
            rule: None,
        },
        Refusal::NeedsWord { skill: text() },
        Refusal::Escapes { path: text() },
        Refusal::Gone {
            path: text(),
            reason: None,
        },
        Refusal::Gone {
            path: text(),
            reason: Some(text()),
        },
        Refusal::NoFile { path: text() },
        Refusal::TooLarge {
            path: text(),
            max_bytes: 0,
        },
        Refusal::Unreadable {
            path: text(),
            reason: text(),
        },
    ];
    let mut names = BTreeMap::<_, BTreeSet<_>>::new();
    for refusal in refusals {
        let codes = names.entry(refusal.code()).or_default();
        codes.insert(refusal.error().code());
    }
    names
}

fn section(title: &str, rows: &[CodeRow], page: &mut String) {
    write!(page, "\n## {title}\n\n").expect("writing to a string cannot fail");
    *page += &header(&["Code", "", "Message", "Meaning"]);
    for code in rows {
        let mark = if code.is_amendment() { "+" } else { "" };
        let message = format!("`{}`", code.template.replace('|', "\\|"));
        // Each line of a doc comment begins with a space.
        let doc: Vec<&str> = code.doc.lines().map(str::trim).collect();
        *page += &row(&[code.code, mark, &message, &cell(doc.join(" ").trim())]);
    }
}
