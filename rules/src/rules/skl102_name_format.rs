//! SKL102 name-format.
//!
//! Design: C-REGISTRY.6.

use skillc_core::{Document, Skill};
use skillc_lint::{Findings, Fix, Rule, RuleMeta, declare_rule};

use crate::support::fields::{field, is_in_names, is_name, no_text, text_of};
use crate::support::fixes::set_name;
use crate::support::right_name::{advice, directory, right_name};
use crate::support::text::shown;

declare_rule! {
    /// Reports a name with characters other than `a-z`, `0-9` and inner hyphens.
    ///
    /// ## Why
    /// People type the name, and clients use it for commands and folders. Uppercase letters, spaces, underscores and
    /// non-Latin letters only work in some clients.
    ///
    /// Hyphens are allowed except at the start and end. A number such as `7` is a valid name; a list or a map is not.
    ///
    /// ## Example
    /// ```yaml
    /// name: SQL_Format
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// ```
    ///
    /// ## Fix
    /// If the directory's name is valid, the fix uses it as the name. This is safe: clients that use the directory's
    /// name already show the skill under that name. Otherwise the fix converts the name to lower case with hyphens,
    /// which needs review.
    pub(crate) struct NameFormat {
        code: "SKL102",
        name: "name-format",
        severity: Error,
        since: "0.2.0",
    }
}

impl Rule for NameFormat {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, doc: &Document, skill: &Skill, out: &mut Findings<'_>) {
        if let Some((kind, at)) = no_text(doc, "name") {
            out.at(at, format!("name is {kind}, not a string"));
        }
        let Some((trimmed, at)) = text_of(doc, "name") else {
            return;
        };
        let name = field(doc, "name").and_then(|field| field.value.text());
        let name = name.unwrap_or(trimmed);
        // Skip an empty name, which SKL103 reports.
        if trimmed.is_empty() || is_name(name) {
            return;
        }
        let found = out.at(at, format!("name '{}' {}", shown(name), fault(name)));
        if let Some(advice) = advice(name, skill) {
            found.help(advice);
        }
        if let Some(fix) = fix(doc, name, skill) {
            found.fix(fix);
        }
    }
}

/// Replaces the name with a valid name. This is safe if the new name is the directory's name.
fn fix(doc: &Document, name: &str, skill: &Skill) -> Option<Fix> {
    let right = right_name(name, skill)?;
    let title = format!("write 'name: {right}'");
    let edits = vec![set_name(doc, &right)?];
    Some(if directory(skill) == Some(&right) {
        Fix::safe(title, edits)
    } else {
        Fix::unsafe_(title, edits)
    })
}

fn fault(name: &str) -> String {
    match name.chars().find(|c| !is_in_names(*c)) {
        Some(wrong) => {
            let wrong = match wrong {
                '\n' | '\r' => "a line break".to_owned(),
                '!'..='~' => format!("'{wrong}'"),
                c if c.is_alphanumeric() => format!("'{c}' (U+{:04X})", u32::from(c)),
                ' ' => "a space".to_owned(),
                c => format!("the character U+{:04X}", u32::from(c)),
            };
            format!("contains {wrong}; only a-z, 0-9 and '-' are allowed")
        }
        None if name.starts_with('-') => "starts with a hyphen".to_owned(),
        None => "ends with a hyphen".to_owned(),
    }
}
