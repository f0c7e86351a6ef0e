//! The JSON Schema of the catalog's configuration, for editors.
//!
//! Design: catalog-config, limits-catalog, D3.

use serde_json::{Map, Value, json};
use skillc_catalog::settings::NUMBERS;

/// Returns the schema of `[skills]`.
pub(crate) fn skills() -> Value {
    let mut initial = numbers("skills.initial");
    let inject = "Where the skill list goes; by default, at the end of the server's instructions";
    initial.insert(
        "inject".into(),
        json!({"description": inject, "enum": ["instructions", "prompt", "off"]}),
    );
    let mut search = numbers("skills.search");
    let model = "Folder of an embedding model that helps to rank skills; allowed only in the user's configuration file";
    search.insert(
        "model".into(),
        json!({"description": model, "type": "string", "minLength": 1}),
    );
    let load = numbers("skills.load");
    let name = json!({"description": "All skills with this name", "type": "string"});
    let path = json!({"description": "The SKILL.md of one skill", "type": "string"});
    let enabled = json!({"description": "Whether it is enabled", "type": "boolean"});
    object(
        "Which skills agents see, and how",
        &json!({
            "enabled": {"description": "Whether the catalog is enabled; default true", "type": "boolean"},
            "initial": object("The skill list that an agent gets at the start of a session", &Value::Object(initial)),
            "search": object("Searching for skills", &Value::Object(search)),
            "load": object("Limits for loading a skill", &Value::Object(load)),
            "override": {
                "description": "Skills to enable or disable",
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {"name": name, "path": path, "enabled": enabled},
                    "required": ["enabled"],
                    "oneOf": [{"required": ["name"]}, {"required": ["path"]}],
                },
            },
        }),
    )
}

/// Returns the schema of `[catalog]`.
pub(crate) fn catalog() -> Value {
    let mut properties = numbers("catalog");
    let texts = |description| json!({"description": description, "type": "array", "items": {"type": "string", "minLength": 1}});
    let others = [
        (
            "roots",
            texts(
                "Kinds of skill folders, highest precedence first: skillc, agents, or a client's id",
            ),
        ),
        (
            "extra_roots",
            texts("More skill folders; allowed only in the user's configuration file"),
        ),
        (
            "markers",
            texts("Names of files or folders that mark the catalog root"),
        ),
        (
            "follow_symlinks",
            json!({"description": "Whether to follow symlinks to folders; default true", "type": "boolean"}),
        ),
        (
            "name_mismatch",
            json!({"description": "What to do if a skill's name differs from its folder's name; default 'error'", "enum": ["error", "warn"]}),
        ),
        (
            "on_collision",
            json!({"description": "What to do if several skills have the same name; default 'ambiguous'", "enum": ["ambiguous", "nearest"]}),
        ),
    ];
    properties.extend(others.map(|(name, schema)| (name.to_owned(), schema)));
    object("Where to look for skills", &Value::Object(properties))
}

/// Returns the schema of `[permissions]`.
pub(crate) fn permissions() -> Value {
    let rules = |description| {
        let text =
            |description| json!({"description": description, "type": "string", "minLength": 1});
        json!({
            "description": description,
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "tool": text("Tool name, for example skill_load"),
                    "skill_name": text("Skill name; default: all skills"),
                    "root": text("Folder in which the rule applies; default: everywhere"),
                },
                "required": ["tool"],
            },
        })
    };
    let default = "What to do if no rule matches";
    let trusted = "Projects that you trust; allowed only in the user's configuration file";
    object(
        "Permissions of agents",
        &json!({
            "default": {"description": default, "enum": ["allow", "confirm", "deny"]},
            "allow": rules("Allow rules"),
            "deny": rules("Deny rules; they override allow rules"),
            "trust_projects": {"description": trusted, "type": "array", "items": {"type": "string"}},
        }),
    )
}

fn object(description: &str, properties: &Value) -> Value {
    json!({
        "description": description,
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// Returns the schemas of a table's numeric keys, each under its name and its alias, if any.
fn numbers(table: &str) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in NUMBERS.iter().filter(|key| key.table == table) {
        let schema = json!({
            "description": format!("Default {}", key.default),
            "type": "integer",
            "minimum": 1,
            "maximum": key.most,
        });
        for name in [Some(key.key), key.alias].into_iter().flatten() {
            properties.insert(name.to_owned(), schema.clone());
        }
    }
    properties
}
