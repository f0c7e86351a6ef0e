//! Converts frontmatter to the columns of a row of the skill registry.
//!
//! Four fields have their own columns. Each is read from the top level or, if it is missing there, from `metadata`,
//! where skills that use only standard fields put it. A field of the wrong type excludes the skill from the registry.
//!
//! Design: REG-DB.4, REG-DB.10, REG-LOAD.19, catalog-files, D18.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};
use skillc_core::source::frontmatter::to_json;
use skillc_core::{Field, Fields, Value};

/// The size limit of frontmatter as JSON: YAML aliases can expand a short file enormously.
const MAX_JSON_BYTES: usize = 1 << 20;

/// The columns from a skill's own fields.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Columns {
    pub(super) version: Option<String>,
    pub(super) entrypoint: Option<String>,
    pub(super) capabilities: Vec<String>,
    pub(super) greek_letter: Option<String>,
    /// All fields, in file order.
    pub(super) frontmatter_json: String,
}

impl Columns {
    /// Reads the columns. `text`: the file's content.
    ///
    /// # Errors
    /// The fault of a field, in one line.
    pub(super) fn parse(fields: &Fields, text: &str) -> Result<Self, String> {
        let scalar = |key| FieldValue::read(fields, key).scalar(key);
        Ok(Self {
            version: scalar("version")?,
            entrypoint: scalar("entrypoint")?,
            capabilities: FieldValue::read(fields, "capabilities").capabilities()?,
            greek_letter: scalar("greek_letter")?,
            frontmatter_json: json(fields, text)?,
        })
    }
}

/// The location of a field with its value; a field without a value is treated as absent.
enum FieldValue<'a> {
    Top(&'a Value),
    Metadata(&'a Value),
    Nowhere,
}

impl<'a> FieldValue<'a> {
    fn read(fields: &'a Fields, key: &str) -> Self {
        let is_set = |value: &&Value| **value != Value::Null;
        let top = fields.get(key).map(|field| &field.value);
        if let Some(value) = top.filter(is_set) {
            return Self::Top(value);
        }
        let Some(Value::Map(metadata)) = fields.get("metadata").map(|field| &field.value) else {
            return Self::Nowhere;
        };
        let inner = metadata.iter().find(|field| field.key == key);
        let inner = inner.map(|field| &field.value).filter(is_set);
        inner.map_or(Self::Nowhere, Self::Metadata)
    }

    fn scalar(&self, key: &str) -> Result<Option<String>, String> {
        match self {
            Self::Nowhere => Ok(None),
            Self::Top(Value::Text(text)) | Self::Metadata(Value::Text(text)) => {
                Ok(Some(text.to_string()))
            }
            Self::Top(_) | Self::Metadata(_) => Err(format!("'{key}' is not a string")),
        }
    }

    fn capabilities(&self) -> Result<Vec<String>, String> {
        let one = |value: &Value| match value {
            Value::Text(text) => Ok(text.to_string()),
            _ => Err("'capabilities' is not a list of strings".to_owned()),
        };
        match self {
            Self::Nowhere => Ok(Vec::new()),
            Self::Top(Value::Text(text)) => Ok(vec![text.to_string()]),
            // In `metadata`, the standard allows only strings.
            Self::Metadata(Value::Text(text)) => {
                let words = text.split(|c: char| c == ',' || c.is_whitespace());
                let words = words.filter(|word| !word.is_empty());
                Ok(words.map(str::to_owned).collect())
            }
            Self::Top(Value::List(items)) | Self::Metadata(Value::List(items)) => {
                items.iter().map(|item| one(&item.value)).collect()
            }
            Self::Top(other) | Self::Metadata(other) => one(other).map(|_| Vec::new()),
        }
    }
}

/// Returns all fields as JSON, in file order.
fn json(fields: &Fields, text: &str) -> Result<String, String> {
    let mut left = MAX_JSON_BYTES;
    for field in fields.iter() {
        spend_field(field, &mut left).ok_or("its frontmatter is larger than 1 MiB")?;
    }
    let fields: Vec<&Field> = fields.iter().collect();
    let mut out = String::new();
    // If the typed values cannot be parsed, all values are written as plain text.
    match to_json(text) {
        Some(values) => write_map(&fields, Some(&values), &mut out),
        None => write_map(&fields, None, &mut out),
    }
    Ok(out)
}

/// Deducts the size of a field from `left`; `None` if the field is larger.
fn spend_field(field: &Field, left: &mut usize) -> Option<()> {
    spend(field.key.len() + 4, left)?;
    spend_value(&field.value, left)
}

fn spend_value(value: &Value, left: &mut usize) -> Option<()> {
    match value {
        Value::Null => spend(4, left),
        Value::Text(text) => spend(text.len() + 2, left),
        Value::List(items) => items
            .iter()
            .try_for_each(|item| spend(1, left).and_then(|()| spend_value(&item.value, left))),
        Value::Map(fields) => fields.iter().try_for_each(|field| spend_field(field, left)),
    }
}

fn spend(bytes: usize, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(bytes)?;
    Some(())
}

/// Writes a map in field order. `values`: the same map with typed values, if known.
fn write_map(fields: &[&Field], values: Option<&Map<String, Json>>, out: &mut String) {
    let mut written = BTreeSet::new();
    out.push('{');
    for field in fields {
        let value = values.map(|values| values.get(&field.key));
        // A key that is missing from `values` is spelled differently there.
        if matches!(value, Some(None)) || !written.insert(&*field.key) {
            continue;
        }
        begin_entry(&field.key, out);
        write_value(Some(&field.value), value.flatten(), out);
    }
    for (key, value) in values.into_iter().flatten() {
        if !written.contains(&**key) {
            begin_entry(key, out);
            write_value(None, Some(value), out);
        }
    }
    out.push('}');
}

fn begin_entry(key: &str, out: &mut String) {
    begin_item(out);
    *out += &Json::from(key).to_string();
    out.push(':');
}

fn begin_item(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}

/// Writes the typed value, with its keys in the order of `ordered`.
fn write_value(ordered: Option<&Value>, typed: Option<&Json>, out: &mut String) {
    match (ordered, typed) {
        (Some(Value::Map(fields)), None | Some(Json::Object(_))) => {
            let fields: Vec<&Field> = fields.iter().collect();
            write_map(&fields, typed.and_then(Json::as_object), out);
        }
        (Some(Value::List(items)), None | Some(Json::Array(_))) => {
            let typed = typed.and_then(Json::as_array);
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                begin_item(out);
                write_value(
                    Some(&item.value),
                    typed.and_then(|typed| typed.get(at)),
                    out,
                );
            }
            out.push(']');
        }
        (_, Some(typed)) => *out += &typed.to_string(),
        (Some(Value::Text(text)), None) => *out += &Json::from(&**text).to_string(),
        (Some(Value::Null) | None, None) => *out += "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use skillc_core::Frontmatter;

    fn columns(block: &str) -> Result<Columns, String> {
        let text = format!("---\nname: a\ndescription: d\n{block}\n---\n# Body\n");
        match Frontmatter::split(&text).0 {
            Frontmatter::Valid(fields) => Columns::parse(&fields, &text),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn capabilities(block: &str) -> Vec<String> {
        columns(block).unwrap().capabilities
    }

    #[track_caller]
    fn json_of(block: &str) -> String {
        let json = columns(block).unwrap().frontmatter_json;
        let head = r#"{"name":"a","description":"d""#;
        json.strip_prefix(head).expect("both first").to_owned()
    }

    /// REG-LOAD.19, REG-DB.4.
    #[test]
    fn fields_are_read_from_the_top_level() {
        let found = columns(
            "version: 1.10\nentrypoint: run.sh\ncapabilities: [read, Write, 'a b']\ngreek_letter: ε",
        );
        let found = found.unwrap();
        assert_eq!(found.version.as_deref(), Some("1.10"));
        assert_eq!(found.entrypoint.as_deref(), Some("run.sh"));
        assert_eq!(found.capabilities, ["read", "Write", "a b"]);
        assert_eq!(found.greek_letter.as_deref(), Some("ε"));
    }

    /// REG-LOAD.19, REG-DB.4.
    #[test]
    fn absent_and_empty_fields_are_null() {
        for block in [
            "license: MIT",
            "version:\nentrypoint: ~\ncapabilities: null\ngreek_letter:",
            "metadata: none",
            "metadata:",
        ] {
            let found = columns(block).unwrap();
            let found = Columns {
                frontmatter_json: String::new(),
                ..found
            };
            assert_eq!(found, Columns::default(), "{block}");
        }
    }

    #[test]
    fn metadata_is_the_fallback_for_top_level_fields() {
        let metadata = "metadata:\n  version: '2'\n  entrypoint: m.sh\n  capabilities: read, write\texec\n  greek_letter: beta";
        let found = columns(metadata).unwrap();
        assert_eq!(found.version.as_deref(), Some("2"));
        assert_eq!(found.entrypoint.as_deref(), Some("m.sh"));
        assert_eq!(found.capabilities, ["read", "write", "exec"]);
        assert_eq!(found.greek_letter.as_deref(), Some("beta"));
        let both = columns(&format!("version: 1\ncapabilities: []\n{metadata}")).unwrap();
        assert_eq!(both.version.as_deref(), Some("1"));
        assert_eq!(both.capabilities, [""; 0]);
    }

    #[test]
    fn a_single_capability_is_a_list_of_one() {
        assert_eq!(capabilities("capabilities: read write"), ["read write"]);
        assert_eq!(capabilities("capabilities: 5"), ["5"]);
        assert_eq!(
            capabilities("metadata: {capabilities: [a, 'b c']}"),
            ["a", "b c"]
        );
    }

    #[test]
    fn other_shapes_are_ignored() {
        for (block, message) in [
            ("version: [1]", "'version' is not a string"),
            ("entrypoint: {a: b}", "'entrypoint' is not a string"),
            (
                "metadata: {greek_letter: [a]}",
                "'greek_letter' is not a string",
            ),
            (
                "capabilities: {a: b}",
                "'capabilities' is not a list of strings",
            ),
            (
                "capabilities: [a, [b]]",
                "'capabilities' is not a list of strings",
            ),
            (
                "capabilities: [a, ~]",
                "'capabilities' is not a list of strings",
            ),
        ] {
            assert_eq!(columns(block), Err(message.to_owned()), "{block}");
        }
    }

    /// REG-DB.10.
    #[test]
    fn all_fields_are_written_in_file_order_with_their_types() {
        assert_eq!(
            json_of(
                "zeta: 1\nalpha: [true, {y: 2, x: ~}, 1.5]\nquoted: '1'\nmetadata:\n  b: x\n  a: y"
            ),
            r#","zeta":1,"alpha":[true,{"y":2,"x":null},1.5],"quoted":"1","metadata":{"b":"x","a":"y"}}"#
        );
        assert_eq!(
            json_of("text: \"a \\\"b\\\" \\u0001 é\""),
            r#","text":"a \"b\" \u0001 é"}"#
        );
        assert_eq!(json_of("# only a comment"), "}");
    }

    /// REG-DB.10.
    #[test]
    fn keys_that_are_not_text_are_written() {
        let value: Json =
            serde_json::from_str(&columns("1: x\ntrue: y").unwrap().frontmatter_json).unwrap();
        assert_eq!(value["1"], "x");
        assert_eq!(value["true"], "y");
    }

    #[test]
    fn a_text_aliased_a_thousand_times_is_refused_at_once() {
        let text = "x".repeat(40_000);
        let names = vec!["*t"; 1_000].join(", ");
        let refused = columns(&format!("text: &t {text}\nlist: [{names}]"));
        let message = "its frontmatter is larger than 1 MiB".to_owned();
        assert_eq!(refused, Err(message));
    }
}
