//! The input of rules besides the skill: the preset, the targeted clients, and the options of each rule.
//!
//! Design: R1, R3.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use skillc_core::clients::Client;

use crate::rule::preset::Preset;

/// The maximum number of strings in an option: each call of a script receives all of them.
pub(crate) const MAX_TEXTS: usize = 2_000;

/// The maximum total size of the strings in an option, in bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 64 << 10;

/// The settings of a run.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The selected preset.
    pub preset: Preset,
    /// The clients that the skills target; empty if none was specified.
    pub clients: Vec<Client>,
    /// The options that are set, by rule code. Many runs share the values.
    pub options: BTreeMap<String, BTreeMap<String, Arc<Value>>>,
    /// The errors of scripts that could not be loaded, one line each.
    pub faults: Vec<String>,
}

/// An option that a rule accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOption {
    /// The option's key, such as `mentions`.
    pub name: Cow<'static, str>,
    /// The type of the option's value.
    pub kind: OptionKind,
    /// What the option does, and its default: one sentence without its final period.
    pub about: Cow<'static, str>,
}

impl RuleOption {
    /// Reports whether a key is the name of this option. Scripts write `max_words`, and configuration files write
    /// `max-words`; both are accepted.
    pub fn is_named(&self, key: &str) -> bool {
        let plain = |c: u8| if c == b'_' { b'-' } else { c };
        self.name.bytes().map(plain).eq(key.bytes().map(plain))
    }

    /// Describes an option of a rule written in Rust.
    pub const fn new(name: &'static str, kind: OptionKind, about: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            kind,
            about: Cow::Borrowed(about),
        }
    }
}

/// The type of an option's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// A non-negative integer.
    Number,
    /// One of these words.
    Word(Cow<'static, [Cow<'static, str>]>),
    /// A list of strings.
    Texts,
}

impl OptionKind {
    /// Reports whether a value is valid for the option.
    pub fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_u64(),
            Self::Word(words) => value
                .as_str()
                .is_some_and(|value| words.iter().any(|word| word == value)),
            Self::Texts => value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string)),
        }
    }

    /// Describes the accepted values.
    pub fn expected(&self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Number => "a non-negative integer".to_owned(),
            Self::Word(words) => format!("\"{}\"", words.join("\" or \"")),
            Self::Texts => "a list of strings".to_owned(),
        }
    }
}

/// The options of one rule. The methods return `None` for a value that is missing or of the wrong type.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a>(Option<&'a BTreeMap<String, Arc<Value>>>);

impl<'a> Options<'a> {
    /// Returns the options of a rule. `of`: the rule's code.
    pub(crate) fn new(settings: &'a Settings, of: &str) -> Self {
        Self(settings.options.get(of))
    }

    /// Returns the value of a boolean option.
    pub fn flag(self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// Returns the value of a numeric option.
    pub fn number(self, name: &str) -> Option<usize> {
        self.get(name)?.as_u64()?.try_into().ok()
    }

    /// Returns the value of an option that is one of several words.
    pub fn word(self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    /// Returns the value of an option that is a list of strings.
    pub fn texts(self, name: &str) -> Option<Vec<&'a str>> {
        let list = self.get(name)?.as_array()?;
        list.iter().map(Value::as_str).collect()
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.0?.get(name).map(AsRef::as_ref)
    }
}
