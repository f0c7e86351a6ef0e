//! Parses the declarations of rules and indexers: the maps that a script passes to `rule` and `indexer`.

use std::borrow::Cow;
use std::sync::Arc;

use rhai::{AST, Array, Dynamic, FnPtr, ImmutableString, Map};
use skillc_core::IndexerMeta;
use skillc_core::did_you_mean::nearest;
use skillc_lint::{Activation, OptionKind, RuleMeta, RuleOption, Severity};

use crate::compiled::{Declaration, has_function};
use crate::fault::ScriptFault;
use crate::indexer::ScriptedIndexer;
use crate::limits::MAX_DECLARED_BYTES;
use crate::rule::ScriptedRule;
use crate::source::{Function, Source};

/// The maximum number of letters at the start of a rule's code.
const MAX_FAMILY_BYTES: usize = 8;

/// The maximum size of a name, an id, an option's value or a file extension, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// Limits on showing an option's default: the number of list elements, and the number of characters of each string.
const MAX_SHOWN: usize = 8;
const MAX_SHOWN_CHARS: usize = 60;

const KEYS_OF_RULE: &[&str] = &[
    "code",
    "name",
    "severity",
    "since",
    "on_request",
    "options",
    "check_main",
    "check_document",
    "check_skill",
    "check_run",
];

/// The functions that a rule can have, with their parameters as written in a script. The names are those of the methods
/// of [`Rule`](skillc_lint::Rule).
const CHECKS: &[(&str, &str)] = &[
    ("check_main", "|doc, skill, out|"),
    ("check_document", "|doc, skill, out|"),
    ("check_skill", "|skill, out|"),
    ("check_run", "|skills, out|"),
];

const KEYS_OF_OPTION: &[&str] = &["value", "about", "one_of"];

const KEYS_OF_INDEXER: &[&str] = &["id", "extensions", "sections", "other_text"];

/// A script that is being loaded.
pub(crate) struct Loading<'s> {
    pub(crate) source: &'s Arc<Source>,
    pub(crate) ast: &'s AST,
}

/// Parses the declaration of a rule. `declaration`: the declaration's index in the script, and its content. `page`: the
/// rule's documentation.
///
/// # Errors
/// If a key is missing or unknown, or has an invalid value.
pub(crate) fn rule(
    script: &Loading<'_>,
    declaration: (usize, &Declaration),
    page: String,
) -> Result<ScriptedRule, ScriptFault> {
    let mut said = Said::new(script, declaration, KEYS_OF_RULE)?;
    said.take(page.len())?;
    let meta = RuleMeta {
        code: said.code()?.into(),
        name: said.name("name")?.into(),
        severity: match said.optional::<ImmutableString>("severity", "a string")? {
            None => Severity::Warning,
            Some(word) => said.severity(&word)?,
        },
        activation: match said.optional("on_request", "true or false")? {
            Some(true) => Activation::OnRequest,
            Some(false) | None => Activation::Default,
        },
        since: match said.optional::<ImmutableString>("since", "a string")? {
            Some(since) => {
                said.take(since.len())?;
                Cow::Owned(since.to_string())
            }
            None => Cow::Borrowed(""),
        },
        doc: page.into(),
    };
    if meta.doc.trim().is_empty() {
        return said.fault("has no documentation: add `/// Reports …` above 'rule('");
    }
    let options = said.options()?;
    let meta = RuleMeta {
        doc: in_configuration(&meta.doc, &options).into(),
        ..meta
    };
    let mut checks = Vec::new();
    for &(key, takes) in CHECKS {
        checks.extend(said.function(key, takes)?);
    }
    if checks.is_empty() {
        return said
            .fault("checks nothing: define check_document, check_main, check_skill or check_run");
    }
    Ok(ScriptedRule::new(
        script.source,
        said.line,
        meta,
        options,
        checks,
    ))
}

/// Replaces the names of options in a page with their names in the configuration: `max_words` becomes `max-words`.
fn in_configuration(page: &str, options: &[ScriptedOption]) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut written = page.to_owned();
    for ScriptedOption { key, about, .. } in options {
        if *key == about.name {
            continue;
        }
        let mut rest = std::mem::take(&mut written);
        while let Some(at) = rest.find(key.as_str()) {
            let (before, after) = (&rest[..at], &rest[at + key.len()..]);
            let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
            written += before;
            // A name after a dot is script code: `out.options.max_words`.
            let is_name = is_whole && !before.ends_with('.');
            written += if is_name { &about.name } else { key };
            rest = after.to_owned();
        }
        written += &rest;
    }
    written
}

/// Parses the declaration of an indexer. `declaration`: the declaration's index in the script, and its content. `page`:
/// the indexer's documentation.
///
/// # Errors
/// The same as those of [`rule`].
pub(crate) fn indexer(
    script: &Loading<'_>,
    declaration: (usize, &Declaration),
    page: String,
) -> Result<ScriptedIndexer, ScriptFault> {
    let mut said = Said::new(script, declaration, KEYS_OF_INDEXER)?;
    said.take(page.len())?;
    let id = said.name("id")?;
    let extensions: Array = said.required("extensions", "a list of strings")?;
    let mut claimed = Vec::new();
    for extension in extensions {
        let extension = extension.into_string().unwrap_or_default();
        let is_one = (1..=MAX_NAME_BYTES).contains(&extension.len())
            && !extension.contains(['.', '/', '\\'])
            && extension == extension.to_lowercase();
        if !is_one {
            return said.fault("'extensions' must be lower-case strings without dots: [\"ipynb\"]");
        }
        said.take(extension.len() + size_of::<Cow<'_, str>>())?;
        claimed.push(Cow::Owned(extension));
    }
    if claimed.is_empty() {
        return said.fault("'extensions' is empty");
    }
    let Some(sections) = said.function("sections", "|file, out|")? else {
        return said.fault("has no 'sections': |file, out| { … }");
    };
    let other_text = said.optional("other_text", "true or false")?;
    if page.trim().is_empty() {
        return said.fault("has no documentation: add `/// …` above 'indexer('");
    }
    let meta = IndexerMeta {
        id: id.into(),
        extensions: claimed.into(),
        version: script.source.version(),
        doc: page.into(),
    };
    Ok(ScriptedIndexer {
        script: Arc::clone(script.source),
        line: said.line,
        meta,
        sections,
        other_text: other_text.unwrap_or(true),
    })
}

/// A declaration that is parsed key by key.
struct Said<'s> {
    script: &'s Loading<'s>,
    /// The index of the declaration in the script.
    at: usize,
    map: Map,
    line: usize,
    /// The total size of the text that the rule or indexer keeps, in bytes.
    bytes: usize,
}

impl<'s> Said<'s> {
    /// Starts to parse a declaration. Fails if it has an unknown key.
    fn new(
        script: &'s Loading<'s>,
        (at, declaration): (usize, &Declaration),
        known: &[&str],
    ) -> Result<Self, ScriptFault> {
        let said = Self {
            script,
            at,
            map: declaration.map.clone(),
            line: declaration.line,
            bytes: 0,
        };
        match stranger(&said.map, known) {
            Some(message) => said.fault(message),
            None => Ok(said),
        }
    }

    fn fault<T>(&self, message: impl Into<String>) -> Result<T, ScriptFault> {
        let script = &self.script.source.name;
        Err(ScriptFault::on_line(script, self.line, message))
    }

    /// Adds to the size of the text that the rule or indexer keeps. The size is limited because each rule keeps its own
    /// copy of its text.
    fn take(&mut self, bytes: usize) -> Result<(), ScriptFault> {
        self.bytes += bytes;
        if self.bytes > MAX_DECLARED_BYTES {
            let max = MAX_DECLARED_BYTES >> 10;
            let message = format!("more than {max} KiB of documentation and options");
            let fault = ScriptFault::limit(&self.script.source.name, message);
            return Err(ScriptFault {
                place: Some((self.line, 1)),
                ..fault
            });
        }
        Ok(())
    }

    fn optional<T: Clone + 'static>(
        &mut self,
        key: &'static str,
        expected: &str,
    ) -> Result<Option<T>, ScriptFault> {
        match self.map.remove(key).map(Dynamic::try_cast::<T>) {
            None => Ok(None),
            Some(Some(value)) => Ok(Some(value)),
            Some(None) => self.fault(format!("'{key}' must be {expected}")),
        }
    }

    fn required<T: Clone + 'static>(
        &mut self,
        key: &'static str,
        expected: &str,
    ) -> Result<T, ScriptFault> {
        match self.optional(key, expected)? {
            Some(value) => Ok(value),
            None => self.fault(format!("'{key}' is missing")),
        }
    }

    fn name(&mut self, key: &'static str) -> Result<String, ScriptFault> {
        let name: ImmutableString = self.required(key, "a string")?;
        let is_name = (1..=MAX_NAME_BYTES).contains(&name.len())
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
        if !is_name {
            return self.fault(format!(
                "'{key}' must be 1 to {MAX_NAME_BYTES} ASCII letters, digits and hyphens"
            ));
        }
        Ok(name.to_string())
    }

    fn code(&mut self) -> Result<String, ScriptFault> {
        let code: ImmutableString = self.required("code", "a string")?;
        let family = code.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_code = code.len() == family.len() + 3
            && (1..=MAX_FAMILY_BYTES).contains(&family.len())
            && family.bytes().all(|c| c.is_ascii_uppercase());
        if !is_code {
            return self
                .fault("'code' must be one to eight uppercase letters A-Z and three digits, for example TEAM001");
        }
        Ok(code.to_string())
    }

    fn severity(&self, word: &str) -> Result<Severity, ScriptFault> {
        match word {
            "error" => Ok(Severity::Error),
            "warning" => Ok(Severity::Warning),
            _ => self.fault("'severity' must be \"error\" or \"warning\""),
        }
    }

    /// Takes the function with this key from the declaration, and checks its parameters. `takes`: the required
    /// parameters, as written in a script.
    fn function(
        &mut self,
        key: &'static str,
        takes: &str,
    ) -> Result<Option<Function>, ScriptFault> {
        let expected = format!("a function: {takes} {{ … }}");
        let Some(function) = self.optional::<FnPtr>(key, &expected)? else {
            return Ok(None);
        };
        let given = takes.split(',').count();
        let parameters = function.curry().len() + given;
        if !has_function(self.script.ast, function.fn_name(), parameters) {
            return self.fault(format!("'{key}' must take {takes}"));
        }
        Ok(Some(Function {
            declaration: self.at,
            key,
        }))
    }

    /// Parses `options: #{ words: ["very"], style: #{ value: "title", one_of: ["title"], about: "…" } }`.
    fn options(&mut self) -> Result<Vec<ScriptedOption>, ScriptFault> {
        let said: Option<Map> = self.optional("options", "a map")?;
        let mut options: Vec<ScriptedOption> = Vec::new();
        for (name, said) in said.unwrap_or_default() {
            let option = match option(&name, said) {
                Ok(option) => option,
                Err(message) => return self.fault(format!("option '{name}': {message}")),
            };
            let same = |known: &&ScriptedOption| known.about.name == option.about.name;
            if let Some(known) = options.iter().find(same) {
                return self.fault(format!(
                    "options '{}' and '{name}' are the same: '_' means '-'",
                    known.key
                ));
            }
            self.take(option.bytes())?;
            options.push(option);
        }
        Ok(options)
    }
}

/// Returns the error for an unknown key, if there is one.
fn stranger(map: &Map, known: &[&str]) -> Option<String> {
    let stranger = map.keys().find(|key| !known.contains(&key.as_str()))?;
    let near = nearest(stranger, known);
    let near = near.map(|near| format!("; did you mean '{near}'?"));
    let near = near.unwrap_or_default();
    Some(format!("unknown key '{stranger}'{near}"))
}

/// An option and its default.
pub(crate) struct ScriptedOption {
    /// The name of the option in the script, such as `max_words`. In the configuration, its name is `max-words`.
    pub(crate) key: String,
    pub(crate) about: RuleOption,
    pub(crate) default: OptionDefault,
}

/// The default of an option: plain data, because the values of the engine cannot be sent to another thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OptionDefault {
    Flag(bool),
    Number(i64),
    Word(String),
    Texts(Vec<String>),
}

impl OptionDefault {
    /// Reads a default. `kind`: the kind of the option, which determines the type of the default.
    fn new(kind: &OptionKind, value: Dynamic) -> Self {
        match kind {
            OptionKind::Flag => Self::Flag(value.as_bool().unwrap_or_default()),
            OptionKind::Number => Self::Number(value.as_int().unwrap_or_default()),
            OptionKind::Word(_) => Self::Word(value.into_string().unwrap_or_default()),
            OptionKind::Texts => {
                let texts = texts(value).unwrap_or_default().into_iter();
                Self::Texts(texts.map(Cow::into_owned).collect())
            }
        }
    }

    /// Returns the default as a script sees it.
    pub(crate) fn to_dynamic(&self) -> Dynamic {
        match self {
            Self::Flag(flag) => (*flag).into(),
            Self::Number(number) => (*number).into(),
            Self::Word(word) => word.as_str().into(),
            Self::Texts(texts) => {
                let texts: Array = texts.iter().map(|text| text.as_str().into()).collect();
                texts.into()
            }
        }
    }
}

impl ScriptedOption {
    /// Returns the size of the option's text, in bytes. The default is not included, because the limit on the size of a
    /// declaration already covers it.
    fn bytes(&self) -> usize {
        let words = match &self.about.kind {
            OptionKind::Word(words) => words
                .iter()
                .map(|word| word.len() + size_of::<Cow<'_, str>>())
                .sum(),
            _ => 0,
        };
        self.key.len() + self.about.name.len() + self.about.about.len() + words
    }
}

/// Parses an option.
///
/// # Errors
/// If the option is invalid. The error is a message that contains the reason.
fn option(name: &str, said: Dynamic) -> Result<ScriptedOption, String> {
    if name == "level" {
        return Err(
            "this name is reserved for the severity of a rule in the configuration".to_owned(),
        );
    }
    if !is_option(name) {
        return Err("a name must consist of lower-case letters, digits, '_' and '-', and start with a letter".to_owned());
    }
    let mut long: Map = if said.is_map() {
        said.cast()
    } else {
        [("value".into(), said)].into()
    };
    if let Some(message) = stranger(&long, KEYS_OF_OPTION) {
        return Err(message);
    }
    let default = long.remove("value").ok_or("'value' is missing")?;
    let about = long.remove("about").map(Dynamic::into_string);
    let about = about.transpose().map_err(|_| "'about' must be a string")?;
    let kind = match long.remove("one_of") {
        Some(words) => word_kind(&default, words)?,
        None if default.is_bool() => OptionKind::Flag,
        None if default.as_int().is_ok_and(|number| number >= 0) => OptionKind::Number,
        None if texts(default.clone()).is_some() => OptionKind::Texts,
        None if default.is_string() => return Err("a string option needs 'one_of'".to_owned()),
        None => {
            let message =
                "the value must be a boolean, a non-negative integer or a list of strings";
            return Err(message.to_owned());
        }
    };
    Ok(ScriptedOption {
        key: name.to_owned(),
        default: OptionDefault::new(&kind, default.clone()),
        about: RuleOption {
            name: name.replace('_', "-").into(),
            kind,
            about: described(about.as_deref(), &default).into(),
        },
    })
}

/// Describes an option and its default. The default is written as in the configuration, and a long list is truncated.
fn described(about: Option<&str>, default: &Dynamic) -> String {
    let shown = |value: &Dynamic| match value.clone().into_immutable_string() {
        Ok(text) => short(&text),
        Err(_) => value.to_string(),
    };
    let usual = match default.clone().try_cast::<Array>() {
        Some(list) => {
            let mut first: Vec<String> = list.iter().take(MAX_SHOWN).map(shown).collect();
            match list.len().saturating_sub(MAX_SHOWN) {
                0 => {}
                more => first.push(format!("{more} more")),
            }
            format!("[{}]", first.join(", "))
        }
        None => shown(default),
    };
    match about {
        None | Some("") => format!("default {usual}"),
        Some(about) => format!("{}; default {usual}", about.trim_end_matches('.')),
    }
}

/// Quotes a string, and truncates it if it is long.
fn short(text: &str) -> String {
    let start: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    let cut = if start.len() == text.len() { "" } else { "…" };
    format!("{start:?}{cut}")
}

fn is_option(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_' || c == b'-')
}

/// Parses the accepted values of an option with `one_of`.
fn word_kind(default: &Dynamic, words: Dynamic) -> Result<OptionKind, String> {
    let words = texts(words).ok_or("'one_of' must be a list of strings")?;
    let default = default.clone().into_string();
    let default = default.map_err(|_| "the value must be a string, because of 'one_of'")?;
    if words.iter().any(|word| *word == default) {
        Ok(OptionKind::Word(words.into()))
    } else {
        Err(format!("'{default}' is not in 'one_of'"))
    }
}

fn texts(list: Dynamic) -> Option<Vec<Cow<'static, str>>> {
    let list = list.try_cast::<Array>()?.into_iter();
    list.map(|text| text.into_string().ok().map(Cow::Owned))
        .collect()
}
