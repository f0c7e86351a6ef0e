use proptest::prelude::*;

use super::*;
use crate::source::frontmatter::{Field, Fields, Value, to_json};

/// The line limit in these tests.
const ROOM: usize = 40;

fn copied(block: &str) -> String {
    copy_fields(&format!("---\n{block}\n---\n"), &[], ROOM).expect("fields")
}

fn fields(text: &str) -> Fields {
    match Frontmatter::split(text) {
        (Frontmatter::Valid(fields), _) => fields,
        (other, _) => panic!("{other:?}: {text}"),
    }
}

/// Returns the keys and values of a block, without their positions.
fn values(block: &str) -> String {
    fn shown(value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Text(text) => format!("{text:?}"),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(|item| shown(&item.value)).collect();
                format!("{items:?}")
            }
            Value::Map(fields) => entries(fields.iter()),
        }
    }
    fn entries<'a>(fields: impl Iterator<Item = &'a Field>) -> String {
        let entry = |field: &Field| format!("{:?}: {}", field.key, shown(&field.value));
        let entries: Vec<String> = fields.map(entry).collect();
        format!("{{{}}}", entries.join(", "))
    }
    entries(fields(&format!("---\n{block}\n---\n")).iter())
}

#[test]
fn scalars_keep_type_relevant_notation() {
    for (written, expected) in [
        ("a: 1.10", "a: 1.10\n"),
        ("a: 2024-01-01", "a: 2024-01-01\n"),
        ("a: '2024-01-01'", "a: \"2024-01-01\"\n"),
        ("a: yes", "a: yes\n"),
        ("on: off", "on: off\n"),
        ("a: \"true\"", "a: \"true\"\n"),
        ("a:", "a:\n"),
        ("a: ~", "a: ~\n"),
        ("a: null", "a: null\n"),
        ("a: ''", "a: \"\"\n"),
        ("a: 0o17 # a comment", "a: 0o17\n"),
        ("a: Bash(git:*), Read", "a: Bash(git:*), Read\n"),
        ("a: one\n two", "a: one two\n"),
        ("a: |\n  one\n  ---\n", "a: \"one\\n---\\n\"\n"),
        ("a: >-\n  one\n  two\n", "a: \"one two\"\n"),
        ("a: \"\\u2028\\x07\"", "a: \"\\u2028\\x07\"\n"),
        ("a: !!str 1", "a: !!str 1\n"),
        ("a: !x/y '1'", "a: !x/y \"1\"\n"),
        ("a: ! 1", "a: ! 1\n"),
        ("a: !!str\nb: [!!str , c]", "a: !!str \nb: [!!str , c]\n"),
        (
            "%TAG !e! tag:x,2000:\n--- \na: !e!b 1",
            "a: !<tag:x%2C2000:b> 1\n",
        ),
        ("'quoted key': 1", "\"quoted key\": 1\n"),
        ("1: 2", "1: 2\n"),
        ("~: 2", "~: 2\n"),
        ("? [a, b]\n: c", "[a, b]: c\n"),
    ] {
        assert_eq!(copied(written), expected, "{written}");
    }
}

#[test]
fn lists_and_maps_keep_their_lines_and_their_brackets() {
    for (written, expected) in [
        ("a: [b, {c: d}]", "a: [b, {c: d}]\n"),
        ("a: [b, c: d]", "a: [b, {c: d}]\n"),
        ("a: []\nb: {}", "a: []\nb: {}\n"),
        (
            "a:\n- b\n-\n- c: 1\n  d:\n   - [e]\n   - - f",
            "a:\n  - b\n  - null\n  - c: 1\n    d:\n      - [e]\n      - - f\n",
        ),
        (
            "m:\n    k: 'v' # why\n\n    l:\n    n: |\n      x\n",
            "m:\n  k: \"v\"\n  l:\n  n: \"x\\n\"\n",
        ),
        ("a: {b: , c: 'x, y'}", "a: {b: null, c: \"x, y\"}\n"),
    ] {
        assert_eq!(copied(written), expected, "{written}");
    }
}

#[test]
fn aliases_and_merge_keys_are_written_out() {
    assert_eq!(
        copied("a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n  e: [*x]"),
        "a:\n  b: 1\nc:\n  b: 1\nd:\n  <<:\n    b: 1\n  e: [{b: 1}]\n"
    );
}

#[test]
fn values_over_the_line_limit_use_flow_style() {
    let block = "a:\n  - 1, 2\n  - b\nm:\n  k: v\n  l: x\n  n: '[y]'\nz: 1";
    let text = format!("---\n{block}\n---\n");
    assert_eq!(
        copy_fields(&text, &[], 5).unwrap(),
        "a:\n  - 1, 2\n  - b\nm: {k: v, l: x, n: \"[y]\"}\nz: 1\n"
    );
    assert_eq!(
        copy_fields(&text, &["z"], 3).unwrap(),
        "a: [\"1, 2\", b]\nm: {k: v, l: x, n: \"[y]\"}\n"
    );
    let fault = copy_fields(&text, &[], 2).unwrap_err();
    assert_eq!(fault, CopyFault::TooManyFields { lines: 3, most: 2 });
}

/// Python's YAML library treats a `?` anywhere in a plain scalar between brackets as a key indicator.
#[test]
fn a_question_mark_is_quoted_only_in_flow_style() {
    let block = "u:\n  - http://x.y/z?q=1\n  - '*.md?'\nm:\n  a?0: b?\n  ?x: c";
    let text = format!("---\n{block}\n---\n");
    assert_eq!(
        copy_fields(&text, &[], 2).unwrap(),
        "u: [\"http://x.y/z?q=1\", \"*.md?\"]\nm: {\"a?0\": \"b?\", \"?x\": c}\n"
    );
    let lines = "u:\n  - http://x.y/z?q=1\n  - \"*.md?\"\nm:\n  a?0: b?\n  ?x: c\n";
    assert_eq!(copied(block), lines);
}

#[test]
fn a_long_key_uses_an_explicit_key_indicator() {
    let key = "k".repeat(1500);
    assert_eq!(copied(&format!("? {key}\n: 1")), format!("? {key}\n: 1\n"));
    let within = format!("a: {{? {key} : 1}}");
    assert_eq!(copied(&within), format!("{within}\n"));
}

#[test]
fn a_few_aliases_of_a_long_text_do_not_fill_the_memory() {
    let long = "x".repeat(1000);
    let block = format!("a: &a {long}\nb: [{}]", "*a, ".repeat(200));
    let text = format!("---\n{block}\n---\n");
    assert_eq!(copy_fields(&text, &[], ROOM), Err(CopyFault::TooLarge));
    assert_eq!(copy_fields("# A\n", &[], ROOM), Err(CopyFault::Unreadable));
    assert_eq!(copied("# only a comment"), "");
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().concat()
}

/// Generates well-formed fields with values in every notation.
fn blocks() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        "[a-z0-9.:#,?\\[\\]{}'\"é-]{0,6}".prop_map(|text| quoted(&text)),
        "'[a-z0-9.:#,?{}é -]{0,6}'",
        "[a-z][a-z0-9.:#,?{}\\[\\]é-]{0,5}[a-z]",
        "-?[0-9]{1,3}(\\.[0-9]{1,2})?",
        Just("yes".to_owned()),
        Just("2024-01-31 10:00:00".to_owned()),
        Just("!!str 12".to_owned()),
        Just("?x".to_owned()),
        Just("-x".to_owned()),
        Just(":x".to_owned()),
        Just("~".to_owned()),
        Just(String::new()),
    ];
    let value = prop_oneof![
        scalar.clone(),
        scalar.clone(),
        prop::collection::vec(scalar.clone(), 0..3)
            .prop_map(|items| joined(items.iter().map(|item| format!("\n  - {item}")))),
        prop::collection::vec(scalar, 0..3).prop_map(|items| {
            let entries = items.iter().enumerate();
            joined(entries.map(|(n, item)| format!("\n  k{n}: {item}")))
        }),
    ];
    prop::collection::vec(value, 0..6).prop_map(|values| {
        let fields = values.iter().enumerate();
        joined(fields.map(|(n, value)| format!("f{n}: {value}\n")))
    })
}

proptest! {
    #[test]
    fn copies_round_trip_in_block_and_flow_style(block in blocks()) {
        let text = format!("---\n{block}\n---\n");
        if matches!(Frontmatter::split(&text), (Frontmatter::Valid(_), _)) {
            let count = block.lines().filter(|line| line.starts_with('f')).count();
            for room in [ROOM, count] {
                let copy = copy_fields(&text, &[], room).expect("fields");
                prop_assert!(copy.lines().count() <= room);
                prop_assert_eq!(values(&copy), values(&block), "{}", copy);
                let typed = |block: &str| to_json(&format!("---\n{block}\n---\n"));
                prop_assert_eq!(typed(&copy), typed(&block), "{}", copy);
            }
        }
    }
}
