use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn fields(text: &str) -> Fields {
    match Frontmatter::split(text) {
        (Frontmatter::Valid(fields), _) => fields,
        (other, _) => panic!("{other:?}"),
    }
}

/// Returns the message of a faulty block, the text it marks, and the fields that are recovered, as `key=text`.
fn fault(block: &str) -> (String, String, String) {
    let text = format!("---\n{block}\n---\n");
    let (read, _) = Frontmatter::split(&text);
    let Frontmatter::Invalid {
        message,
        at,
        fields,
    } = read
    else {
        panic!("{block:?}: {read:?}")
    };
    let shown = fields
        .iter()
        .map(|field| format!("{}={}", field.key, field.value.text().unwrap_or("?")));
    let marked = text[at.start..at.end].to_owned();
    (message, marked, shown.collect::<Vec<_>>().join(" "))
}

#[track_caller]
fn assert_fault(block: &str, message: &str, marked: &str) {
    let (found, found_marked, _) = fault(block);
    assert_eq!((found.as_str(), found_marked.as_str()), (message, marked));
}

/// C-REGISTRY.1, F-29, D-ENCODING.
#[test]
fn a_delimiter_is_a_line_of_exactly_three_hyphens() {
    let (found, body) = Frontmatter::split("\u{feff}---\r\nname: a\r\n---\r\nbody");
    assert_eq!(found.fields().unwrap().text("name"), Some("a"));
    assert_eq!(&"\u{feff}---\r\nname: a\r\n---\r\nbody"[body..], "body");
    for absent in [
        "----\nname: a\n---\n",
        "--- x\n---\n",
        "\n---\n---\n",
        "",
        "--",
    ] {
        let (read, _) = Frontmatter::split(absent);
        assert_eq!(read, Frontmatter::Absent, "{absent:?}");
    }
    for unclosed in [
        "---\nname: a\n",
        "---\nname: a\n----\n",
        "---\nname: a\n--- x\n",
        "---",
    ] {
        let (read, _) = Frontmatter::split(unclosed);
        assert_eq!(read, Frontmatter::Unclosed, "{unclosed:?}");
    }
    assert_eq!(fields("---\n---").iter().count(), 0);
    assert_eq!(fields("---\n# nothing\n---\n").iter().count(), 0);
}

/// F-31.
#[test]
fn block_scalars_quotes_escapes_and_comments_are_yaml() {
    let read = fields(
        "---\na: >-\n  one\n  two\nb: \"q\\u00e9\\n\" # c\nc: 'it''s'\nd: 12.50\ne: ~\nf: one\n two\n---\n",
    );
    assert_eq!(read.text("a"), Some("one two"));
    assert_eq!(read.text("b"), Some("qé\n"));
    assert_eq!(read.text("c"), Some("it's"));
    assert_eq!(read.text("d"), Some("12.50"));
    assert_eq!(read.get("e").unwrap().value, Value::Null);
    assert_eq!(read.text("f"), Some("one two"));
}

#[test]
fn any_number_of_comments_may_stand_in_a_block() {
    let read = fields(&format!("---\n{}name: a\n---\n", "# c\n".repeat(500)));
    assert_eq!(read.text("name"), Some("a"));
}

/// F-30.
#[test]
fn lists_and_maps_have_their_contents_with_their_places() {
    let text = "---\nallowed-tools: [Read, {a: b}]\nlist:\n  - &x \"one\"\n  - *x\nmetadata:\n  deep: {n: 1}\n---\n";
    let read = fields(text);
    let shown = |span: &Span| &text[span.start..span.end];
    let Value::List(items) = &read.get("allowed-tools").unwrap().value else {
        panic!("no list")
    };
    assert_eq!(items[0].value, Value::Text("Read".into()));
    assert_eq!(shown(&items[1].span), "{a: b}");
    let list = read.get("list").unwrap();
    let Value::List(items) = &list.value else {
        panic!("no list")
    };
    assert_eq!(items[0].value, items[1].value);
    let places: Vec<_> = items.iter().map(|item| shown(&item.span)).collect();
    assert_eq!(places, ["\"one\"", "*x"]);
    assert_eq!(shown(&list.value_span), "- &x \"one\"\n  - *x");
    let Value::Map(fields) = &read.get("metadata").unwrap().value else {
        panic!("no map")
    };
    assert_eq!(fields[0].key, "deep");
    assert_eq!(shown(&fields[0].value_span), "{n: 1}");
}

#[test]
fn places_index_the_whole_file_without_line_ends() {
    let text = "\u{feff}---\r\nname: \"é\"\r\nd: |\r\n  one\r\n  two\r\n\r\n---\r\n";
    let read = fields(text);
    let field = read.get("name").unwrap();
    assert_eq!(&text[field.key_span.start..field.key_span.end], "name");
    assert_eq!(&text[field.value_span.start..field.value_span.end], "\"é\"");
    let span = read.get("d").unwrap().value_span;
    assert_eq!(&text[span.start..span.end], "one\r\n  two");
}

#[test]
fn a_colon_in_a_value_without_quotes_is_explained() {
    assert_fault(
        "name: a\ndescription: Use when: x",
        "line 3: the value of 'description' contains ': '; put it in quotes",
        ": ",
    );
    assert_fault(
        "metadata:\n  list:\n    - note: a : b",
        "line 4: the value of 'note' contains ': '; put it in quotes",
        ": ",
    );
    assert_fault(
        "description: Use for:\n  x",
        "line 2: the value of 'description' contains ':'; put it in quotes",
        ":",
    );
    assert_fault(
        "description: Does it.\n  Note: slowly",
        "line 3: this line continues the value of 'description' and contains ': '; put that value in quotes",
        ": ",
    );
    assert_fault(
        "name: a\n  license: MIT",
        "line 3: this line continues the value of 'name' and contains ': '; put that value in quotes, \
         or indent 'license' like the keys above if it is a field",
        ": ",
    );
}

#[test]
fn indentation_that_cannot_be_is_explained() {
    let tab = "a tab is used for indentation; use blanks";
    assert_fault("metadata:\n\ta: b", &format!("line 3: {tab}"), "\t");
    assert_fault("a: b\n  c\n\td", &format!("line 4: {tab}"), "\t");
    assert_fault("a: |\n\tx", &format!("line 3: {tab}"), "\t");
    assert_fault(
        "a:\n  b: 1\n c: 2",
        "line 4: the indentation of this line fits no line above it",
        "c: 2",
    );
    assert_fault(
        "a: >\n    x\n  y\nb: c",
        "line 4: the indentation of this line fits no line above it",
        "y",
    );
    assert_fault(
        "allowed-tools: Read\n- Write",
        "line 3: this list item belongs to no list: the value of its key stands above",
        "- Write",
    );
}

#[test]
fn a_value_that_begins_with_a_sign_is_explained() {
    assert_fault(
        "argument-hint: [file] [mode]",
        "line 2: the value of 'argument-hint' begins with '[' and goes on after ']'; put it in quotes",
        "[mode]",
    );
    assert_fault(
        "description: {x: y",
        "line 2: the value of 'description' begins with '{', which is never closed; put it in quotes if it is text",
        "{",
    );
    assert_fault(
        "a: [it's}\nb: c",
        "line 2: the value of 'a' begins with '[', which is closed by '}'",
        "}",
    );
    assert_fault(
        "a: [x: y: z]",
        "line 2: the value of 'a' begins with '[', but is no list or map; put what is text in quotes",
        ":",
    );
    for sign in ['@', '`', '%', '*', '&', ',', ']', '}', '?'] {
        assert_fault(
            &format!("l:\n  a: {sign} x"),
            &format!(
                "line 3: the value of 'a' begins with '{sign}', which YAML does not take for text; put it in quotes"
            ),
            &sign.to_string(),
        );
    }
    assert_fault(
        "a: > text",
        "line 2: the value of 'a' begins with '>', which YAML does not take for text; \
         put it in quotes, or begin the text on the next line",
        ">",
    );
    assert_fault(
        "a: - x",
        "line 2: the value of 'a' begins with '-', which YAML does not take for text; \
         put it in quotes, or write the list on the lines below",
        "-",
    );
    assert_fault(
        "a:\n  - *x",
        "line 3: '*x' repeats a value marked '&x', and there is none; put it in quotes if it is text",
        "*x",
    );
}

#[test]
fn mistakes_with_quotes_are_explained() {
    assert_fault(
        "description: \"open\nname: \"a\"",
        "line 2: the value of 'description' begins with a quote that is never closed",
        "\"",
    );
    assert_fault(
        "description: 'it's x'",
        "line 2: the value of 'description' goes on after its closing quote; a quote within is written ''",
        "s x'",
    );
    assert_fault(
        "description: \"Use \"x\" here\" # c",
        "line 2: the value of 'description' goes on after its closing quote; a quote within is written \\\"",
        "x\" here\" # c",
    );
    assert_fault(
        "a: \"x\": y",
        "line 2: the value of 'a' goes on after its closing quote; a quote within is written \\\"",
        ": y",
    );
    for escape in ["\\d", "\\u", "\\x", "\\é"] {
        assert_fault(
            &format!("a: \"\\\\ {escape}zz\""),
            &format!(
                "line 2: '{escape}' is no character in double quotes; a backslash is written \\\\"
            ),
            escape,
        );
    }
    assert_fault(
        "a: \"x\n  y\nz\"",
        "line 4: this line continues the value of 'a' and must be indented",
        "z\"",
    );
}

#[test]
fn lines_that_are_no_field_are_explained() {
    assert_fault(
        "description: Does it.\nAnd more.\nname: a",
        "line 3: this line is no 'key: value'; indent it if it continues the line above",
        "And more.",
    );
    assert_fault(
        "Just text\nname: a",
        "line 2: this line is no 'key: value'",
        "Just text",
    );
    assert_fault(
        "name:a\nb: c",
        "line 2: there is no blank after the ':' of 'name'",
        ":",
    );
    assert_fault(
        "name：a\nb: c",
        "line 2: the colon after 'name' is a wide one; write ':' and a blank",
        "：",
    );
    assert_fault(
        "- name: a",
        "line 2: fields are written as 'key: value', not as a list",
        "- name: a",
    );
}

#[test]
fn the_rest_of_the_faults_are_explained() {
    assert_fault(
        "name: a\nname: b",
        "line 3: 'name' is there twice, first on line 2",
        "name",
    );
    assert_fault(
        "m:\n  x: 1\n  x: 2",
        "line 4: 'x' is there twice, first on line 3",
        "x",
    );
    assert_fault(
        "name: a\n--- \nx: [",
        "line 3: this line is not exactly '---', so it does not end the frontmatter",
        "--- ",
    );
    assert_fault(
        "{name: a}\nb: c",
        "line 3: the fields end with the bracket above, so nothing may follow",
        "b: c",
    );
    assert_fault(
        "a: x # c\n  y",
        "line 2: ' #' begins a comment here, but the value of 'a' goes on below; put it in quotes",
        "#",
    );
    assert_fault(
        "a: x\u{7}",
        "line 2: YAML has no character U+0007; remove it",
        "\u{7}",
    );
    assert_fault(
        "a: &x [*x]",
        "line 2: this alias stands inside its own value",
        "*x",
    );
    // What nobody foresaw is in the parser's words, and has a line and a place too.
    assert_fault(
        "a: \u{feff}x",
        "line 2: a BOM must not appear inside a document",
        "\u{feff}",
    );
}

/// R15, F-30.
#[test]
fn a_faulty_block_gives_the_fields_that_are_certain() {
    for (block, recovered) in [
        (
            "name: a\ndescription: b: c\nlicense: MIT",
            "name=a license=MIT",
        ),
        (
            "  name: a\n  description: b: c\n  license: MIT",
            "name=a license=MIT",
        ),
        ("description: \"open\nname: a\nb: \"c\"", "name=a b=c"),
        ("description: [open\nname: a", "name=a"),
        ("name: a\nname: b\nc: d", "c=d"),
        ("name: a\nc: d\nname: [", "c=d"),
        ("a: &x 1\nname: *x\nd: @", "a=1"),
        ("a: 1\n--- \nb: 2", "a=1"),
        ("a: 1\n  b: 2", ""),
        ("{a: 1, b: 2 c: 3}", "a=1"),
        ("{\n  name: a,\n  b: 2 c: 3\n}", "name=a"),
        ("{\n  name: a,\n  @\n}", ""),
        (
            "\"name\": a\nm:\n  x: [y]\n  z: b: c\nd: |\n  one\n  two",
            "name=a d=one\ntwo\n",
        ),
        ("'key", ""),
    ] {
        assert_eq!(fault(block).2, recovered, "{block:?}");
    }
    for (block, key, is_there) in [
        ("name: a\ndescription: b: c", "description", true),
        ("description: @\nname:x", "name", true),
        ("'name' : @", "name", true),
        ("{description: a, name: b", "name", true),
        ("description: @\nsurname: x", "name", false),
        ("description: @ name of it", "name", false),
        ("name: a\nname: b", "name", true),
    ] {
        let (read, _) = Frontmatter::split(&format!("---\n{block}\n---\n"));
        let Frontmatter::Invalid { fields, .. } = read else {
            panic!("{block:?}: {read:?}")
        };
        assert_eq!(fields.mentions(key), is_there, "{block:?}");
    }
    assert!(!fields("---\nm:\n  name: a\n---\n").mentions("name"));
}

#[test]
fn lines_are_counted_as_editors_do() {
    let text = "\u{feff}---\r\nname: a\r\n\r\ndescription: b: c\r\n---\r\n";
    let (read, _) = Frontmatter::split(text);
    let Frontmatter::Invalid { message, .. } = read else {
        panic!("{read:?}")
    };
    assert!(message.starts_with("line 4: "), "{message}");
}

/// R20.
#[test]
fn bombs_are_refused_at_once() {
    let mut values = "a: &a [x, x, x]\n".to_owned();
    for (from, to) in ('a'..'y').zip('b'..'z') {
        values += &format!("{to}: &{to} [*{from}, *{from}, *{from}]\n");
    }
    let mut depth = "a0: &a0 x\n".to_owned();
    for at in 1..2500 {
        depth += &format!("a{at}: &a{at} [*a{}]\n", at - 1);
    }
    let too_deep = "nested deeper than 128 levels";
    for (block, expected) in [
        (
            format!("a: {}\n", "x".repeat(MAX_BLOCK_BYTES)),
            "larger than 64 KiB",
        ),
        (values, "line 11: aliases repeat more than 65,536 values"),
        (depth, "line 130: nested deeper than 128 levels"),
        (format!("a: {}", "[".repeat(60_000)), too_deep),
        (format!("a: {}", "{a: ".repeat(15_000)), too_deep),
        (format!("a: {}", "- ".repeat(30_000)), "line 2: "),
        (format!("a:\n  {}x", "- ".repeat(30_000)), too_deep),
        ("a: [x\n".repeat(10_000), "line 2: "),
        ("a: \"\n".repeat(10_000), "line 2: "),
        ("a:\n".repeat(20_000), "line 3: 'a' is there twice"),
        (format!("a: \"{}", "\\".repeat(60_000)), "line 2: "),
        (format!("{}@", "a: 1\n b: @\n".repeat(5_000)), "line 3: "),
    ] {
        let text = format!("---\n{block}\n---\n");
        let begin = Instant::now();
        let (read, _) = Frontmatter::split(&text);
        assert!(
            begin.elapsed() < Duration::from_secs(1),
            "{:?}",
            &text[..30]
        );
        let Frontmatter::Invalid { message, .. } = read else {
            panic!("{read:?}")
        };
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn aliases_within_the_bounds_cost_nothing() {
    let mut block = "a: &a [x, x, x]\n".to_owned();
    for (from, to) in ('a'..'h').zip('b'..'i') {
        block += &format!("{to}: &{to} [*{from}, *{from}, *{from}]\n");
    }
    let read = fields(&format!("---\n{block}---\n"));
    let Value::List(items) = &read.get("h").unwrap().value else {
        panic!("no list")
    };
    let (Value::List(one), Value::List(other)) = (&items[0].value, &items[2].value) else {
        panic!("no lists")
    };
    assert!(Arc::ptr_eq(one, other));
}

/// Calls `check` with each place below some fields.
fn visit(fields: &[Field], check: &mut impl FnMut(Span)) {
    for field in fields {
        check(field.key_span);
        check(field.value_span);
        visit_value(&field.value, check);
    }
}

fn visit_value(value: &Value, check: &mut impl FnMut(Span)) {
    match value {
        Value::Null | Value::Text(_) => {}
        Value::List(items) => {
            for item in items.iter() {
                check(item.span);
                visit_value(&item.value, check);
            }
        }
        Value::Map(fields) => visit(fields, check),
    }
}

/// Pieces of YAML, well and badly put together.
fn blocks() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("name: a\n".to_owned()),
        Just("d: ".to_owned()),
        Just("\n  ".to_owned()),
        Just("\r\n".to_owned()),
        Just("- ".to_owned()),
        Just("&x ".to_owned()),
        Just("*x ".to_owned()),
        Just("--- ".to_owned()),
        "[\\[\\]{}:,\"'|>@#*&!%?\\\\\t\n ux-]",
        "[aé日😀\u{85}\u{2028}\u{feff}\r\0]",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_block_is_read_and_its_places_lie_on_characters(block in blocks()) {
        let text = format!("---\n{block}\n---\n");
        let (read, body) = Frontmatter::split(&text);
        let mut places = vec![Span::new(0, body)];
        if let Frontmatter::Invalid { message, at, .. } = &read {
            prop_assert!(!message.contains(['\n', '\r']), "{message:?}");
            prop_assert!(at.start < at.end, "{message:?}");
            places.push(*at);
        }
        if let Some(fields) = read.fields() {
            visit(&fields.entries, &mut |span| places.push(span));
            for field in fields.iter() {
                prop_assert!(fields.mentions(&field.key));
            }
        }
        for span in places {
            prop_assert!(text.get(span.start..span.end).is_some(), "{span:?}");
        }
    }

    #[test]
    fn any_text_splits(text in "(---\n)?.{0,40}(\n---\n)?.{0,9}") {
        let (_, body) = Frontmatter::split(&text);
        prop_assert!(text.get(body..).is_some());
    }
}
