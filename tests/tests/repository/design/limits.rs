//! The tables on the limits page match the constants in the source.
//!
//! A row is `| limit | value | `file` `CONSTANT` | …`. Values are numbers, sizes (`4 KiB`) or durations (`30 s`).

use super::read;

const PAGE: &str = "docs/src/design/limits.md";

/// A row of a table.
#[derive(Debug, PartialEq)]
struct Row<'a> {
    value: &'a str,
    file: &'a str,
    constant: &'a str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(row).collect()
}

fn row(line: &str) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let [_, value, defined, ..] = cells[..] else {
        return None;
    };
    let (file, constant) = defined
        .strip_prefix('`')?
        .strip_suffix('`')?
        .split_once("` `")?;
    Some(Row {
        value,
        file,
        constant,
    })
}

/// Parses a cell; durations become milliseconds.
fn shown(value: &str) -> Option<u64> {
    let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
    let number: u64 = number.replace(',', "").parse().ok()?;
    let times = match unit {
        "" | "bytes" | "ms" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "s" => 1_000,
        "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    Some(number * times)
}

/// Evaluates a constant's expression; durations become milliseconds.
fn defined(expression: &str) -> Option<u64> {
    let expression = expression.trim();
    for (call, times) in [
        ("Duration::from_secs(", 1_000),
        ("Duration::from_millis(", 1),
    ] {
        if let Some(inner) = expression.strip_prefix(call) {
            return Some(defined(inner.strip_suffix(')')?)? * times);
        }
    }
    // Split at the operator with the lowest precedence.
    if let Some((left, right)) = outside_brackets(expression, "<<") {
        return Some(defined(left)? << defined(right)?);
    }
    if let Some((left, right)) = outside_brackets(expression, "+") {
        return Some(defined(left)? + defined(right)?);
    }
    if let Some((left, right)) = outside_brackets(expression, "*") {
        return Some(defined(left)? * defined(right)?);
    }
    match expression.strip_prefix('(') {
        Some(inner) => defined(inner.strip_suffix(')')?),
        None => expression.replace('_', "").parse().ok(),
    }
}

/// Splits at the last operator outside brackets.
fn outside_brackets<'a>(text: &'a str, operator: &str) -> Option<(&'a str, &'a str)> {
    let ats = text.rmatch_indices(operator).map(|(at, _)| at);
    let is_outside = |at: &usize| {
        let before = &text[..*at];
        before.matches('(').count() == before.matches(')').count()
    };
    let at = { ats }.find(is_outside)?;
    Some((&text[..at], &text[at + operator.len()..]))
}

/// Returns the expression of a constant in a source file.
fn expression<'a>(source: &'a str, constant: &str) -> Option<&'a str> {
    let (_, rest) = source.split_once(&format!("const {constant}: "))?;
    let (_, value) = rest.split_once(" = ")?;
    Some(value.split_once(';')?.0)
}

#[test]
fn every_limit_matches_its_constant() {
    let page = read(PAGE);
    let rows = rows(&page);
    assert!(rows.len() > 150, "{}", rows.len());
    let mut wrong = Vec::new();
    for row in &rows {
        let source = read(row.file);
        let value = expression(&source, row.constant).and_then(defined);
        if value.is_none() || value != shown(row.value) {
            wrong.push(format!(
                "{} {}: {value:?}, not {}",
                row.file, row.constant, row.value
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Script authors look these limits up, so the page must list all of them.
#[test]
fn every_script_limit_is_listed() {
    let page = read(PAGE);
    let rows = rows(&page);
    let source = read("skillc/script/src/limits.rs");
    let public = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub const MAX_"));
    let names = public.filter_map(|rest| Some(format!("MAX_{}", rest.split_once(':')?.0)));
    let is_listed = |name: &String| rows.iter().any(|row| row.constant == name.as_str());
    let missing: Vec<String> = names.filter(|name| !is_listed(name)).collect();
    // The first constant repeats a constant of `core`, and the second is a pair of numbers.
    assert_eq!(missing, ["MAX_PROJECT_OPERATIONS", "MAX_EXPRESSION_DEPTHS"]);
}

mod reading {
    use super::*;

    #[test]
    fn table_rows_are_parsed() {
        let page = "| what | at most | defined in |\n|---|---|---|\n| A `b` | 4 KiB | `a/b.rs` `MAX_A` | E100 |\nno row\n";
        let row = Row {
            value: "4 KiB",
            file: "a/b.rs",
            constant: "MAX_A",
        };
        assert_eq!(rows(page), [row]);
    }

    #[test]
    fn values_and_expressions_are_compared_as_numbers() {
        for (value, expression) in [
            ("4 KiB", "4 << 10"),
            ("65,552 bytes", "(64 << 10) + 16"),
            ("4 MiB", "4 * 1024 * 1024"),
            ("100,000", "100_000"),
            ("30 s", "Duration::from_secs(30)"),
            ("1 h", "Duration::from_secs(60 * 60)"),
            ("200 ms", "Duration::from_millis(200)"),
        ] {
            assert_eq!(shown(value), defined(expression), "{value}");
            assert!(shown(value).is_some(), "{value}");
        }
        assert_eq!(defined("OTHER"), None);
        assert_eq!(shown("4 apples"), None);
        assert_ne!(shown("5 KiB"), defined("4 << 10"));
    }

    #[test]
    fn constants_are_matched_by_full_name() {
        let source = "const MAX_AB: u8 = 1;\npub(crate) const MAX_A: usize = 2 << 3;\n";
        assert_eq!(expression(source, "MAX_A"), Some("2 << 3"));
        assert_eq!(expression(source, "MAX"), None);
    }
}
