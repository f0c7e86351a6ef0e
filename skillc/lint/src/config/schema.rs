//! The JSON Schema of the lint configuration, generated from the known rules and clients.

use serde_json::{Map, Value, json};
use skillc_core::clients::Clients;

use super::Level;
use crate::plugin_registry::PluginRegistry;
use crate::rule::code::FAMILIES;
use crate::rule::preset::Preset;
use crate::rule::settings::{OptionKind, RuleOption};

/// Returns the schema of a `.skilllint.toml` file.
pub fn schema(plugins: &PluginRegistry, clients: &Clients) -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skc lint configuration",
    });
    let body = body(plugins, clients);
    if let (Some(schema), Value::Object(body)) = (schema.as_object_mut(), body) {
        schema.extend(body);
    }
    schema
}

/// Returns the schema of the keys of a `.skilllint.toml`, or of the `[lint]` table of a `config.toml`.
pub fn body(plugins: &PluginRegistry, clients: &Clients) -> Value {
    let mut ids: Vec<&str> = clients.clients.iter().map(|client| &*client.id).collect();
    ids.extend(clients.targets.iter().map(|target| &*target.name));
    let texts = |items: Value| json!({"anyOf": [items, {"type": "array", "items": items}]});
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "extends": {
                "description": "Files to extend, relative to this file; settings here take precedence",
                "anyOf": texts(json!({"type": "string"}))["anyOf"],
            },
            "preset": {
                "description": "Default selection of rules",
                "enum": Preset::ALL.map(Preset::as_str),
            },
            "clients": {
                "description": "Clients to check the skills for",
                "anyOf": texts(json!({"enum": ids}))["anyOf"],
            },
            "baseline": {
                "description": "Baseline of known findings, relative to this file and inside the project",
                "type": "string",
                "minLength": 1,
            },
            "rules": rules(plugins, true),
            "overrides": {
                "description": "Rule levels for some files",
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["paths", "rules"],
                    "properties": {
                        "paths": texts(json!({"type": "string"})),
                        "rules": rules(plugins, false),
                    },
                },
            },
        },
    })
}

fn rules(plugins: &PluginRegistry, with_options: bool) -> Value {
    let mut properties = Map::new();
    for rule in plugins.rules() {
        let meta = rule.meta();
        let options = if with_options { rule.options() } else { &[] };
        for key in [&meta.code, &meta.name] {
            let mut setting = setting(options);
            setting["description"] = meta.summary().into();
            properties.insert(key.to_string(), setting);
        }
    }
    let families = FAMILIES.join("|");
    json!({
        "description": "Levels and options of rules, by code, name, family (SKL, SKL2) or ALL",
        "type": "object",
        "properties": properties,
        "patternProperties": {format!("^(ALL|(({families})[0-9]{{0,2}}))$"): setting(&[])},
        "additionalProperties": false,
    })
}

fn setting(options: &[RuleOption]) -> Value {
    let level = json!({"enum": Level::WORDS});
    let mut properties = Map::from_iter([("level".to_owned(), level.clone())]);
    for option in options {
        let mut schema = match &option.kind {
            OptionKind::Flag => json!({"type": "boolean"}),
            OptionKind::Number => json!({"type": "integer", "minimum": 0}),
            OptionKind::Word(words) => json!({"enum": words}),
            OptionKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        };
        schema["description"] = (*option.about).into();
        properties.insert(option.name.to_string(), schema);
    }
    let table = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    json!({"anyOf": [level, table]})
}
