//! Edits of hand-written JSON, with comments, trailing commas, and any indentation.
//!
//! An entry is added after the last member of its object and the comments that follow it. Removing the entry restores
//! the original bytes, so the preceding comma is removed, too, unless the entry has a trailing comma. An empty object
//! is filled so that its original whitespace can be reconstructed.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use skillc_core::mcp_config::{EntryValue, McpConfig, McpFormat};

use crate::mcp_install::edit::{Edited, cut, line_end};
use crate::mcp_install::entry::{SERVER, Seen, SeenEntry};
use crate::mcp_install::json_write::{Style, Tree, whole};

pub(crate) fn find(config: &McpConfig, text: &str) -> Edited<Option<SeenEntry>> {
    let root = parse(config, text)?;
    let found = match &root {
        None => None,
        Some(root) => entry(&descend(root, &config.key)?)?.map(|prop| seen(&prop.value)),
    };
    Ok(found)
}

pub(crate) fn set(
    config: &McpConfig,
    text: &str,
    entry_values: &[(String, EntryValue)],
) -> Edited<String> {
    let entry_tree = Tree::from_pairs(entry_values);
    let Some(root) = parse(config, text)? else {
        return Ok(new_file(config, text, entry_tree));
    };
    let style = Style::detect(text, &root);
    let place = descend(&root, &config.key)?;
    if let Some(prop) = entry(&place)? {
        let base = line_indent(text, prop.range().start);
        let range = prop.value.range();
        let written = entry_tree.write(&style, base);
        return Ok(format!(
            "{}{written}{}",
            &text[..range.start],
            &text[range.end..]
        ));
    }
    let within = place
        .missing
        .iter()
        .rev()
        .fold((SERVER, entry_tree), |(name, tree), key| {
            (key.as_str(), Tree::Node(vec![(name.to_owned(), tree)]))
        });
    Ok(insert(text, &style, place.object, within))
}

pub(crate) fn remove(config: &McpConfig, text: &str) -> Edited<String> {
    let Some(root) = parse(config, text)? else {
        return Ok(text.to_owned());
    };
    let place = descend(&root, &config.key)?;
    let Some(prop) = entry(&place)? else {
        return Ok(text.to_owned());
    };
    Ok(cut(text, cuts(text, place.object, prop)))
}

/// Parses the text of a file; `None` if it has only comments or whitespace.
fn parse<'a>(config: &McpConfig, text: &'a str) -> Edited<Option<Object<'a>>> {
    let is_json5 = config.format == McpFormat::Json5;
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_loose_object_property_names: is_json5,
        allow_single_quoted_strings: is_json5,
        allow_hexadecimal_numbers: is_json5,
        allow_unary_plus_numbers: is_json5,
        allow_bare_decimal_point_numbers: is_json5,
        allow_non_finite_numbers: is_json5,
        allow_extended_string_escapes: is_json5,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options)
        .map_err(|error| format!("is not valid JSON: {error}"))?;
    match parsed.value {
        None => Ok(None),
        Some(Value::Object(root)) => Ok(Some(root)),
        Some(other) => Err(format!("is {}, not an object", kind(&other))),
    }
}

/// The innermost object that exists along a path of keys, and the keys missing below it.
struct Descent<'a, 'k> {
    object: &'a Object<'a>,
    missing: &'k [String],
}

fn descend<'a, 'k>(root: &'a Object<'a>, keys: &'k [String]) -> Edited<Descent<'a, 'k>> {
    let mut object = root;
    for (at, key) in keys.iter().enumerate() {
        match only(object, key)?.map(|prop| &prop.value) {
            None => {
                return Ok(Descent {
                    object,
                    missing: &keys[at..],
                });
            }
            Some(Value::Object(next)) => object = next,
            Some(other) => {
                return Err(format!(
                    "sets '{}' to {} instead of an object",
                    keys[..=at].join("."),
                    kind(other)
                ));
            }
        }
    }
    Ok(Descent {
        object,
        missing: &[],
    })
}

fn entry<'a>(place: &Descent<'a, '_>) -> Edited<Option<&'a ObjectProp<'a>>> {
    if place.missing.is_empty() {
        only(place.object, SERVER)
    } else {
        Ok(None)
    }
}

/// Finds a key. A duplicate key is refused: clients differ in which occurrence they use.
fn only<'a>(object: &'a Object<'a>, key: &str) -> Edited<Option<&'a ObjectProp<'a>>> {
    let mut found = object
        .properties
        .iter()
        .filter(|prop| prop.name.as_str() == key);
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(format!("has '{key}' twice")),
    }
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

fn seen(value: &Value<'_>) -> SeenEntry {
    let Value::Object(object) = value else {
        return SeenEntry::new();
    };
    let texts = |list: &[Value<'_>]| {
        let text = |value: &Value<'_>| value.as_string_lit().map(|text| text.value.to_string());
        list.iter().map(text).collect::<Option<Vec<String>>>()
    };
    let one = |value: &Value<'_>| match value {
        Value::StringLit(text) => Seen::Text(text.value.to_string()),
        Value::BooleanLit(truth) => Seen::Bool(truth.value),
        Value::Array(list) => texts(&list.elements).map_or(Seen::Other, Seen::List),
        _ => Seen::Other,
    };
    let mut entry = SeenEntry::new();
    for prop in &object.properties {
        let value = entry.entry(prop.name.as_str().to_owned());
        // If a key occurs twice, clients may use either value.
        value
            .and_modify(|value| *value = Seen::Other)
            .or_insert_with(|| one(&prop.value));
    }
    entry
}

/// Adds the entry to text that has only comments or whitespace; the comments stay above it.
fn new_file(config: &McpConfig, text: &str, entry: Tree) -> String {
    let style = Style::new(line_end(text));
    let is_open = !text.is_empty() && !text.ends_with('\n');
    let gap = if is_open { style.line_end } else { "" };
    format!(
        "{text}{gap}{}{}",
        whole(&config.preamble, &config.key, entry).write(&style, ""),
        style.line_end
    )
}

/// Byte offsets of the comma and the comments between two members of an object.
#[derive(Default)]
struct Trivia {
    /// The position of the comma.
    comma: Option<usize>,
    /// The end of the last comment.
    comment_end: Option<usize>,
}

impl Trivia {
    /// Reads whitespace, comments and commas.
    fn new(text: &str, start: usize, end: usize) -> Self {
        let mut found = Self::default();
        let mut at = start;
        while at < end {
            let rest = &text[at..end];
            let comment = if rest.starts_with("//") {
                Some(rest.find(['\n', '\r']).unwrap_or(rest.len()))
            } else if rest.starts_with("/*") {
                Some(rest.find("*/").map_or(rest.len(), |close| close + 2))
            } else {
                None
            };
            if let Some(length) = comment {
                at += length;
                found.comment_end = Some(at);
            } else {
                if rest.starts_with(',') {
                    found.comma = Some(at);
                }
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        found
    }

    /// Returns the end of the comma or of the last comment, whichever is later; `start` if there is neither.
    fn end(&self, start: usize) -> usize {
        let comma = self.comma.map_or(start, |at| at + 1);
        comma.max(self.comment_end.unwrap_or(start))
    }
}

/// Adds a key to an object.
fn insert(text: &str, style: &Style, object: &Object<'_>, member: (&str, Tree)) -> String {
    match object.properties.last() {
        None => fill(text, style, object, member),
        Some(last) => append(text, style, object, (last, member)),
    }
}

/// Adds the first key to an object.
fn fill(text: &str, style: &Style, object: &Object<'_>, (name, tree): (&str, Tree)) -> String {
    let (open, close) = (object.range.start + 1, object.range.end - 1);
    let base = line_indent(text, object.range.start);
    let deep = style.deeper(base);
    let member = |indent: &str| tree.write_member(name, style, indent);
    let (at, added) = match Trivia::new(text, open, close).comment_end {
        Some(at) => (at, gap(text, style, object, &deep) + member(&deep).as_str()),
        None if open < close => {
            let blank = &text[open..close];
            let indent = blank.rsplit_once('\n').map_or(base, |(_, indent)| indent);
            (open, blank.to_owned() + member(indent).as_str())
        }
        None if style.is_one_line => (open, member(base)),
        None => {
            let line = style.line_end;
            (open, format!("{line}{deep}{}{line}{base}", member(&deep)))
        }
    };
    format!("{}{added}{}", &text[..at], &text[at..])
}

/// Adds a key after the last key of an object.
fn append(
    text: &str,
    style: &Style,
    object: &Object<'_>,
    (last, (name, tree)): (&ObjectProp<'_>, (&str, Tree)),
) -> String {
    let end = last.range.end;
    let trivia = Trivia::new(text, end, object.range.end - 1);
    let at = trivia.end(end);
    let base = line_indent(text, object.range.start);
    let indent = own_line_indent(text, last).map_or_else(|| style.deeper(base), str::to_owned);
    let gap = gap(text, style, object, &indent);
    let (comma, own) = if trivia.comma.is_some() {
        ("", ",")
    } else {
        (",", "")
    };
    let member = tree.write_member(name, style, &indent);
    format!(
        "{}{comma}{}{gap}{member}{own}{}",
        &text[..end],
        &text[end..at],
        &text[at..]
    )
}

/// Returns the whitespace to insert before a new member.
fn gap(text: &str, style: &Style, object: &Object<'_>, indent: &str) -> String {
    let is_on_lines = text[object.range.start..object.range.end].contains('\n');
    if is_on_lines || !style.is_one_line && object.properties.is_empty() {
        format!("{}{indent}", style.line_end)
    } else if style.is_spaced {
        " ".to_owned()
    } else {
        String::new()
    }
}

/// Returns the ranges to cut to remove a member from its object.
fn cuts(text: &str, object: &Object<'_>, prop: &ObjectProp<'_>) -> Vec<(usize, usize)> {
    let (open, close) = (object.range.start + 1, object.range.end - 1);
    let at = object
        .properties
        .iter()
        .position(|other| other.range == prop.range);
    let at = at.unwrap_or_default();
    let (start, end) = (prop.range.start, prop.range.end);
    let next = object.properties.get(at + 1).map(|next| next.range.start);
    let after = Trivia::new(text, end, next.unwrap_or(close));
    let own_comma = after.comma.map(|comma| (comma, comma + 1));
    let previous = at.checked_sub(1).map(|at| object.properties[at].range.end);
    let before = Trivia::new(text, previous.unwrap_or(open), start);
    let from = before.end(previous.unwrap_or(open));
    let mut ranges = vec![(from, end)];
    ranges.extend(own_comma);
    match previous {
        Some(_) if next.is_none() && own_comma.is_none() => {
            ranges.extend(before.comma.map(|comma| (comma, comma + 1)));
        }
        None if next.is_none() && from == open && after.comment_end.is_none() => {
            let rest = own_comma.map_or(end, |(_, comma_end)| comma_end);
            let (left, right) = (&text[open..start], &text[rest..close]);
            if left != right && is_laid_out(left, right) {
                ranges = vec![(open, close)];
            }
        }
        _ => {}
    }
    ranges
}

/// Returns whether the whitespace on both sides of a member has the form that we insert into an empty object `{}`: a
/// line break and a deeper indentation before the member, a line break after it.
fn is_laid_out(left: &str, right: &str) -> bool {
    let indent = |blank: &str| {
        let line = blank
            .strip_prefix("\r\n")
            .or_else(|| blank.strip_prefix('\n'))?;
        (!line.contains('\n')).then(|| line.to_owned())
    };
    match (indent(left), indent(right)) {
        (Some(left), Some(right)) => left.len() > right.len() && left.starts_with(&right),
        _ => false,
    }
}

/// Returns the whitespace at the start of the line that contains a byte offset.
pub(crate) fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the indentation of a member, if it starts a line.
pub(crate) fn own_line_indent<'a>(text: &'a str, prop: &ObjectProp<'_>) -> Option<&'a str> {
    let at = prop.range().start;
    let start = text[..at].rfind('\n')? + 1;
    let before = &text[start..at];
    before
        .trim_start_matches([' ', '\t'])
        .is_empty()
        .then_some(before)
}
