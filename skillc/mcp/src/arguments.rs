//! The arguments of a call, checked against the tool's schema; what is wrong is said in words that help a model to mend it.
//!
//! Tools have flat schemas, of which this knows all that they say: types, lists, alternatives, names and ranges.
//!
//! Source: RULINGS R7.

use rmcp::model::JsonObject;
use serde_json::Value;
use skillc_core::{Error, near};

/// The longest value that is repeated in a message, in characters.
const MAX_SHOWN: usize = 60;

/// The greatest number up to which all whole numbers are told apart: 2 to the power of 53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Arguments whose values have an error of their own. Source: LEDGER C-CODES.4.
const OWN_ERROR: [&str; 1] = ["group_by"];

/// Checks arguments against a tool's schema.
///
/// Returns them as the operation reads them: without those that are null where absent means the same, as some clients send
/// all they know; and with whole numbers as such, since to JSON 3.0 is one.
///
/// # Errors
/// E100 with the first fault, as `argument: what is wrong`.
pub(crate) fn checked(arguments: JsonObject, schema: &JsonObject) -> Result<JsonObject, Error> {
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
    for (name, value) in arguments {
        let Some(property) = properties.get(&name) else {
            return Err(Error::invalid_option(unknown(&name, properties)));
        };
        if value.is_null() && !required.contains(&name.as_str()) {
            continue;
        }
        let value = fit(&name, value, property).map_err(Error::invalid_option)?;
        fitting.insert(name, value);
    }
    match required.iter().find(|name| !fitting.contains_key(**name)) {
        Some(name) => Err(Error::invalid_option(format!("{name}: is required"))),
        None => Ok(fitting),
    }
}

/// Returns a value as its schema has it; an error says what is wrong. `path`: what it is called in messages.
fn fit(path: &str, value: Value, schema: &Value) -> Result<Value, String> {
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let mut fits = alternatives.iter();
        let fits = fits.find_map(|schema| fit(path, value.clone(), schema).ok());
        return fits.ok_or_else(|| wrong(path, &kinds(alternatives.iter()), &value));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        of => of.as_str().into_iter().collect(),
    };
    let value = match value {
        Value::Number(_) if types.contains(&"integer") => whole(path, &value, schema)?.into(),
        Value::Array(items) if types.contains(&"array") => {
            let items = items.into_iter().enumerate();
            let items =
                items.map(|(at, item)| fit(&format!("{path}.{at}"), item, &schema["items"]));
            items.collect::<Result<_, _>>()?
        }
        other if types.contains(&type_of(&other)) => other,
        other => return Err(wrong(path, &kinds([schema]), &other)),
    };
    match schema["enum"].as_array() {
        Some(names) if !names.contains(&value) && !OWN_ERROR.contains(&path) => {
            let names: Vec<String> = names.iter().map(shown).collect();
            Err(wrong(path, &format!("one of {}", names.join(", ")), &value))
        }
        _ => Ok(value),
    }
}

/// Returns a whole number that is in its range.
fn whole(path: &str, value: &Value, schema: &Value) -> Result<u64, String> {
    let least = schema["minimum"].as_u64().unwrap_or_default();
    let most = schema["maximum"].as_u64().unwrap_or(u64::MAX);
    let number = value.as_f64().unwrap_or_default();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative, and far from the greatest"
    )]
    let exact = (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64);
    let expected = match value.as_u64().or(exact) {
        Some(whole) if (least..=most).contains(&whole) => return Ok(whole),
        _ if number.fract() != 0.0 => "a whole number".to_owned(),
        Some(whole) if whole < least => format!("{least} or more"),
        None if number < 0.0 => format!("{least} or more"),
        _ => format!("{most} or less"),
    };
    Err(wrong(path, &expected, value))
}

fn wrong(path: &str, expected: &str, found: &Value) -> String {
    format!("{path}: expected {expected}, not {}", shown(found))
}

fn unknown(name: &str, properties: &JsonObject) -> String {
    if let Some(meant) = near::nearest(name, properties.keys()) {
        return format!("{name}: unknown argument; did you mean '{meant}'?");
    }
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    format!("{name}: unknown argument; there are {}", known.join(", "))
}

/// Says in words what a value has to be.
fn kinds<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> String {
    let names = schemas.into_iter().map(|schema| {
        let name = match &schema["type"] {
            Value::Array(names) => names.first().and_then(Value::as_str),
            name => name.as_str(),
        };
        match name {
            Some("string") => "a string",
            Some("integer") => "a whole number",
            Some("boolean") => "true or false",
            Some("array") => "a list",
            _ => "something else",
        }
    });
    names.collect::<Vec<_>>().join(" or ")
}

/// Returns the schema's word for the type of a value.
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

/// Returns a value as it was sent, cut if it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
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
        let checked = checked(arguments, &schema);
        checked.map(Value::Object).map_err(|error| error.message())
    }

    #[test]
    fn what_fits_is_read_with_whole_numbers_and_without_nulls() {
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
    fn what_does_not_fit_is_named() {
        for (arguments, what) in [
            (json!({}), "name: is required"),
            (
                json!({"nam": "a"}),
                "nam: unknown argument; did you mean 'name'?",
            ),
            (json!({"name": 5}), "name: expected a string, not 5"),
            (
                json!({"name": "a", "level": 7}),
                "level: expected 6 or less, not 7",
            ),
            (
                json!({"name": "a", "level": 0}),
                "level: expected 1 or more, not 0",
            ),
            (
                json!({"name": "a", "limit": -1}),
                "limit: expected 0 or more, not -1",
            ),
            (
                json!({"name": "a", "limit": 1.5}),
                "limit: expected a whole number, not 1.5",
            ),
            (
                json!({"name": "a", "limit": "3"}),
                "limit: expected a whole number, not \"3\"",
            ),
            (
                json!({"name": "a", "limit": 1e30}),
                "limit: expected 18446744073709551615 or less, not 1e+30",
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
            assert!(error.contains(what), "{error} has no {what}");
        }
    }
}
