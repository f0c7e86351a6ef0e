//! SKL109 frontmatter-known.
//!
//! Design: C-REGISTRY.11, R1.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use skillc_core::clients::Clients;
use skillc_core::did_you_mean::{is_one_slip, mistyped, nearest};
use skillc_core::{Document, Field, Fields, Skill, Value};
use skillc_lint::{Edit, Findings, Fix, OptionKind, Rule, RuleMeta, RuleOption, declare_rule};

use crate::support::text::shown;

/// Fields that grant or deny permissions. A fix that renames a misspelled field to such a field needs review.
const PERMISSIONS: [&str; 5] = [
    "allowed-tools",
    "disallowed-tools",
    "disable-model-invocation",
    "user-invocable",
    "hooks",
];

/// The fields of the Agent Skills standard.
const STANDARD: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// The fields that the specification defines.
const RFC: [&str; 3] = ["name", "description", "allowed-tools"];

const OPTIONS: &[RuleOption] = &[RuleOption::new(
    "known",
    OptionKind::Word(Cow::Borrowed(&[
        Cow::Borrowed("clients"),
        Cow::Borrowed("standard"),
        Cow::Borrowed("rfc"),
    ])),
    "Accepted fields: `clients` (of the standard and of all clients), `standard` (of the standard only) or `rfc` (only \
            `name`, `description` and `allowed-tools`); default clients",
)];

declare_rule! {
    /// Reports a frontmatter field that neither the standard nor a known client defines.
    ///
    /// ## Why
    /// An unknown field has no effect, so a typo in a field's name disables the field: `allowed_tools` allows no tools.
    /// Some clients warn about such a field or reject the skill.
    ///
    /// The standard defines `name`, `description`, `license`, `compatibility`, `metadata` and `allowed-tools`. A field
    /// that any known client defines, such as `argument-hint` or `user-invocable`, is not reported. Put custom fields
    /// in `metadata`.
    ///
    /// ## Example
    /// ```yaml
    /// name: sql-format
    /// allowed_tools: Read
    /// version: 1.2
    /// ```
    /// Write instead:
    /// ```yaml
    /// name: sql-format
    /// allowed-tools: Read
    /// metadata:
    ///   version: "1.2"
    /// ```
    ///
    /// ## Fix
    /// Renames the field to the intended one, unless the frontmatter already has that field. The fix applies if only
    /// the case or the separators are wrong, as in `argumentHint` for `argument-hint`, or if a standard field has a
    /// typo. The intention is then clear, so the fix is safe, unless it grants or denies permissions: a fix that
    /// renames a field to `allowed-tools`, `disallowed-tools`, `disable-model-invocation`, `user-invocable` or `hooks`
    /// needs review.
    ///
    /// ## Options
    /// `known`: the accepted fields. `"clients"` (default) accepts the fields of the standard and of all known clients,
    /// `"standard"` only those of the standard, and `"rfc"` only `name`, `description` and `allowed-tools`.
    pub(crate) struct FrontmatterKnown {
        code: "SKL109",
        name: "frontmatter-known",
        severity: Warning,
        since: "0.2.0",
    }
}

impl Rule for FrontmatterKnown {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn options(&self) -> &[RuleOption] {
        OPTIONS
    }

    fn check_main(&self, doc: &Document, _: &Skill, out: &mut Findings<'_>) {
        let Some(fields) = doc.frontmatter.fields() else {
            return;
        };
        if fields.iter().all(|field| RFC.contains(&field.key.as_str())) {
            return;
        }
        let scope = out.options().word("known").unwrap_or("clients");
        let clients = Clients::shared();
        let known: BTreeSet<&str> = match scope {
            "rfc" => RFC.into(),
            "standard" => STANDARD.into(),
            _ => clients.fields().into_iter().chain(STANDARD).collect(),
        };
        let words = by_letters(&known);
        let metadata = keys_in_metadata(fields);
        let mut meant_before = BTreeSet::new();
        let unknown = fields.iter().filter(|f| !known.contains(f.key.as_str()));
        for (position, field) in unknown.enumerate() {
            let is_compared = position < MAX_COMPARED;
            let meant = words.get(&letters(&field.key)).copied();
            let near = meant
                .or_else(|| synonym(field).filter(|near| known.contains(near)))
                .or_else(|| is_compared.then(|| near(&field.key, &known)).flatten());
            let is_twice = scope == "clients" && metadata.contains(field.key.as_str());
            let message = format!("unknown field '{}'", shown(&field.key));
            let found = out.at(field.key_span, message).help(match near {
                Some(near) => format!("did you mean '{near}'?"),
                None if is_twice => "it is also below 'metadata': remove this one".to_owned(),
                None => advice(scope).to_owned(),
            });
            let slip = || {
                mistyped(
                    &field.key,
                    STANDARD.iter().filter(|key| known.contains(**key)),
                )
            };
            let meant = meant.or_else(|| is_compared.then(slip).flatten().copied());
            let Some(meant) = meant else {
                continue;
            };
            if meant_before.insert(meant) && !fields.mentions(meant) {
                found.fix(rename(field, meant, doc));
            }
        }
    }
}

/// The maximum number of unknown fields per file that are compared with all known fields. The comparison takes far
/// longer than reading a field, and 64 KiB of frontmatter can have 13,000 fields.
const MAX_COMPARED: usize = 200;

/// Unknown field names, each with the known field that means the same.
const SYNONYMS: [(&str, &str); 5] = [
    ("tools", "allowed-tools"),
    ("permissions", "allowed-tools"),
    ("argument", "argument-hint"),
    ("args", "argument-hint"),
    ("usage", "argument-hint"),
];

fn synonym(field: &Field) -> Option<&'static str> {
    let key = field.key.to_ascii_lowercase();
    // The suggested fields do not accept a map.
    if matches!(field.value, Value::Map(_)) {
        return None;
    }
    SYNONYMS
        .iter()
        .find(|(word, _)| *word == key)
        .map(|(_, name)| *name)
}

/// Returns the known field that a key resembles. A short key may have only one typo: with more differences, it is
/// usually a different word.
fn near<'a>(key: &str, known: &BTreeSet<&'a str>) -> Option<&'a str> {
    let near = nearest(key, known).copied();
    near.filter(|near| key.len() > MAX_SHORT || is_one_slip(key, near))
}

/// The maximum length of a short key, in bytes.
const MAX_SHORT: usize = 7;

/// Returns the keys of `metadata`.
fn keys_in_metadata(fields: &Fields) -> BTreeSet<&str> {
    match fields.get("metadata").map(|field| &field.value) {
        Some(Value::Map(inner)) => inner.iter().map(|field| field.key.as_str()).collect(),
        _ => BTreeSet::new(),
    }
}

/// Maps the letters of each field to the field's name. If several fields have the same letters, the first one wins.
fn by_letters<'a>(known: &BTreeSet<&'a str>) -> BTreeMap<String, &'a str> {
    let names = known.iter().rev();
    names.map(|name| (letters(name), *name)).collect()
}

/// Returns a word in lower case and without separators: `allowedTools` is the same word as `allowed-tools`.
fn letters(word: &str) -> String {
    let letters = word.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

fn rename(field: &Field, meant: &str, doc: &Document) -> Fix {
    let edit = Edit {
        file: doc.path.clone(),
        span: field.key_span,
        text: meant.to_owned(),
    };
    let title = format!("write '{meant}'");
    if PERMISSIONS.contains(&meant) {
        Fix::unsafe_(title, vec![edit])
    } else {
        Fix::safe(title, vec![edit])
    }
}

fn advice(scope: &str) -> &'static str {
    if scope == "rfc" {
        "the RFC only defines 'name', 'description' and 'allowed-tools'"
    } else {
        "move it below 'metadata', which is for custom fields"
    }
}
