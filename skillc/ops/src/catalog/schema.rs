//! What the configuration may say of the catalog, as JSON Schema for editors.
//!
//! Design: catalog-config, limits-catalog, D3.

use serde_json::{Map, Value, json};
use skillc_catalog::settings::NUMBERS;

/// Returns the schema of `[skills]`.
pub(crate) fn skills() -> Value {
    let mut initial = numbers("skills.initial");
    let inject = "How an agent is told: at the end of the server's instructions unless given";
    initial.insert(
        "inject".into(),
        json!({"description": inject, "enum": ["instructions", "prompt", "off"]}),
    );
    let search = numbers("skills.search");
    let load = numbers("skills.load");
    let name = json!({"description": "All skills of this name", "type": "string"});
    let path = json!({"description": "The SKILL.md of one skill", "type": "string"});
    let enabled = json!({"description": "Whether it is on", "type": "boolean"});
    object(
        "What agents are told of skills",
        &json!({
            "enabled": {"description": "Whether there is a catalog; true unless given", "type": "boolean"},
            "initial": object("What an agent is told at the start", &Value::Object(initial)),
            "search": object("Searching for skills", &Value::Object(search)),
            "load": object("What is sent of a skill", &Value::Object(load)),
            "override": {
                "description": "Skills that are switched on or off",
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
            texts("Kinds of folders, the first counts most: skillc, agents, or a client's id"),
        ),
        (
            "extra_roots",
            texts("Further folders; in the user's settings only"),
        ),
        (
            "markers",
            texts("Names of which one marks the folder where looking begins"),
        ),
        (
            "follow_symlinks",
            json!({"description": "Whether links to folders are followed; true unless given", "type": "boolean"}),
        ),
        (
            "name_mismatch",
            json!({"description": "A name unlike its folder's; 'error' unless given", "enum": ["error", "warn"]}),
        ),
        (
            "on_collision",
            json!({"description": "A name that several skills have; 'ambiguous' unless given", "enum": ["ambiguous", "nearest"]}),
        ),
    ];
    properties.extend(others.map(|(name, schema)| (name.to_owned(), schema)));
    object("Where skills are looked for", &Value::Object(properties))
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
                    "tool": text("The tool, as in skill_load"),
                    "skill_name": text("The skill; all of them unless given"),
                    "root": text("The folder where the rule holds; everywhere unless given"),
                },
                "required": ["tool"],
            },
        })
    };
    let default = "What holds where no rule does";
    let trusted = "Projects whose rules may allow; in the user's settings only";
    object(
        "What agents may do",
        &json!({
            "default": {"description": default, "enum": ["allow", "confirm", "deny"]},
            "allow": rules("What is allowed"),
            "deny": rules("What is denied, whatever is allowed"),
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

/// Returns the schemas of a table's numbers, each by its name and by its other name, if it has one.
fn numbers(table: &str) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in NUMBERS.iter().filter(|key| key.table == table) {
        let schema = json!({
            "description": format!("{} unless given", key.default),
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
