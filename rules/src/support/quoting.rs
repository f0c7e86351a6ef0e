//! Adds quotes to frontmatter strings that are not valid YAML without them.
//!
//! A value is quoted only if its field is always a string and the value is invalid YAML without quotes. There is no fix
//! if the value may be more than plain text: a comment, a list, a map or unbalanced quotes.

use std::collections::BTreeMap;

use skillc_core::{Document, Frontmatter};
use skillc_lint::{Edit, Fix};

use crate::support::fixes::insert;

/// The fields that are quoted. Their values are always strings: sentences or hints for people.
const TEXTS: [&str; 4] = [
    "description",
    "argument-hint",
    "when_to_use",
    "compatibility",
];

/// The maximum size of the frontmatter, in bytes. A larger frontmatter is not fixed. Design: R20.
const MAX_BLOCK_BYTES: usize = 64 << 10;

/// The maximum number of edits in a fix. A fix with more edits is not offered.
const MAX_EDITS: usize = 1_000;

/// Returns a fix that makes the frontmatter valid; `None` if adding quotes is not enough.
pub(crate) fn quoted(main: &Document) -> Option<Fix> {
    let block_end = block_end(main)?;
    let (mut edits, mut keys) = (Vec::new(), Vec::new());
    for Value { key, start, end } in values(main) {
        let value = &main.text[start..end];
        let alone = format!("---\n{key}: {value}\n---\n");
        if matches!(Frontmatter::split(&alone).0, Frontmatter::Valid(_)) {
            continue;
        }
        edits.extend(quotes(main, start, is_text(value).then_some(value)?));
        keys.push(format!("'{key}'"));
    }
    if edits.len() > MAX_EDITS {
        return None;
    }
    let mended = with(&main.text[..block_end], &edits);
    let (read, _) = Frontmatter::split(&mended);
    let is_mended = !edits.is_empty() && matches!(read, Frontmatter::Valid(_));
    is_mended.then(|| Fix::safe(format!("put quotes around {}", keys.join(" and ")), edits))
}

/// The position of a field's value, including continuation lines, as byte offsets in the document.
struct Value {
    key: &'static str,
    start: usize,
    end: usize,
}

/// Returns the start of the line after the frontmatter; `None` if the frontmatter is too large or not closed.
fn block_end(main: &Document) -> Option<usize> {
    let lines = (2..=main.lines.count()).map(|line| main.lines.range(line, line + 1));
    let mut block = lines.take_while(|line| line.start <= MAX_BLOCK_BYTES);
    let end = block.find(|line| main.text[line.clone()].trim_end() == "---")?;
    Some(end.end)
}

/// Returns the values of the string fields in the frontmatter.
fn values(main: &Document) -> Vec<Value> {
    let mut values = Vec::new();
    let mut is_open = false;
    for line in 2..=main.lines.count() {
        let range = main.lines.range(line, line + 1);
        let text = main.text[range.clone()].trim_end_matches(['\n', '\r']);
        if text == "---" {
            break;
        }
        let end = range.start + text.trim_end().len();
        if text.starts_with([' ', '\t']) {
            if let Some(Value { end: last, .. }) = values.last_mut().filter(|_| is_open) {
                *last = end;
            }
            continue;
        }
        let field = TEXTS.iter().find_map(|key| {
            let value = text.strip_prefix(key)?.strip_prefix(':')?;
            let start = value.trim_start_matches(' ');
            let is_value = start.len() < value.len() && !start.is_empty();
            is_value.then(|| (*key, range.start + text.len() - start.len()))
        });
        is_open = field.is_some();
        values.extend(field.map(|(key, start)| Value { key, start, end }));
    }
    values
}

/// Returns whether a value that is not valid YAML is certainly a string.
fn is_text(value: &str) -> bool {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r');
    if value.contains(is_control) || value.contains(" #") {
        return false;
    }
    match value.chars().next() {
        Some('[') => is_row_of_brackets(value),
        Some('*') => value.starts_with("**"),
        Some('`' | '@' | '%') => true,
        Some(first) => {
            !first.is_ascii_punctuation() || matches!(first, '(' | '/' | '.' | '<' | '_')
        }
        None => false,
    }
}

/// Returns whether all square brackets in a value are balanced, as in `[file] [mode]`.
fn is_row_of_brackets(value: &str) -> bool {
    let mut open = 0_usize;
    for sign in value.chars() {
        match sign {
            '[' => open += 1,
            ']' if open == 0 => return false,
            ']' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Returns the insertions that put a value in double quotes.
fn quotes(main: &Document, start: usize, value: &str) -> Vec<Edit> {
    let mut signs: BTreeMap<usize, String> = BTreeMap::from([(start, "\"".to_owned())]);
    for (at, _) in value.match_indices(['"', '\\']) {
        signs.entry(start + at).or_default().push('\\');
    }
    signs.entry(start + value.len()).or_default().push('"');
    signs
        .into_iter()
        .map(|(at, sign)| insert(main, at, sign))
        .collect()
}

/// Returns `text` with insertions applied. `edits`: the insertions, sorted by position.
fn with(text: &str, edits: &[Edit]) -> String {
    let (mut all, mut from) = (String::with_capacity(text.len() + edits.len()), 0);
    for edit in edits {
        all += &text[from..edit.span.start];
        all += &edit.text;
        from = edit.span.start;
    }
    all + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::RelPath;

    fn document(block: &str) -> Document {
        let text = format!("---\n{block}\n---\n");
        Document::parse(RelPath::parse("SKILL.md").unwrap(), text.into_bytes())
    }

    /// Returns the block with quotes added; `None` if there is no fix.
    fn quoted_block(block: &str) -> Option<String> {
        let doc = document(block);
        let text = with(&doc.text, &quoted(&doc)?.edits);
        Some(text["---\n".len()..text.len() - "\n---\n".len()].to_owned())
    }

    #[test]
    fn values_that_yaml_would_misread_are_quoted() {
        for (block, expected) in [
            (
                "description: Use when: now",
                "description: \"Use when: now\"",
            ),
            (
                "description: Say \"a: b\\c\"  ",
                "description: \"Say \\\"a: b\\\\c\\\"\"  ",
            ),
            (
                "description: one\n  two: three\nname: a",
                "description: \"one\n  two: three\"\nname: a",
            ),
            (
                "argument-hint: [file] [mode]",
                "argument-hint: \"[file] [mode]\"",
            ),
            (
                "description: **Bold** text",
                "description: \"**Bold** text\"",
            ),
            (
                "description: a: b\nargument-hint: [x] [y]",
                "description: \"a: b\"\nargument-hint: \"[x] [y]\"",
            ),
        ] {
            assert_eq!(quoted_block(block).as_deref(), Some(expected), "{block}");
        }
    }

    #[test]
    fn values_that_may_not_be_text_are_not_quoted() {
        for block in [
            "description: fine",
            "description: a: b # why",
            "description: [file",
            "description: {a: b: c}",
            "description: \"a\" b: c",
            "description: - a: b: c",
            "description: *x",
            "metadata: a: b",
            "description: a: b\nname: x: y",
            "description: a: \u{7}b",
        ] {
            assert_eq!(quoted_block(block), None, "{block}");
        }
    }
}
