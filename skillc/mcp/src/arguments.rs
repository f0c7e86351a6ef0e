//! What is wrong with the arguments of a call, in words that help a model to mend it.
//!
//! Source: RULINGS R7.

use jsonschema::Validator;
use jsonschema::error::{ValidationError, ValidationErrorKind};
use serde_json::{Map, Value};
use skillc_core::{Error, near};

/// The longest value that is repeated in a message, in characters.
const MAX_SHOWN: usize = 60;

/// The greatest number up to which all whole numbers are told apart: 2 to the power of 53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Arguments whose values have an error of their own. Source: LEDGER C-CODES.4.
const OWN_ERROR: [&str; 1] = ["group_by"];

/// Takes out the arguments that are null where absent means the same: some clients send all they know.
pub(crate) fn without_nulls(
    mut arguments: Map<String, Value>,
    schema: &Map<String, Value>,
) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &String| required.is_some_and(|names| names.iter().any(|of| of == name));
    arguments.retain(|name, value| !value.is_null() || is_required(name));
    arguments
}

/// Checks arguments against a tool's schema.
///
/// # Errors
/// E100 with the first fault, as `argument: what is wrong`.
pub(crate) fn check(validator: &Validator, schema: &Value, arguments: &Value) -> Result<(), Error> {
    let fault = validator
        .iter_errors(arguments)
        .find_map(|error| fault(&error, schema));
    let fault = fault.or_else(|| too_large(schema, arguments));
    fault.map_or(Ok(()), |fault| Err(Error::invalid_option(fault)))
}

/// Writes whole numbers as such: to JSON, 3.0 is one.
pub(crate) fn with_whole_numbers(
    mut arguments: Map<String, Value>,
    schema: &Map<String, Value>,
) -> Map<String, Value> {
    for (name, value) in &mut arguments {
        let is_whole = schema["properties"][&*name]["type"] == "integer";
        if let Some(number) = whole(value).filter(|_| is_whole) {
            *value = number.into();
        }
    }
    arguments
}

/// Returns a number without a fraction, up to where such numbers are exact.
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    let is_exact = (0.0..=EXACT).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative, and far from the greatest"
    )]
    value.as_u64().or_else(|| is_exact.then_some(number as u64))
}

/// Says which argument is a whole number that is too large to be one here.
fn too_large(schema: &Value, arguments: &Value) -> Option<String> {
    let mut numbers = arguments.as_object()?.iter();
    let (name, value) = numbers.find(|(name, value)| {
        schema["properties"][name]["type"] == "integer" && whole(value).is_none()
    })?;
    let found = shown(value);
    Some(format!(
        "{name}: expected {} or less, not {found}",
        u64::MAX
    ))
}

fn fault(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    let path = error.instance_path().to_string();
    let path = path.trim_start_matches('/').replace('/', ".");
    let found = shown(error.instance());
    let what = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            return unexpected.first().map(|name| unknown(name, schema));
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            return Some(format!("{name}: is required"));
        }
        ValidationErrorKind::Enum { .. } if OWN_ERROR.contains(&path.as_str()) => return None,
        ValidationErrorKind::Enum { options } => {
            format!("expected one of {}, not {found}", listed(options))
        }
        ValidationErrorKind::Minimum { limit } => {
            format!("expected {limit} or more, not {found}")
        }
        ValidationErrorKind::Maximum { limit } => {
            format!("expected {limit} or less, not {found}")
        }
        ValidationErrorKind::Type { .. } | ValidationErrorKind::AnyOf { .. } => {
            let expected = expected(schema, &path);
            format!("expected {expected}, not {found}")
        }
        _ => error.to_string(),
    };
    let path = if path.is_empty() { "arguments" } else { &path };
    Some(format!("{path}: {what}"))
}

fn unknown(name: &str, schema: &Value) -> String {
    let names = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys);
    let names: Vec<&String> = names.collect();
    if let Some(meant) = near::nearest(name, &names) {
        return format!("{name}: unknown argument; did you mean '{meant}'?");
    }
    let known: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    format!("{name}: unknown argument; there are {}", known.join(", "))
}

/// Says in words what an argument has to be.
fn expected(schema: &Value, path: &str) -> String {
    let mut at = schema;
    for step in path.split('.').filter(|step| !step.is_empty()) {
        at = if step.parse::<usize>().is_ok() {
            &at["items"]
        } else {
            &at["properties"][step]
        };
    }
    let alternatives = at["anyOf"].as_array();
    let names: Vec<&str> = match alternatives {
        Some(several) => several.iter().map(kind).collect(),
        None => vec![kind(at)],
    };
    names.join(" or ")
}

fn kind(schema: &Value) -> &'static str {
    let name = match &schema["type"] {
        Value::Array(names) => names.first().and_then(Value::as_str),
        name => name.as_str(),
    };
    match name {
        Some("string") => "a string",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        _ => "an object",
    }
}

fn listed(options: &Value) -> String {
    let names = options.as_array().into_iter().flatten();
    let names: Vec<String> = names.map(shown).collect();
    names.join(", ")
}

/// Returns a value as it was sent, cut if it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
