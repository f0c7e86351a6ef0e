//! Adds and removes an entry in a client's file, in any supported file type.
//!
//! Edits insert or cut bytes; no other byte changes. The result is parsed again before it is used.

use skillc_core::mcp_config::{EntryValue, McpConfig, McpFormat};

use crate::mcp_install::entry::{SERVER, Seen, SeenEntry};
use crate::mcp_install::{json_text, toml_text};

/// The result, or an error message that follows the name of the file: `is not valid JSON: …`.
pub(crate) type Edited<T> = Result<T, String>;

/// The byte order mark that some editors write.
const BOM: char = '\u{feff}';

/// Finds the entry.
///
/// # Errors
/// If the text cannot be parsed, or a parent of the entry has the wrong type.
pub(crate) fn find(config: &McpConfig, text: &str) -> Edited<Option<SeenEntry>> {
    let (_, text) = without_bom(text);
    match config.format {
        McpFormat::Toml => toml_text::find(config, text),
        McpFormat::Json | McpFormat::Json5 => json_text::find(config, text),
        McpFormat::Yaml => Err(by_hand()),
    }
}

/// Adds the entry, or replaces the existing entry.
///
/// # Errors
/// The same as for [`find`].
pub(crate) fn set(
    config: &McpConfig,
    text: &str,
    entry: &[(String, EntryValue)],
) -> Edited<String> {
    let (bom, body) = without_bom(text);
    let edited = match config.format {
        McpFormat::Toml => toml_text::set(config, body, entry)?,
        McpFormat::Json | McpFormat::Json5 => json_text::set(config, body, entry)?,
        McpFormat::Yaml => return Err(by_hand()),
    };
    let seen: SeenEntry = entry
        .iter()
        .map(|(key, value)| (key.clone(), seen(value)))
        .collect();
    checked(config, bom.to_owned() + edited.as_str(), Some(&seen))
}

/// Removes the entry.
///
/// # Errors
/// The same as for [`find`].
pub(crate) fn remove(config: &McpConfig, text: &str) -> Edited<String> {
    let (bom, body) = without_bom(text);
    let edited = match config.format {
        McpFormat::Toml => toml_text::remove(config, body)?,
        McpFormat::Json | McpFormat::Json5 => json_text::remove(config, body)?,
        McpFormat::Yaml => return Err(by_hand()),
    };
    checked(config, bom.to_owned() + edited.as_str(), None)
}

fn without_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) {
        BOM.len_utf8()
    } else {
        0
    })
}

/// Checks that the result has the expected entry, or no entry if `expected` is `None`.
fn checked(config: &McpConfig, text: String, expected: Option<&SeenEntry>) -> Edited<String> {
    match find(config, &text) {
        Ok(found) if found.as_ref() == expected => Ok(text),
        _ => Err(format!(
            "has an entry '{SERVER}' in a form that skc cannot edit"
        )),
    }
}

fn by_hand() -> String {
    "is YAML, which skc does not edit".to_owned()
}

fn seen(value: &EntryValue) -> Seen {
    match value {
        EntryValue::Bool(value) => Seen::Bool(*value),
        EntryValue::Number(_) => Seen::Other,
        EntryValue::Text(text) => Seen::Text(text.clone()),
        EntryValue::List(list) => Seen::List(list.clone()),
    }
}

/// Removes non-overlapping byte ranges from a string.
pub(crate) fn cut(text: &str, mut ranges: Vec<(usize, usize)>) -> String {
    ranges.sort_unstable();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in ranges {
        kept += &text[at..start];
        at = end;
    }
    kept + &text[at..]
}

/// Returns the line ending that the text of a file uses.
pub(crate) fn line_end(text: &str) -> &'static str {
    let first = text.find('\n');
    let is_crlf = first.is_some_and(|at| text[..at].ends_with('\r'));
    if is_crlf { "\r\n" } else { "\n" }
}
