//! Properties common to all formats.

mod bounds;
mod formats;

use proptest::prelude::*;
use skillc_core::Span;

use super::{Fault, Kind, Node, csv, json, toml, yaml};

type Read = fn(&str, usize) -> Result<Node, Fault>;

const FORMATS: [(&str, Read); 4] = [
    ("json", json),
    ("yaml", yaml),
    ("toml", toml),
    ("csv", |text, base| csv(text, base, b',')),
];

fn check_places(node: &Node, text: &str, base: usize, outer: Span) -> Result<(), TestCaseError> {
    for span in [Some(node.span()), node.key_span()].into_iter().flatten() {
        prop_assert!(
            outer.start <= span.start && span.start <= span.end && span.end <= outer.end,
            "{span:?} in {outer:?}"
        );
        prop_assert!(
            text.get(span.start - base..span.end - base).is_some(),
            "{span:?}"
        );
    }
    prop_assert_eq!(node.len(), node.children().len());
    let is_whole = matches!(node.kind(), Kind::Null | Kind::List | Kind::Map);
    prop_assert_eq!(node.text().is_none(), is_whole);
    prop_assert_eq!(node.as_bool().is_some(), node.kind() == Kind::Bool);
    prop_assert!(node.kind() == Kind::Number || node.as_f64().is_none() && node.as_i64().is_none());
    for child in node.children() {
        prop_assert_eq!(child.key().is_some(), node.kind() == Kind::Map);
        if let Some(key) = child.key() {
            prop_assert_eq!(
                node.get(key)
                    .and_then(|found| found.key().map(str::to_owned)),
                Some(key.to_owned())
            );
        }
        check_places(&child, text, base, node.span())?;
    }
    Ok(())
}

/// Generates well-formed and malformed combinations of fragments of all formats.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "a",
            "b: ",
            "c = ",
            "\"a\"",
            "\"b\": ",
            "1",
            "-1.5e3",
            "true",
            "null",
            "[",
            "]",
            "{",
            "}",
            ",",
            ", ",
            "\n",
            "\r\n",
            "\n  ",
            "- ",
            "&x ",
            "*x",
            "\\u00e9",
            "\\n",
            "'",
            "\"",
            "\"\"\"",
            "[a]\n",
            "[[a]]\n",
            "[a.b]\n",
            "a.b = 1\n",
            "d = 1979-05-27T07:32:00Z\n",
            "x = {y.z = 1, w = [2]}\n",
            "# c\n",
            "|\n  t\n",
            "!!str ",
            "--- ",
            "inf",
            "0x1F",
        ])
        .prop_map(str::to_owned),
        "[\\[\\]{}:,\"'|>@#*&!%?\\\\\t\n =.ux-]",
        "[aé日😀\u{85}\u{2028}\u{feff}\r\0\u{1b}]",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn values() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        "[\"\\\\\u{0}-\u{20}é😀]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-c\"é\n]{0,3}", inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn same(node: &Node, value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Null => node.kind() == Kind::Null,
        Value::Bool(truth) => node.as_bool() == Some(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => node.as_i64() == Some(whole),
            None => node.as_f64() == number.as_f64(),
        },
        Value::String(text) => node.kind() == Kind::Text && node.text() == Some(text),
        Value::Array(items) => {
            node.kind() == Kind::List
                && node.len() == items.len()
                && node
                    .children()
                    .zip(items)
                    .all(|(node, item)| same(&node, item))
        }
        Value::Object(fields) => {
            let has = |key: &str, value| node.get(key).is_some_and(|node| same(&node, value));
            node.kind() == Kind::Map
                && node.len() == fields.len()
                && fields.iter().all(|(key, value)| has(key, value))
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_text_is_parsed_or_refused_and_spans_nest(text in texts(), base in 0usize..9) {
        for (name, read) in FORMATS {
            match read(&text, base) {
                Ok(root) => check_places(&root, &text, base, Span::new(base, base + text.len()))?,
                Err(fault) => {
                    prop_assert!(text.is_char_boundary(fault.at - base), "{name} {fault:?}");
                    prop_assert!(fault.message.starts_with("line "), "{name} {fault:?}");
                    prop_assert!(!fault.message.contains(char::is_control), "{name} {fault:?}");
                }
            }
        }
    }

    #[test]
    fn json_matches_another_parser(value in values(), is_pretty in any::<bool>()) {
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let root = json(&text, 0).unwrap();
        prop_assert!(same(&root, &value), "{text}");
        check_places(&root, &text, 0, Span::new(0, text.len()))?;
    }

    #[test]
    fn json_is_refused_where_another_parser_refuses_it(text in texts()) {
        let other = serde_json::from_str::<serde_json::Value>(&text);
        let ours = json(&text, 0);
        if !text.starts_with('\u{feff}') {
            prop_assert_eq!(ours.is_ok(), other.is_ok(), "{} {:?}", text, ours);
        }
    }
}
