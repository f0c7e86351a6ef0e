//! The JSON Schemas of all responses, from which the npm package generates its TypeScript types.
//!
//! `UPDATE_DOCS=1 cargo test -p skillc-tests --test interface` rewrites the file.

use std::fs;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use skillc_ops::Operation;
use skillc_render::{Format, Render, Visitor, visit_all};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../skillc/dist/npm/schemas.json"
);

/// The schemas of the responses of all commands with JSON output. Types that several responses use are among the
/// generator's definitions.
struct Schemas {
    generator: SchemaGenerator,
    commands: Map<String, Value>,
}

impl Visitor for Schemas {
    fn visit<O: Operation>(&mut self)
    where
        O::Response: Render,
    {
        if <O::Response as Render>::FORMATS.contains(&Format::Json) {
            let schema = self.generator.subschema_for::<O::Response>();
            self.commands.insert(O::NAME.to_owned(), schema.to_value());
        }
    }
}

fn file() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schemas = Schemas {
        generator: settings.into_generator(),
        commands: Map::new(),
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
    })
}

#[test]
fn the_schemas_of_the_npm_package_are_up_to_date() {
    let expected = format!("{:#}\n", file());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(FILE, &expected).expect("a file");
        return;
    }
    let found = fs::read_to_string(FILE).expect("a file");
    assert!(found == expected, "out of date, see UPDATE_DOCS=1");
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
