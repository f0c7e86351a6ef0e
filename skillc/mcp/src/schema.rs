//! JSON schemas of tools, generated from request and response types and reduced to what models and validators need.
//!
//! Every byte of the tool list costs tokens in each session of an agent. Therefore titles, formats and references are
//! removed, and descriptions are kept only for arguments, because a model has to choose their values. The alternatives
//! of a `skc_` tool's response are merged into one schema that covers them all.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The member that wraps a response that is not an object. Design: R7.
pub(crate) const RESULT: &str = "result";

/// The member with the root of the skill that a response is about.
pub(crate) const ROOT: &str = "root";

/// Returns the schema of a request type.
pub(crate) fn input<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema = object(&settings.into_generator().into_root_schema_for::<T>());
    let required: Vec<Value> = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            // A model omits an optional argument instead of sending null.
            if !required.contains(&json!(name)) {
                without_null(property);
            }
            shorten(property, Descriptions::Kept);
        }
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    for key in ["$schema", "title", "description"] {
        schema.remove(key);
    }
    schema
}

/// Returns the schema of a response type.
pub(crate) fn output<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema = Value::Object(object(
        &settings.into_generator().into_root_schema_for::<T>(),
    ));
    drop_command_line(&mut schema);
    shorten(&mut schema, Descriptions::Dropped);
    let mut schema = match merged(schema) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    schema.remove("$schema");
    absent_or_there(&mut schema);
    schema.values_mut().for_each(loosen);
    if schema.get("type") == Some(&json!("array")) {
        let properties = json!({ RESULT: schema });
        schema = Map::new();
        schema.insert("properties".into(), properties);
        schema.insert("required".into(), json!([RESULT]));
    }
    // MCP requires `"type": "object"`, even if the response may be any object.
    schema.insert("type".into(), json!("object"));
    schema
}

/// Removes the properties that occur only in the output of commands.
fn drop_command_line(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                properties.retain(|_, of| of.get("x-command-line").is_none());
            }
            members.values_mut().for_each(drop_command_line);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_command_line),
        _ => {}
    }
}

/// Returns whether a request has an argument that can specify a skill.
pub(crate) fn names_skill(input: &JsonObject) -> bool {
    let properties = input.get("properties");
    let has = |name: &&str| properties.is_some_and(|all| all.get(name).is_some());
    ["skill", "skills", "name"].iter().any(has)
}

/// Adds the optional skill root to the schema of a response.
pub(crate) fn add_root(output: &mut JsonObject) {
    let properties = output.entry("properties").or_insert_with(|| json!({}));
    properties[ROOT] = json!({"type": "string"});
}

/// Returns the schema of a catalog tool's response: data or an error, a flag that tells them apart, and warnings.
///
/// Design: catalog-tools.
pub(crate) fn envelope<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut data = Value::Object(object(
        &settings.into_generator().into_root_schema_for::<T>(),
    ));
    shorten(&mut data, Descriptions::Dropped);
    if let Value::Object(data) = &mut data {
        data.remove("$schema");
    }
    let error = json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {"type": "string"}, "message": {"type": "string"}, "details": {"type": "object"},
        },
    });
    let schema = json!({
        "type": "object",
        "required": ["ok"],
        "properties": {
            "ok": {"type": "boolean"},
            "data": data,
            "error": error,
            "warnings": {"type": "array", "items": {"type": "string"}},
        },
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn object(schema: &Schema) -> JsonObject {
    schema.as_object().cloned().unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq)]
enum Descriptions {
    Kept,
    Dropped,
}

/// Removes null from the allowed values.
fn without_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|of| of != "null");
        if let [only] = &types[..] {
            schema["type"] = only.clone();
        }
    }
    let Some(Value::Array(mut alternatives)) = schema.get("anyOf").cloned() else {
        return;
    };
    alternatives.retain(|of| of.get("type") != Some(&json!("null")));
    match (&alternatives[..], schema.as_object_mut()) {
        ([Value::Object(only)], Some(schema)) => {
            schema.remove("anyOf");
            for (key, value) in only {
                // The argument's own description takes precedence over the description of its type.
                schema.entry(key).or_insert_with(|| value.clone());
            }
        }
        _ => schema["anyOf"] = Value::Array(alternatives),
    }
}

/// Removes keywords that are useless to a model, and on request also descriptions.
fn shorten(schema: &mut Value, descriptions: Descriptions) {
    match schema {
        Value::Array(schemas) => {
            for schema in schemas {
                shorten(schema, descriptions);
            }
        }
        Value::Object(schema) => {
            for key in ["title", "format", "$comment"] {
                if schema.get(key).is_some_and(Value::is_string) {
                    schema.remove(key);
                }
            }
            if descriptions == Descriptions::Dropped
                && schema.get("description").is_some_and(Value::is_string)
            {
                schema.remove("description");
            }
            if [json!(null), json!([])]
                .iter()
                .any(|none| schema.get("default") == Some(none))
            {
                schema.remove("default");
            }
            if descriptions == Descriptions::Dropped {
                // The model sees the numbers in the response, so their bounds are redundant.
                for key in ["minimum", "maximum"] {
                    if schema.get(key).is_some_and(Value::is_number) {
                        schema.remove(key);
                    }
                }
            }
            choices(schema);
            for schema in schema.values_mut() {
                shorten(schema, descriptions);
            }
        }
        _ => {}
    }
}

/// Converts a `oneOf` of constant strings into an `enum`.
fn choices(schema: &mut JsonObject) {
    let Some(Value::Array(choices)) = schema.get("oneOf") else {
        return;
    };
    let mut names = Vec::new();
    for choice in choices {
        match (choice.get("const"), choice.get("enum")) {
            (Some(name), _) if name.is_string() => names.push(name.clone()),
            (None, Some(Value::Array(several))) => names.extend(several.iter().cloned()),
            _ => return,
        }
    }
    schema.remove("oneOf");
    schema.insert("type".into(), json!("string"));
    schema.insert("enum".into(), Value::Array(names));
}

/// Removes from nested schemas the keywords that neither models nor validators need: `type` of an object that has
/// `properties`, and every `required` and `enum`.
fn loosen(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(loosen),
        Value::Object(schema) => {
            absent_or_there(schema);
            schema.remove("required");
            schema.remove("enum");
            if schema.contains_key("properties") && schema.get("type") == Some(&json!("object")) {
                schema.remove("type");
            }
            schema.values_mut().for_each(loosen);
        }
        _ => {}
    }
}

/// Removes null from the types of optional members of a response, because such members are omitted instead.
fn absent_or_there(schema: &mut JsonObject) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &String| {
        let names = required.as_array();
        names.is_some_and(|names| names.iter().any(|of| of == name))
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let optional = properties.iter_mut().filter(|(name, _)| !is_required(name));
        optional.for_each(|(_, property)| without_null(property));
    }
}

/// Merges alternatives into one schema, recursively.
fn merged(schema: Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.into_iter().map(merged).collect(),
        Value::Object(schema) => {
            let schema = schema.into_iter().map(|(key, value)| (key, merged(value)));
            let mut schema: JsonObject = schema.collect();
            for key in ["anyOf", "oneOf"] {
                if let Some(Value::Array(alternatives)) = schema.remove(key) {
                    let either = alternatives.into_iter().reduce(either);
                    if let Some(Value::Object(either)) = either {
                        schema.extend(either);
                    }
                }
            }
            Value::Object(schema)
        }
        other => other,
    }
}

/// Returns a schema that accepts every value accepted by either of two schemas.
fn either(one: Value, other: Value) -> Value {
    let (Value::Object(mut one), Value::Object(mut other)) = (one, other) else {
        return json!({});
    };
    let mut both = Map::new();
    let mut take = |key| (one.remove(key), other.remove(key));
    if let (Some(one), Some(other)) = take("type") {
        both.insert("type".into(), union(one, other));
    }
    let names = |schema: Option<Value>, key: &str| match (schema, key) {
        (Some(name), "const") => Some(json!([name])),
        (names, _) => names,
    };
    let (one_names, other_names) = take("enum");
    let (one_name, other_name) = take("const");
    let one_names = one_names.or_else(|| names(one_name, "const"));
    let other_names = other_names.or_else(|| names(other_name, "const"));
    if let (Some(one), Some(other)) = (one_names, other_names) {
        both.insert("enum".into(), union(one, other));
    }
    if let (Some(Value::Array(one)), Some(Value::Array(other))) = take("required") {
        let common: Vec<Value> = one
            .into_iter()
            .filter(|name| other.contains(name))
            .collect();
        if !common.is_empty() {
            both.insert("required".into(), Value::Array(common));
        }
    }
    // Array keywords do not affect objects, and vice versa.
    match take("items") {
        (Some(one), Some(other)) => drop(both.insert("items".into(), either(one, other))),
        (Some(items), None) | (None, Some(items)) => drop(both.insert("items".into(), items)),
        (None, None) => {}
    }
    let mut properties = Map::new();
    let (one, other) = take("properties");
    for (name, schema) in [one, other].into_iter().flatten().flat_map(members) {
        let schema = match properties.remove(&name) {
            Some(before) => either(before, schema),
            None => schema,
        };
        properties.insert(name, schema);
    }
    if !properties.is_empty() {
        both.insert("properties".into(), Value::Object(properties));
    }
    Value::Object(both)
}

fn members(schema: Value) -> JsonObject {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Returns the union of two lists of names; a single name is not wrapped in a list.
fn union(one: Value, other: Value) -> Value {
    let list = |names| match names {
        Value::Array(names) => names,
        name => vec![name],
    };
    let mut names = list(one);
    for name in list(other) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match &names[..] {
        [only] if only.is_string() => only.clone(),
        _ => Value::Array(names),
    }
}
