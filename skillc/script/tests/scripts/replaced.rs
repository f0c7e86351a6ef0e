//! Tests that the functions that replace those of the standard library behave like the originals.

use crate::support::findings_of;

/// Returns the value of an expression, or the message of the fault.
fn value_of(expression: &str) -> String {
    let script = format!(
        "/// Tells.\nrule(#{{ code: \"TEAM001\", name: \"tells\", check_main: |doc, skill, out| \
         out.file(doc.path, `${{{expression}}}`) }});"
    );
    let found = findings_of(&script).into_iter();
    found.map(|found| found.message).collect()
}

#[test]
fn map_accepts_functions_of_a_value_and_its_index() {
    assert_eq!(value_of("[1, 2].map(|n| n * 10)"), "[10, 20]");
    assert_eq!(value_of("[5, 6].map(|n, at| [n, at])"), "[[5, 0], [6, 1]]");
    assert_eq!(value_of("let by = 3; [1, 2].map(|n| n * by)"), "[3, 6]");
    assert_eq!(value_of("[].map(|n| n)"), "[]");
    assert_eq!(value_of("[1].map(|a, b, c| a)").lines().count(), 1);
    assert!(value_of("[1].map(|a, b, c| a)").starts_with("a.rhai:2:"));
}

#[test]
fn zip_accepts_functions_of_two_values_and_their_index() {
    assert_eq!(
        value_of("[1, 2, 3].zip([10, 20], |a, b| a + b)"),
        "[11, 22]"
    );
    let placed = value_of("[1, 2].zip([10, 20], |a, b, at| a + b * at)");
    assert_eq!(placed, "[1, 22]");
    assert_eq!(value_of("[].zip([], |a, b| a)"), "[]");
}

#[test]
fn map_on_a_map_accepts_functions_of_key_and_value() {
    let doubled = value_of("#{ a: 1 }.map(|key, value| key + value)");
    assert_eq!(doubled, r#"#{"a": "a1"}"#);
}

#[test]
fn replace_accepts_strings_and_characters() {
    let replaced = |call| value_of(&format!("let s = \"a-b-c\"; s.{call}; s"));
    assert_eq!(replaced("replace(\"-\", \"+\")"), "a+b+c");
    assert_eq!(replaced("replace('-', \"+\")"), "a+b+c");
    assert_eq!(replaced("replace(\"-\", '+')"), "a+b+c");
}

/// Calls by name would be a second way to call functions, and would have to be charged separately.
#[test]
fn the_name_of_a_function_is_refused_as_a_callback() {
    for call in ["filter(\"f\")", "reduce(\"f\", 0)"] {
        let fault = value_of(&format!("[1].{call}"));
        assert!(fault.contains("expects a closure or Fn(\"f\")"), "{fault}");
    }
    assert_eq!(value_of("[\"len\", \"f\"].index_of(\"f\")"), "1");
}
