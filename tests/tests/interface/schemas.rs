//! The JSON Schemas of all responses, from which the types of the npm package and of the Python package are generated.
//!
//! `UPDATE_DOCS=1 cargo test -p skillc-tests --test interface` rewrites the schemas and the types of the Python package.

use std::fs;
use std::process::Command;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use skillc_ops::Operation;
use skillc_render::{Format, Render, Visitor, visit_all};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../skillc/dist/npm/schemas.json"
);

/// Writes the types of the Python package, or compares them with the schemas.
const PYTHON_TYPES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../skillc/python/test/generate_types.py"
);

/// The schemas of the responses of all commands with JSON output. Types that several responses share are in the
/// generator's definitions.
struct Schemas {
    generator: SchemaGenerator,
    commands: Map<String, Value>,
    /// The names of the requests' fields.
    requests: Map<String, Value>,
}

impl Visitor for Schemas {
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render,
    {
        if <O::Response as Render>::FORMATS.contains(&Format::Json) {
            let schema = self.generator.subschema_for::<O::Response>();
            self.commands.insert(O::NAME.to_owned(), schema.to_value());
            self.requests
                .insert(O::NAME.to_owned(), fields::<O::Request>());
        }
    }
}

/// Returns the sorted names of an object's fields.
fn fields<T: JsonSchema>() -> Value {
    let schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut names: Vec<_> = properties.into_iter().flat_map(Map::keys).collect();
    names.sort_unstable();
    json!(names)
}

fn file() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schemas = Schemas {
        generator: settings.into_generator(),
        commands: Map::new(),
        requests: Map::new(),
    };
    visit_all(&mut schemas);
    json!({
        "$comment": concat!(
            "Generated from the code. ",
            "To update it, run UPDATE_DOCS=1 cargo test -p skillc-tests --test interface"
        ),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": schemas.generator.take_definitions(true),
        "commands": schemas.commands,
        "requests": schemas.requests,
    })
}

#[test]
#[expect(clippy::print_stderr, reason = "a check that is skipped says so")]
fn the_schemas_and_the_types_of_the_python_package_are_up_to_date() {
    let expected = format!("{:#}\n", file());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(FILE, &expected).expect("a file");
    }
    let found = fs::read_to_string(FILE).expect("a file");
    assert!(found == expected, "out of date, see UPDATE_DOCS=1");
    match Command::new("python3").arg(PYTHON_TYPES).status() {
        Ok(status) => assert!(status.success(), "{PYTHON_TYPES} failed"),
        Err(error) => eprintln!("skipped: there is no python3: {error}"),
    }
}

/// Every reference in a schema resolves to one of the definitions, so that the schema and the definitions suffice.
#[test]
fn every_reference_in_the_schemas_resolves() {
    fn references<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
        match schema {
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members
                    .values()
                    .for_each(|member| references(member, found));
            }
            _ => {}
        }
    }
    let file = file();
    let mut found = Vec::new();
    references(&file, &mut found);
    assert!(found.len() > 10, "{found:?}");
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("a local reference");
        assert!(file.pointer(pointer).is_some(), "{reference}");
    }
}
