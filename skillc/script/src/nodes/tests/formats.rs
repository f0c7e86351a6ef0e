//! Parsing of each format.

use proptest::prelude::*;
use skillc_core::Span;

use super::super::{Kind, Node, csv, json, toml, yaml};
use super::Read;

fn shown(node: &Node) -> String {
    let inside = |node: &Node| {
        let parts = node.children().map(|child| match child.key() {
            Some(key) => format!("{key}={}", shown(&child)),
            None => shown(&child),
        });
        parts.collect::<Vec<_>>().join(" ")
    };
    match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool => format!("{:?}", node.as_bool().unwrap()),
        Kind::Number => node.text().unwrap().to_owned(),
        Kind::Text => format!("{:?}", node.text().unwrap()),
        Kind::List => format!("[{}]", inside(node)),
        Kind::Map => format!("{{{}}}", inside(node)),
    }
}

#[track_caller]
fn assert_read(read: Read, text: &str, expected: &str) {
    let node = read(text, 0).unwrap();
    assert_eq!(shown(&node), expected, "{text:?}");
}

#[track_caller]
fn assert_fault(read: Read, text: &str, message: &str, at: usize) {
    let fault = read(text, 100).unwrap_err();
    assert_eq!(
        (fault.message.as_str(), fault.at - 100),
        (message, at),
        "{text:?}"
    );
}

fn part(text: &str, span: Span) -> &str {
    &text[span.start..span.end]
}

mod of_json {
    use super::*;

    #[test]
    fn values_have_kind_text_and_location() {
        let text = "\u{feff}{\"a\": [1, -2.5e3, \"q\\u00e9\\n\", true, null], \"é\\t\": {}}";
        assert_read(json, text, "{a=[1 -2.5e3 \"qé\\n\" true null] é\t={}}");
        let root = json(text, 0).unwrap();
        let list = root.get("a").unwrap();
        assert_eq!(part(text, list.key_span().unwrap()), "\"a\"");
        let places: Vec<_> = list
            .children()
            .map(|at| part(text, at.span()).to_owned())
            .collect();
        assert_eq!(places, ["1", "-2.5e3", "\"q\\u00e9\\n\"", "true", "null"]);
        assert_eq!(list.at(0).unwrap().as_i64(), Some(1));
        assert_eq!(list.at(1).unwrap().as_f64(), Some(-2500.0));
        assert_eq!(list.at(1).unwrap().as_i64(), None);
        assert_eq!(list.at(3).unwrap().as_bool(), Some(true));
        assert_eq!((list.len(), list.at(5).is_none()), (5, true));
        assert_eq!(part(text, root.get("é\t").unwrap().span()), "{}");
        assert!(root.get("b").is_none() && list.get("a").is_none());
        let moved = json(text, 1000).unwrap();
        assert_eq!(moved.span(), Span::new(1003, 1000 + text.len()));
    }

    #[test]
    fn the_first_of_duplicate_keys_counts_and_all_are_listed() {
        let root = json(r#"{"b": 1, "a": 2, "b": 3, "a": 4}"#, 0).unwrap();
        assert_eq!(root.get("b").unwrap().as_i64(), Some(1));
        assert_eq!(root.get("a").unwrap().as_i64(), Some(2));
        let all: Vec<_> = root.children().filter_map(|child| child.as_i64()).collect();
        assert_eq!(all, [1, 2, 3, 4]);
    }

    #[test]
    fn syntax_of_other_dialects_is_refused_with_its_line() {
        for (text, message, at) in [
            ("", "line 1: there is no value", 0),
            (
                "\n[1,\n 2",
                "line 3: unexpected end: a bracket is never closed",
                7,
            ),
            (
                "{\"a\"",
                "line 1: unexpected end: a bracket is never closed",
                4,
            ),
            ("[1,]", "line 1: trailing comma", 3),
            ("{\"a\":1,}", "line 1: trailing comma", 7),
            ("[1 2]", "line 1: missing comma before this value", 3),
            ("[1\n[2]]", "line 2: missing comma before this value", 3),
            ("{\"a\" 1}", "line 1: missing colon after the key", 5),
            (
                "{a: 1}",
                "line 1: unknown word; strings must be in double quotes",
                1,
            ),
            ("{1: 1}", "line 1: keys must be in double quotes", 1),
            ("['a']", "line 1: strings must be in double quotes", 1),
            ("// c\n1", "line 1: comments are not allowed in JSON", 0),
            ("1 2", "line 1: unexpected text after the value", 2),
            ("[1}", "line 1: unmatched closing bracket", 2),
            ("[}", "line 1: unmatched closing bracket", 1),
            ("[,]", "line 1: ',' is not allowed here", 1),
            ("[01]", "line 1: missing comma before this value", 2),
            ("[1.]", "line 1: invalid number", 1),
            (
                "[\"a\nb\"]",
                "line 1: a string contains a line break; write \\n",
                3,
            ),
            (
                "[\"\t\"]",
                "line 1: a string contains U+0009, which must be escaped",
                2,
            ),
            ("[\"a]", "line 1: unterminated string", 1),
            (
                "[\"\\x\"]",
                "line 1: invalid escape sequence; write a backslash as \\\\",
                2,
            ),
            ("[\"\\ud800\"]", "line 1: invalid escape sequence", 2),
            ("\u{a0}1", "line 1: U+00A0 is not allowed here", 0),
            ("1\u{b}", "line 1: U+000B is not allowed here", 1),
            ("\u{1b}", "line 1: U+001B is not allowed here", 0),
        ] {
            assert_fault(json, text, message, at);
        }
        for text in [
            "[+1]",
            "[.5]",
            "[0x1]",
            "[NaN]",
            "[-Infinity]",
            "[1e]",
            "[-]",
            "[truex]",
        ] {
            assert!(json(text, 0).is_err(), "{text}");
        }
    }
}

mod of_yaml {
    use super::*;

    #[test]
    fn plain_scalars_have_the_kind_of_the_core_schema() {
        let text = "\u{feff}a: 1\nb: '1'\nc: !!str 2\nd: yes\ne: TRUE\nf: ~\ng: |\n  7\nh: .inf\n1: x\nj: [1.5, \"x\\ty\"]\n";
        assert_read(
            yaml,
            text,
            "{a=1 b=\"1\" c=\"2\" d=\"yes\" e=true f=null g=\"7\\n\" h=.inf 1=\"x\" j=[1.5 \"x\\ty\"]}",
        );
        let root = yaml(text, 0).unwrap();
        assert_eq!(part(text, root.get("b").unwrap().span()), "'1'");
        assert_eq!(part(text, root.get("g").unwrap().span()), "7");
        assert_eq!(root.get("h").unwrap().as_f64(), Some(f64::INFINITY));
        assert_read(yaml, "# nothing\n", "null");
        assert_read(yaml, "- a\n-\n  - b\n", "[\"a\" [\"b\"]]");
    }

    #[test]
    fn an_expanded_alias_has_the_location_of_the_alias() {
        let text = "a: &x [1, {k: '2'}]\nb: *x\n";
        assert_read(yaml, text, "{a=[1 {k=\"2\"}] b=[1 {k=\"2\"}]}");
        let alias = yaml(text, 0).unwrap().get("b").unwrap();
        let inner = alias.at(1).unwrap().get("k").unwrap();
        for span in [alias.span(), inner.span(), inner.key_span().unwrap()] {
            assert_eq!(part(text, span), "*x");
        }
    }

    #[test]
    fn syntax_errors_have_their_line() {
        for (text, message, at) in [
            (
                "a: 1\n---\nb: 1\n",
                "line 3: a second document starts here; only one is allowed",
                9,
            ),
            (
                "a: 1\na: 2\n",
                "line 2: 'a' is set twice, first on line 1",
                5,
            ),
            (
                "a: b: c\n",
                "line 1: the value of 'a' contains ': '; put it in quotes",
                4,
            ),
        ] {
            assert_fault(yaml, text, message, at);
        }
    }

    #[test]
    fn aliases_count_as_much_as_their_content() {
        let mut text = "a: &a [x, x, x]\n".to_owned();
        for (from, to) in ('a'..'y').zip('b'..'z') {
            text += &format!("{to}: &{to} [*{from}, *{from}, *{from}]\n");
        }
        let fault = yaml(&text, 0).unwrap_err();
        assert!(
            fault.message.starts_with("line 12: has more than"),
            "{fault}"
        );
        let shared = format!(
            "a: &a '{}'\nb: [{}]\n",
            "''".repeat(1 << 20),
            "*a,".repeat(50_000)
        );
        let root = yaml(&shared, 0).unwrap();
        let last = root.get("b").unwrap().at(49_999).unwrap();
        assert_eq!(last.text().map(str::len), Some(1 << 20));
    }
}

mod of_toml {
    use super::*;

    #[test]
    fn values_have_kind_text_and_location() {
        let text = "\u{feff}a.b = 1_000\n\"k y\" = 'x'\n[t.u]\nd = 1979-05-27\nf = -0.5\n[[l]]\nx = {y = [true, \"\\n\"]}\n[[l]]\n[a.c]\nh = 0xff\n";
        assert_read(
            toml,
            text,
            "{a={b=1_000 c={h=0xff}} k y=\"x\" t={u={d=\"1979-05-27\" f=-0.5}} l=[{x={y=[true \"\\n\"]}} {}]}",
        );
        let root = toml(text, 0).unwrap();
        let at = |path: &[&str]| {
            path.iter()
                .fold(root.clone(), |node, key| node.get(key).unwrap())
        };
        assert_eq!(at(&["a", "b"]).as_i64(), Some(1000));
        assert_eq!(at(&["a", "c", "h"]).as_i64(), Some(255));
        assert_eq!(part(text, at(&["k y"]).span()), "'x'");
        assert_eq!(part(text, at(&["k y"]).key_span().unwrap()), "\"k y\"");
        assert_eq!(
            part(text, at(&["t", "u"]).span()),
            "[t.u]\nd = 1979-05-27\nf = -0.5"
        );
        assert_eq!(part(text, at(&["a", "c"]).span()), "[a.c]\nh = 0xff");
        let first = at(&["l"]).at(0).unwrap();
        assert_eq!(
            part(text, first.get("x").unwrap().span()),
            "{y = [true, \"\\n\"]}"
        );
        assert_eq!(root.span(), Span::new(0, text.len()));
        assert_read(toml, "", "{}");
    }

    #[test]
    fn tables_are_in_file_order() {
        assert_read(toml, "[b.x]\n[a]\n[b]\nk = 1\n", "{a={} b={x={} k=1}}");
        assert_read(
            toml,
            "a = {c.d = 1, b = 2, c.e = 3}\n",
            "{a={c={d=1 e=3} b=2}}",
        );
    }

    #[test]
    fn syntax_errors_have_their_line() {
        for (text, line, at) in [
            ("a = 1\na = 2\n", "line 2: ", 6),
            ("a = 1\nb = [1\n", "line 2: ", 10),
            ("a\n", "line 1: ", 0),
        ] {
            let fault = toml(text, 0).unwrap_err();
            assert!(fault.message.starts_with(line), "{fault}");
            assert!(fault.at >= at, "{fault:?}");
        }
    }
}

mod of_csv {
    use super::*;

    #[test]
    fn rows_and_fields_have_their_locations() {
        let text = "\u{feff}a,\"b \"\"c\"\"\",\r\n\r\n\"d\ne\"f\ng\"h,é";
        let read: Read = |text, base| csv(text, base, b',');
        assert_read(
            read,
            text,
            "[[\"a\" \"b \\\"c\\\"\" \"\"] [\"d\\nef\"] [\"g\\\"h\" \"é\"]]",
        );
        let root = csv(text, 0, b',').unwrap();
        assert_eq!(part(text, root.at(0).unwrap().span()), "a,\"b \"\"c\"\"\",");
        assert_eq!(
            part(text, root.at(1).unwrap().at(0).unwrap().span()),
            "\"d\ne\"f"
        );
        assert_eq!(part(text, root.at(2).unwrap().at(1).unwrap().span()), "é");
        let tabs = csv("a\tb,c\n", 0, b'\t').unwrap();
        assert_eq!(tabs.at(0).unwrap().len(), 2);
        assert!(csv("", 0, b',').unwrap().is_empty());
    }

    #[test]
    fn syntax_errors_have_their_line() {
        let read: Read = |text, base| csv(text, base, b',');
        assert_fault(read, "a\nb,\"c\nd", "line 2: a quote is never closed", 4);
        assert_eq!(
            csv("a", 0, b'"').unwrap_err().message,
            "line 1: '\"' is not a valid separator"
        );
        assert!(csv("a", 0, b'\n').is_err() && csv("a", 0, 0xe9).is_err());
    }

    proptest! {
        #[test]
        fn rows_match_the_csv_crate(text in "[a\",;\r\né ]{0,30}") {
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let expected: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
            if let Ok(root) = csv(&text, 0, b',') {
                let fields = |row: Node| row.children().map(|field| field.text().unwrap().to_owned()).collect();
                let found: Vec<Vec<String>> = root.children().map(fields).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
