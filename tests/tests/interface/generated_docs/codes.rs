//! The page of errors and warnings, generated from the table of codes.

use std::fmt::Write;

use skillc_core::error::CodeRow;
use skillc_core::{Error, Warning};

use super::{cell, header, row};

pub(crate) fn page() -> String {
    let mut page = "# Errors and warnings\n\n".to_owned();
    page += "A message is one line on standard error that begins with its code: `error[E001]: skill 'x' not found`. The \
             lines below it give details. After any error, the exit status is 1; a warning does not stop the command. \
             Codes are never reused or removed. Words in braces are placeholders. Over MCP, the catalog's tools report \
             [names](../design/catalog.md#catalog-tools) instead of codes: `PERMISSION_DENIED` for E062.\n\n\
             Codes with a `+` are additions to the specification's table.\n";
    section("Errors", Error::ALL, &mut page);
    section("Warnings", Warning::ALL, &mut page);
    page
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
