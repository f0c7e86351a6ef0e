//! Typed access to the keys and values of a case file, with their positions.

use serde_json::Value as Json;
use skillc_core::RelPath;
use skillc_core::did_you_mean::nearest;
use toml_edit::{Item, Key, TableLike, Value};

/// A fault in the file, with its position.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CaseFault {
    /// Byte offset.
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

pub(super) type Read<T> = Result<T, CaseFault>;

pub(super) fn fault<T>(at: Option<usize>, message: impl Into<String>) -> Read<T> {
    let message = message.into();
    Err(CaseFault { at, message })
}

pub(super) fn start(item: &Item) -> Option<usize> {
    item.span().map(|span| span.start)
}

pub(super) fn path(text: &str, at: Option<usize>) -> Read<RelPath> {
    match RelPath::parse(text) {
        Ok(path) if !path.as_str().is_empty() => Ok(path),
        _ => fault(at, format!("'{text}' is not a path inside a skill")),
    }
}

/// Checks that a table has no unknown keys.
pub(super) fn check_keys(table: &dyn TableLike, known: &[&str]) -> Read<()> {
    let mut keys = table.iter().map(|(key, _)| key);
    let Some(stranger) = keys.find(|key| !known.contains(key)) else {
        return Ok(());
    };
    let meant = nearest(stranger, known).map(|meant| format!("; did you mean '{meant}'?"));
    let others = || format!("; known keys: {}", known.join(", "));
    let at = table.key(stranger).and_then(Key::span);
    fault(
        at.map(|span| span.start),
        format!("unknown key '{stranger}'{}", meant.unwrap_or_else(others)),
    )
}

/// Converts the value of an option; `None` for a type that no option accepts.
pub(super) fn json(value: &Value) -> Option<Json> {
    Some(match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Array(list) => list.iter().map(json).collect::<Option<Vec<_>>>()?.into(),
        _ => return None,
    })
}
