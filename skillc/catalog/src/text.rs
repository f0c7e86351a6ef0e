//! Writes the block that lists the skills for an agent.
//!
//! The block is well-formed XML for any names, descriptions and paths. Invisible characters are escaped.
//!
//! Design: catalog-texts, CAT-INJECT.

use std::borrow::Cow;
use std::fmt::Write;

use skillc_core::clean::clean_for_model;

use crate::catalog::Catalog;
use crate::entry::CatalogEntry;
use crate::invocation::Audience;
use crate::settings::Inject;

/// The beginning of the block, before the list of skills.
const OPENING: &str = "\
<skills_context>
<skills_usage>
  <rule>A skill is a folder of instructions for one kind of task. This list has names and descriptions only.</rule>
  <rule>If the task fits a description, or the user writes $name, call skill_load with that name before you start.</rule>
  <rule>Use skill_search to look for skills not listed here. It searches this machine only.</rule>
  <rule>Resolve relative paths in a skill from its base directory, and read further files only when needed.</rule>
</skills_usage>
";

/// The end of the block, after the last skill.
const CLOSING: &str = "</skills_catalog>\n</skills_context>";

/// A block that lists skills, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillsContext {
    /// The block, without a final line end.
    pub text: String,
    /// The number of skills that are listed.
    pub entries: usize,
    /// The size of the skills' XML elements with their line ends, in bytes.
    pub bytes: usize,
    /// The number of skills that were left out.
    pub left_out: usize,
}

/// Writes the block that an agent receives at the start of a session. Returns `None` if there are no skills, or the
/// block is disabled.
///
/// Design: CAT-INJECT.
pub fn skills_context(catalog: &Catalog) -> Option<SkillsContext> {
    let initial = &catalog.settings.initial;
    if !catalog.settings.enabled || initial.inject == Inject::Off {
        return None;
    }
    let mut visible = catalog.visible(Audience::Model).peekable();
    visible.peek()?;
    let mut listed = String::new();
    let (mut entries, mut left_out) = (0, 0);
    for entry in visible {
        let element = if left_out == 0 && entries < initial.max_entries {
            element(entry)
        } else {
            String::new()
        };
        let fits = listed.len() + element.len() <= initial.max_bytes;
        if element.is_empty() || !fits {
            left_out += 1;
        } else {
            listed += &element;
            entries += 1;
        }
    }
    let truncated = left_out > 0;
    let note = if truncated {
        format!("  <note>{left_out} more skills not listed; use skill_search.</note>\n")
    } else {
        String::new()
    };
    let text = format!(
        "{OPENING}<skills_catalog scope=\"initial\" truncated=\"{truncated}\">\n{listed}{note}{CLOSING}"
    );
    Some(SkillsContext {
        text,
        entries,
        bytes: listed.len(),
        left_out,
    })
}

/// Returns the block if it is part of a server's instructions. Returns `None` if it is only offered as a prompt, or is
/// disabled.
///
/// Design: catalog-texts, D11.
pub fn injected(catalog: &Catalog) -> Option<SkillsContext> {
    let is_injected = catalog.settings.initial.inject == Inject::Instructions;
    is_injected.then(|| skills_context(catalog)).flatten()
}

fn element(entry: &CatalogEntry) -> String {
    let mut element = String::from("  <skill>\n");
    for (tag, text) in [
        ("name", entry.name.as_str()),
        ("description", &entry.description),
        ("path", &entry.path),
        ("scope", entry.scope.as_str()),
    ] {
        let text = escaped(text);
        // Writing to a `String` cannot fail.
        let _ = writeln!(element, "    <{tag}>{}</{tag}>", clean_for_model(&text));
    }
    element += "  </skill>\n";
    element
}

/// Escapes a string for an XML element or attribute. Characters that XML does not allow become U+FFFD.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_special = |c: char| matches!(c, '&' | '<' | '>' | '"') || !is_xml(c);
    if !text.contains(is_special) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if is_xml(c) => out.push(c),
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    out.into()
}

/// Returns whether XML 1.0 allows a character.
const fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}
