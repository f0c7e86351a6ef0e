//! TOML text whose values keep their positions, and errors that include the position.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use skillc_core::clean::abridge;
use skillc_core::did_you_mean::nearest;
use skillc_core::error::Error;
use skillc_core::toml_cost;

/// A value with its position.
pub(crate) type At<'t> = Spanned<DeValue<'t>>;

/// The path and the text of a file, for errors with positions.
#[derive(Clone, Copy)]
pub(crate) struct TomlText<'t> {
    pub(crate) path: &'t Path,
    pub(crate) text: &'t str,
}

impl<'t> TomlText<'t> {
    /// Parses the file.
    ///
    /// `most`: the maximum memory that the parser may use, in bytes, as estimated by [`toml_cost::cost`].
    ///
    /// # Errors
    /// E100 with the position of the fault, or if the text would take too much memory or time.
    pub(crate) fn parse(self, most: usize) -> Result<DeTable<'t>, Error> {
        if let Some(reason) = toml_cost::refusal(self.text, most) {
            let message = format!("{}: {reason}", self.path.display());
            return Err(Error::invalid_option(message));
        }
        DeTable::parse(self.text)
            .map(Spanned::into_inner)
            .map_err(|error| {
                let at = error.span().unwrap_or_default();
                let reason = error.message().lines().next().unwrap_or_default();
                self.fault(&at, reason, None)
            })
    }

    /// Builds an error with a position, such as `.skilllint.toml:3:1: unknown key 'rulse'`.
    pub(crate) fn fault(
        self,
        at: &Range<usize>,
        what: impl Display,
        hint: Option<String>,
    ) -> Error {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let mut what = what.to_string();
        abridge(&mut what);
        Error::InvalidOption {
            message: format!("{}:{line}:{column}: {what}", self.path.display()),
            hint: hint.map(Into::into),
        }
    }

    pub(crate) fn unknown_key(self, at: &Range<usize>, key: &str, known: &[&str]) -> Error {
        let meant = nearest(key, known).map(|meant| format!("Did you mean '{meant}'? "));
        let hint = format!(
            "{}Known keys: {}",
            meant.unwrap_or_default(),
            known.join(", ")
        );
        self.fault(at, format_args!("unknown key '{key}'"), Some(hint))
    }

    /// Builds the error for a value of the wrong type.
    pub(crate) fn expected(self, value: &At<'_>, of: &str, expected: &str) -> Error {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("\"{text}\""),
            DeValue::Integer(_) | DeValue::Float(_) => {
                self.text.get(value.span()).unwrap_or("a number").to_owned()
            }
            DeValue::Array(_) => "an array".to_owned(),
            other => format!("a {}", other.type_str()),
        };
        let what = format!("'{of}' is {found}; expected {expected}");
        self.fault(&value.span(), what, None)
    }

    /// Returns a list of strings with their positions; a single string is treated as a list of one string.
    ///
    /// # Errors
    /// E100 if the value is anything else.
    pub(crate) fn texts<'v>(
        self,
        of: &str,
        value: &'v At<'_>,
    ) -> Result<Vec<(&'v str, Range<usize>)>, Error> {
        let expected = || self.expected(value, of, "a list of strings");
        let list: Vec<&At<'_>> = match value.get_ref() {
            DeValue::String(_) => vec![value],
            DeValue::Array(list) => list.iter().collect(),
            _ => return Err(expected()),
        };
        let text = |item: &'v At<'_>| {
            let text = item.get_ref().as_str().ok_or_else(expected)?;
            Ok((text, item.span()))
        };
        list.into_iter().map(text).collect()
    }
}
