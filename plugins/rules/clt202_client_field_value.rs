//! CLT202 client-field-value.

use skillc_core::clients::{Client, ClientField, Fault, FieldKind, joined};
use skillc_core::{Document, Field, Skill, Value};
use skillc_lint::{Findings, Rule, RuleMeta, declare_rule};

use crate::frontmatter::{field, shown};
use crate::reactions::seen;

/// The words that at least one client accepts as true or false. Unless a client is known to be strict, it may accept
/// any of these words.
const BOOLEANS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "1", "0"];

declare_rule! {
    /// Reports a value that a selected client does not accept for its field, because of its type or wording.
    ///
    /// ## Why
    /// A client ignores values that it does not understand, usually silently: an `effort` of `maximum` has no effect,
    /// and neither does a flag that is not a boolean.
    ///
    /// SKL102 to SKL107 check `name` and `description`. If it is known how a client reacts to a list or a string where
    /// another type is expected, CLT101 to CLT104 report the value. This rule only checks clients selected with
    /// `--client` or in the configuration.
    ///
    /// ## Example
    /// With `--client claude-code`:
    /// ```yaml
    /// effort: maximum
    /// user-invocable: never
    /// ```
    /// Write instead:
    /// ```yaml
    /// effort: max
    /// user-invocable: false
    /// ```
    ///
    /// ## Source
    /// The source code or documentation of each client; the finding cites it, with its date.
    pub(crate) struct ClientFieldValue {
        code: "CLT202",
        name: "client-field-value",
        severity: Warning,
        since: "0.3.0",
    }
}

impl Rule for ClientFieldValue {
    fn meta(&self) -> &RuleMeta {
        Self::META
    }

    fn check_main(&self, main: &Document, _: &Skill, out: &mut Findings<'_>) {
        let mut found: Vec<(&Field, String, Vec<&Client>)> = Vec::new();
        for client in out.clients() {
            for typed in client.typed_fields.iter().filter(|t| is_checked(client, t)) {
                let value = value_of(main, &typed.key);
                let Some(value) = value.filter(|value| !takes(client, typed, value, main)) else {
                    continue;
                };
                let message = refused(typed, value, client);
                let same = found.iter_mut().find(|(field, other, _)| {
                    field.value_span == value.value_span && *other == message
                });
                match same {
                    Some((.., clients)) => clients.push(client),
                    None => found.push((value, message, vec![client])),
                }
            }
        }
        for (field, message, clients) in found {
            let ids: Vec<&str> = clients.iter().map(|client| client.id.as_str()).collect();
            let take = if ids.len() == 1 { "takes" } else { "take" };
            let message = message.replace("{clients}", &format!("{} {take}", joined(&ids)));
            let sources: Vec<String> = clients.iter().map(|c| seen(&c.id, &c.origin)).collect();
            out.at(field.place(), message).help(sources.join("; "));
        }
    }
}

/// Returns whether this rule checks a field. Other rules check names and descriptions, and report a value of the wrong
/// type if the client's reaction to it is known.
fn is_checked(client: &Client, typed: &ClientField) -> bool {
    let is_known = |fault: &Fault| fault.field() == Some(&typed.key);
    !matches!(typed.key.as_str(), "name" | "description") && !client.faults.keys().any(is_known)
}

/// Returns a field by its key, which is `map.key` for a nested field.
fn value_of<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    let Some((outer, inner)) = key.split_once('.') else {
        return field(main, key);
    };
    match &field(main, outer)?.value {
        Value::Map(fields) => fields.iter().find(|field| field.key == inner),
        _ => None,
    }
}

fn takes(client: &Client, typed: &ClientField, field: &Field, main: &Document) -> bool {
    let is = |kind: &FieldKind| match (&field.value, kind) {
        (Value::Null, _)
        | (Value::Text(_), FieldKind::Text | FieldKind::Json5)
        | (Value::List(_), FieldKind::List)
        | (Value::Map(_), FieldKind::Map | FieldKind::Json5) => true,
        (Value::Text(text), FieldKind::Flag) => is_flag(client, text, field, main),
        (Value::Text(text), FieldKind::Word(word)) => **text == **word,
        _ => false,
    };
    typed.kinds.iter().any(is)
}

/// Returns whether a client accepts a string as a boolean. A client with only two words for booleans accepts them only
/// without quotes.
fn is_flag(client: &Client, text: &str, field: &Field, main: &Document) -> bool {
    let is_word = |word: &str| word.eq_ignore_ascii_case(text);
    if client.booleans.is_empty() {
        return BOOLEANS.into_iter().any(is_word);
    }
    let is_quoted = main.text[field.value_span.start..].starts_with(['"', '\'']);
    let is_strict = client.booleans.len() == 2;
    client.booleans.iter().any(|word| is_word(word)) && !(is_strict && is_quoted)
}

/// Returns the message. The caller replaces `{clients}` with the clients that expect another value.
fn refused(typed: &ClientField, field: &Field, client: &Client) -> String {
    let is = match (&field.value, field.value.structure()) {
        (Value::Text(text), _) => format!("'{}'", shown(text)),
        (_, kind) => kind.unwrap_or("empty").to_owned(),
    };
    let kinds: Vec<String> = typed.kinds.iter().map(ToString::to_string).collect();
    let mut expected = kinds.join(" or ");
    if typed.kinds == [FieldKind::Flag] && client.booleans.len() == 2 {
        expected += " without quotes";
    }
    format!("'{}' is {is}; {{clients}} {expected}", typed.key)
}
