//! Tests properties of the sections of any file, valid or not.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use skillc_core::{Indexer, LineIndex, RelPath, SourceFile};
use skillc_lint::PluginRegistry;
use skillc_plugins as _;

fn indexer_for(path: &str) -> Arc<dyn Indexer> {
    let plugins = PluginRegistry::linked().expect("no duplicates");
    let path = RelPath::parse(path).expect("a relative path");
    Arc::clone(plugins.indexer_for(&path).expect("an indexer"))
}

/// Returns the lines and the content of each section; `None` if the file is invalid.
fn sections(path: &str, bytes: &[u8]) -> Option<Vec<(std::ops::Range<usize>, String)>> {
    let file = SourceFile::new(
        RelPath::parse(path).expect("a relative path"),
        bytes.to_vec(),
    );
    let mut found = Vec::new();
    let result = indexer_for(path).sections(&file, &mut |section| {
        found.push((section.lines.clone(), section.content.into_owned()));
    });
    result.ok().map(|()| found)
}

/// Generates random text from fragments of the syntax of all file types.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "\"",
        "\"\"",
        ",",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "{",
        "}",
        "[",
        "]",
        ":",
        "\\",
        "\\\"",
        "\\u00e9",
        " ",
        "a",
        "1",
        "-0.5e3",
        "null",
        "true",
        "\u{feff}",
        "é",
        "\"a\":",
        "[1,2]",
        "{\"k\": \"v\"}",
    ]);
    let piece = prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..3),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z{}\\[\\]\":,\\\\ é]{1,4}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Flattens a value without the indexer, for comparison.
fn flat(path: &str, value: &Value, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let dot = if path.is_empty() { "" } else { "." };
                flat(&format!("{path}{dot}{key}"), value, out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, value) in list.iter().enumerate() {
                flat(&format!("{path}[{at}]"), value, out);
            }
        }
        Value::String(text) => *out += &format!("{path}: {text}\n"),
        other => *out += &format!("{path}: {other}\n"),
    }
}

proptest! {
    #[test]
    fn sections_of_any_bytes_lie_on_lines_of_the_file(bytes in pieces()) {
        let count = LineIndex::new(&bytes).count();
        for path in ["a.csv", "a.tsv", "a.json"] {
            for (lines, _) in sections(path, &bytes).unwrap_or_default() {
                prop_assert!(1 <= lines.start && lines.start < lines.end, "{path}: {lines:?}");
                prop_assert!(lines.end <= count + 1, "{path}: {lines:?} of {count}");
            }
        }
    }

    #[test]
    fn every_value_of_json_is_on_a_line_with_its_path(value in json_value(), is_pretty: bool) {
        let outer = json!({ "top": value });
        let text = if is_pretty { serde_json::to_string_pretty(&outer) } else { serde_json::to_string(&outer) };
        let mut expected = String::new();
        flat("", &outer, &mut expected);
        let found = sections("a.json", text.expect("it can be written").as_bytes()).expect("JSON");
        let content: String = found.into_iter().map(|(_, content)| content).collect();
        prop_assert_eq!(content, expected);
    }

    #[test]
    fn every_field_of_a_table_is_in_its_row(rows in prop::collection::vec(prop::collection::vec("[a-z,\"\n\t é]{0,6}", 3), 1..6)) {
        for (path, delimiter) in [("a.csv", ","), ("a.tsv", "\t")] {
            let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(delimiter) + "\n";
            let text = format!("x{delimiter}y{delimiter}z\n{}", rows.iter().map(line).collect::<String>());
            let found = sections(path, text.as_bytes()).expect("a table");
            prop_assert_eq!(found.len(), rows.len());
            for ((_, content), row) in found.iter().zip(&rows) {
                let [x, y, z] = [0, 1, 2].map(|at| row[at].trim());
                prop_assert_eq!(content, &format!("x: {x}\ny: {y}\nz: {z}\n"));
            }
        }
    }
}
