//! Validates the arguments of a call against the tool's schema, with messages that help a model correct the call.
//!
//! Tool schemas are flat, and this module covers every keyword that they use: types, arrays, alternatives, enums,
//! ranges, and non-blank strings.
//!
//! Design: R7, R20, catalog-tools.

use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;
use skillc_core::{Error, did_you_mean};

/// Values are truncated to this many characters in messages.
const MAX_SHOWN: usize = 60;

/// Once there are this many issues, no further arguments are checked.
const MAX_ISSUES: usize = 32;

/// The maximum size of a query to a catalog tool, in bytes: agents pass whole task descriptions. Design: R27.
const MAX_QUERY_BYTES: usize = 64 << 10;

/// 2^53: `f64` represents all integers up to this one exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Arguments whose invalid values have their own error code. Design: C-CODES.4.
const OWN_ERROR: [&str; 1] = ["group_by"];

/// The schema pattern for strings that must not be blank.
pub(crate) const NOT_BLANK: &str = "\\S";

/// One invalid argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Issue {
    /// The path to the value, starting with the argument's name.
    path: Vec<String>,
    /// The kind of issue, for programs.
    code: &'static str,
    /// What is wrong with the argument.
    message: String,
    /// The expected type or value.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// The received type or value.
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<String>,
}

impl Issue {
    /// Creates an issue about an argument.
    pub(crate) fn new(argument: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            path: vec![cut(argument)],
            code,
            message: message.into(),
            expected: None,
            received: None,
        }
    }

    fn wrong(path: &[&str], code: &'static str, expected: &str, found: &Value) -> Self {
        Self {
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            code,
            message: format!("expected {expected}, not {}", shown(found)),
            expected: Some(expected.to_owned()),
            received: Some(shown(found)),
        }
    }

    fn wrong_type(path: &[&str], schemas: &[&Value], found: &Value) -> Self {
        let mut issue = Self::wrong(path, "invalid_type", &kinds(schemas), found);
        let names: Vec<&str> = schemas.iter().filter_map(|schema| kind(schema)).collect();
        issue.expected = Some(names.join(" or "));
        issue.received = Some(type_of(found).to_owned());
        issue
    }
}

impl From<Issue> for Error {
    fn from(issue: Issue) -> Self {
        Self::invalid_option(format!("{}: {}", issue.path.join("."), issue.message))
    }
}

/// Validates arguments against a tool's schema. `max_bytes`: the size limit of each string, if there is one; the
/// argument `query` may be larger.
///
/// Returns the arguments normalized for the operation: optional arguments that are null are dropped, because some
/// clients send every argument they know; numbers such as 3.0 become integers, because JSON does not distinguish 3.0
/// from 3; and old argument names and values, which are still accepted, are replaced with the current ones.
///
/// # Errors
/// The issues that were found, at least one.
pub(crate) fn checked(
    arguments: JsonObject,
    schema: &JsonObject,
    max_bytes: Option<usize>,
) -> Result<JsonObject, Vec<Issue>> {
    let none = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut fitting = JsonObject::new();
    let mut issues = Vec::new();
    for (name, value) in arguments {
        if issues.len() >= MAX_ISSUES {
            break;
        }
        let name = match current(NAMES, &name) {
            Some(known) if !properties.contains_key(&name) => known.to_owned(),
            _ => name,
        };
        let Some(property) = properties.get(&name) else {
            issues.push(unknown(&name, properties));
            continue;
        };
        if value.is_null() && !required.contains(&name.as_str()) {
            continue;
        }
        match fit(&[&name], value, property, max_bytes) {
            Ok(value) => drop(fitting.insert(name, value)),
            Err(issue) => issues.push(issue),
        }
    }
    let has_fault = |name: &str| issues.iter().any(|issue| issue.path[0] == name);
    let missing = required
        .iter()
        .filter(|name| !fitting.contains_key(**name) && !has_fault(name));
    let missing: Vec<Issue> = missing
        .map(|name| Issue::new(name, "required", "is required"))
        .collect();
    issues.extend(missing);
    if issues.is_empty() {
        Ok(fitting)
    } else {
        Err(issues)
    }
}

/// The old argument names that are still accepted, each with the current name.
const NAMES: &[(&str, &str)] = &[("for", "client")];

/// The old scope values that are still accepted, each with the current value.
const WORDS: &[(&str, &str)] = &[("repo", "project"), ("global", "user")];

/// Returns the current name or value that replaces an old one.
fn current(words: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let found = words.iter().find(|(earlier, _)| *earlier == word);
    found.map(|(_, current)| *current)
}

/// Checks a value against its schema and normalizes it. `path`: its location, for messages.
fn fit(
    path: &[&str],
    value: Value,
    schema: &Value,
    max_bytes: Option<usize>,
) -> Result<Value, Issue> {
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let mut fits = alternatives.iter();
        let fits = fits.find_map(|schema| fit(path, value.clone(), schema, max_bytes).ok());
        let schemas: Vec<&Value> = alternatives.iter().collect();
        return fits.ok_or_else(|| Issue::wrong_type(path, &schemas, &value));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        of => of.as_str().into_iter().collect(),
    };
    let value = match value {
        Value::Number(_) if types.contains(&"integer") => whole(path, &value, schema)?.into(),
        Value::Array(items) if types.contains(&"array") => {
            let items = items.into_iter().enumerate();
            let items = items.map(|(at, item)| {
                let at = at.to_string();
                let path = [path, &[&at]].concat();
                fit(&path, item, &schema["items"], max_bytes)
            });
            items.collect::<Result<_, _>>()?
        }
        other if types.contains(&type_of(&other)) => other,
        other => return Err(Issue::wrong_type(path, &[schema], &other)),
    };
    let names = schema["enum"].as_array();
    let value = match value.as_str().and_then(|word| current(WORDS, word)) {
        Some(word) if names.is_some_and(|names| names.contains(&Value::from(word))) => word.into(),
        _ => value,
    };
    match names {
        Some(names) if !names.contains(&value) && !OWN_ERROR.contains(&path[0]) => {
            let names: Vec<String> = names.iter().map(shown).collect();
            let expected = format!("one of {}", names.join(", "));
            Err(Issue::wrong(path, "invalid_value", &expected, &value))
        }
        _ => text(path, value, schema, max_bytes),
    }
}

/// Checks that a string is not too long, and is not blank if the schema forbids blank strings. Accepts values of all
/// other types.
fn text(
    path: &[&str],
    value: Value,
    schema: &Value,
    max_bytes: Option<usize>,
) -> Result<Value, Issue> {
    let Value::String(text) = &value else {
        return Ok(value);
    };
    let is_empty = schema["minLength"] == 1 && text.is_empty();
    let is_blank = schema["pattern"] == NOT_BLANK && text.trim().is_empty();
    if is_empty || is_blank {
        let expected = "a non-blank string";
        return Err(Issue::wrong(path, "too_small", expected, &value));
    }
    let max_bytes = match path {
        ["query"] => max_bytes.map(|max| max.max(MAX_QUERY_BYTES)),
        _ => max_bytes,
    };
    match max_bytes {
        Some(max) if text.len() > max => {
            let expected = format!("at most {max} bytes");
            Err(Issue::wrong(path, "too_big", &expected, &value))
        }
        _ => Ok(value),
    }
}

/// Converts a number to an integer, if it is within the schema's range.
fn whole(path: &[&str], value: &Value, schema: &Value) -> Result<u64, Issue> {
    let least = schema["minimum"].as_u64().unwrap_or_default();
    let most = schema["maximum"].as_u64().unwrap_or(u64::MAX);
    let number = value.as_f64().unwrap_or_default();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a non-negative integer far below the maximum"
    )]
    let exact = (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64);
    let (code, expected) = match value.as_u64().or(exact) {
        Some(whole) if (least..=most).contains(&whole) => return Ok(whole),
        _ if number.fract() != 0.0 => ("invalid_type", "an integer".to_owned()),
        Some(whole) if whole < least => ("too_small", format!("at least {least}")),
        None if number < 0.0 => ("too_small", format!("at least {least}")),
        _ => ("too_big", format!("at most {most}")),
    };
    Err(Issue::wrong(path, code, &expected, value))
}

fn unknown(name: &str, properties: &JsonObject) -> Issue {
    let message = if let Some(meant) = did_you_mean::nearest(name, properties.keys()) {
        format!("unknown argument; did you mean '{meant}'?")
    } else {
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        format!("unknown argument; known arguments: {}", known.join(", "))
    };
    Issue::new(name, "unknown_argument", message)
}

/// Describes the expected types in words.
fn kinds(schemas: &[&Value]) -> String {
    let names = schemas.iter().map(|schema| match kind(schema) {
        Some("string") => "a string",
        Some("integer") => "an integer",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        _ => "something else",
    });
    names.collect::<Vec<_>>().join(" or ")
}

/// Returns the first type that a schema allows, in JSON Schema's terms.
fn kind(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(names) => names.first().and_then(Value::as_str),
        name => name.as_str(),
    }
}

/// Returns a value's type, in JSON Schema's terms.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns a value as JSON, truncated if it is long.
fn shown(value: &Value) -> String {
    match value {
        // Truncate first, to avoid serializing a very long string in full.
        Value::String(text) => cut(&Value::from(cut(text)).to_string()),
        value => cut(&value.to_string()),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(arguments: Value) -> Result<Value, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": ["string", "null"]},
                "level": {"type": "integer", "minimum": 1, "maximum": 6},
                "limit": {"type": "integer", "minimum": 0},
                "force": {"type": "boolean"},
                "scope": {"type": "string", "enum": ["one", "all"]},
                "group_by": {"type": "string", "enum": ["files"]},
                "target": {"type": "array", "items": {"type": "string"}},
                "skill": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            },
            "required": ["name"],
        });
        let (Value::Object(arguments), Value::Object(schema)) = (arguments, schema) else {
            panic!("objects");
        };
        let checked = checked(arguments, &schema, Some(100));
        checked.map(Value::Object).map_err(|mut issues| {
            let error = Error::from(issues.remove(0));
            error.message()
        })
    }

    #[test]
    fn valid_arguments_are_read_with_integers_and_without_nulls() {
        let all = json!({
            "name": null, "level": 6.0, "limit": 0, "force": true, "scope": "all", "group_by": "none of them",
            "target": ["a"], "skill": ["a", "b"],
        });
        let mut wanted = all.clone();
        wanted["level"] = json!(6);
        assert_eq!(check(all), Ok(wanted));
        assert_eq!(
            check(json!({"name": "a", "limit": null})),
            Ok(json!({"name": "a"}))
        );
        assert_eq!(
            check(json!({"name": "a", "limit": u64::MAX})),
            Ok(json!({"name": "a", "limit": u64::MAX}))
        );
    }

    #[test]
    fn earlier_names_are_accepted() {
        let schema = json!({"properties": {
            "client": {"type": "string"},
            "scope": {"type": "string", "enum": ["project", "user", "all"]},
        }});
        let schema = schema.as_object().expect("an object");
        let given = json!({"for": "codex", "scope": "global"});
        let given = given.as_object().expect("an object").clone();
        let read = checked(given, schema, None).expect("accepted");
        assert_eq!(
            Value::from(read),
            json!({"client": "codex", "scope": "user"})
        );
    }

    #[test]
    fn invalid_arguments_are_named() {
        for (arguments, what) in [
            (json!({}), "name: is required"),
            (
                json!({"nam": "a"}),
                "nam: unknown argument; did you mean \"name\"?",
            ),
            (json!({"name": 5}), "name: expected a string, not 5"),
            (
                json!({"name": "a", "level": 7}),
                "level: expected at most 6, not 7",
            ),
            (
                json!({"name": "a", "level": 0}),
                "level: expected at least 1, not 0",
            ),
            (
                json!({"name": "a", "limit": -1}),
                "limit: expected at least 0, not -1",
            ),
            (
                json!({"name": "a", "limit": 1.5}),
                "limit: expected an integer, not 1.5",
            ),
            (
                json!({"name": "a", "limit": "3"}),
                "limit: expected an integer, not \"3\"",
            ),
            (
                json!({"name": "a", "limit": 1e30}),
                "limit: expected at most 18446744073709551615, not 1e+30",
            ),
            (
                json!({"name": "a", "force": "yes"}),
                "force: expected true or false, not \"yes\"",
            ),
            (
                json!({"name": "a", "scope": "al"}),
                "scope: expected one of \"one\", \"all\", not \"al\"",
            ),
            (
                json!({"name": "a", "target": "x"}),
                "target: expected a list, not \"x\"",
            ),
            (
                json!({"name": "a", "target": ["x", 1]}),
                "target.1: expected a string, not 1",
            ),
            (
                json!({"name": "a", "skill": {}}),
                "skill: expected a string or a list, not {}",
            ),
        ] {
            let error = check(arguments).unwrap_err();
            assert!(error.contains(what), "{error} does not mention {what}");
        }
    }
}
