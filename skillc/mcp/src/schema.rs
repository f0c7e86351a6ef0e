//! The schemas of tools, made from requests and responses and cut to what a model and a validator need.
//!
//! Every byte of a tool list is paid for in each session of an agent. So there are no titles and formats, no references to
//! follow, and descriptions only where a model has to choose a value.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The member that holds a response which is no object. Source: RULINGS R7.
pub(crate) const RESULT: &str = "result";

/// Returns the schema of a request.
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
            // An argument that may be absent need not be null too.
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

/// Returns the schema of what a call answers.
pub(crate) fn output<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = Value::Object(object(
        &settings.into_generator().into_root_schema_for::<T>(),
    ));
    shorten(&mut schema, Descriptions::Dropped);
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    schema.remove("$schema");
    if schema.get("type") == Some(&json!("array")) {
        let definitions = schema.remove("$defs");
        let mut wrapped = Map::new();
        wrapped.insert("type".into(), json!("object"));
        wrapped.insert("properties".into(), json!({ RESULT: schema }));
        wrapped.insert("required".into(), json!([RESULT]));
        wrapped.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
        return wrapped;
    }
    // The protocol asks for it, also beside alternatives.
    schema.insert("type".into(), json!("object"));
    schema
}

fn object(schema: &Schema) -> JsonObject {
    schema.as_object().cloned().unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq)]
enum Descriptions {
    Kept,
    Dropped,
}

/// Takes null out of the values that are allowed.
fn without_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|of| of != "null");
        if let [only] = &types[..] {
            schema["type"] = only.clone();
        }
    }
}

/// Takes out what is of no use to a model, and everything that a description says if so asked.
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
            if schema.get("default") == Some(&Value::Null) {
                schema.remove("default");
            }
            if schema.get("minimum") == Some(&json!(0)) && descriptions == Descriptions::Dropped {
                schema.remove("minimum");
            }
            choices(schema);
            for schema in schema.values_mut() {
                shorten(schema, descriptions);
            }
        }
        _ => {}
    }
}

/// Writes alternatives that are one text each as the list of them.
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
