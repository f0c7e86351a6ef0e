//! Limits on depth, size and time.
//!
//! Design: R20.

use std::time::{Duration, Instant};

use super::super::{Fault, MAX_DEPTH, MAX_VALUES, Node, csv, json, toml, yaml};
use super::{FORMATS, Read};

#[track_caller]
fn assert_quick(name: &str, read: Read, text: &str) -> Result<Node, Fault> {
    let begin = Instant::now();
    let found = read(text, 0);
    let took = begin.elapsed();
    let head: String = text.chars().take(20).collect();
    assert!(took < Duration::from_secs(5), "{name} {head:?}: {took:?}");
    found
}

#[test]
fn depth_is_bounded_in_every_format() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let reason = format!("nested deeper than {MAX_DEPTH} levels");
    for read in [json as Read, yaml] {
        assert!(read(&deep(MAX_DEPTH), 0).is_ok());
        assert_eq!(read(&deep(MAX_DEPTH + 1), 0).unwrap_err().reason(), reason);
    }
    assert!(toml(&format!("a = {}", deep(70)), 0).is_ok());
    assert!(toml(&format!("a = {}", deep(MAX_DEPTH)), 0).is_err());
    let key = ["a"; 70].join(".");
    let nested = format!("[{key}]\nb.{key} = 1\n");
    assert_eq!(toml(&nested, 0).unwrap_err().reason(), reason);
}

#[test]
fn values_are_bounded_in_every_format() {
    let reason = format!("more than {MAX_VALUES} values");
    let many = |n: usize| format!("[{}1]", "1,".repeat(n - 2));
    for read in [json as Read, yaml] {
        assert!(read(&many(MAX_VALUES), 0).is_ok());
        let fault = read(&many(MAX_VALUES + 1), 0).unwrap_err();
        assert_eq!(fault.reason(), reason);
    }
    // The top-level table is counted as a value.
    assert!(toml(&format!("a = {}", many(MAX_VALUES - 1)), 0).is_ok());
    let fault = toml(&format!("a = {}", many(MAX_VALUES)), 0).unwrap_err();
    assert_eq!(fault.reason(), reason);
    assert!(json(&many(MAX_VALUES), 0).is_ok());
    assert_eq!(
        csv(&",".repeat(MAX_VALUES), 0, b',').unwrap_err().reason(),
        reason
    );
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    let lines: Vec<_> = (0..count).map(line).collect();
    lines.join("\n") + "\n"
}

#[test]
fn parsing_time_is_bounded() {
    let mib = 1 << 20;
    let fill = |part: &str| part.repeat(mib / part.len());
    let keys = |sign: &str| {
        (0..150_000)
            .map(|at| format!("\"k{at}\"{sign}1"))
            .collect::<Vec<_>>()
    };
    let texts = [
        fill("["),
        fill("{\"a\":"),
        fill("- "),
        fill("- - \n"),
        fill(","),
        fill("a."),
        fill("[a]\n"),
        fill("[[a]]\n"),
        fill("a:\n"),
        fill("? "),
        fill("a: &a\n"),
        fill("&a "),
        fill("*a "),
        fill("!a "),
        fill("\""),
        fill("'"),
        fill("\\"),
        fill("\"\\"),
        fill("\"\"\""),
        fill("'''"),
        fill("#"),
        fill("#\n"),
        fill("\n"),
        fill("\r"),
        fill(" "),
        fill("\t"),
        fill("%"),
        fill("|\n"),
        fill(">\n "),
        fill("a: |\n b\n"),
        fill("a b\n"),
        fill("\"a\",\n"),
        fill("\u{feff}"),
        fill("é"),
        fill("1"),
        fill("{"),
        fill("{a: "),
        fill("[a: "),
        fill("[\n"),
        fill("{a.b="),
        fill("a={"),
        fill("--- "),
        format!("[{}", fill("[],")),
        format!("a = [{}", fill("{},")),
        format!("[{}", fill("a, ")),
        format!("a: \"{}\"", fill("\\n")),
        format!("\"{}\"", fill("\\u00e9")),
        format!("a = \"{}\"", fill("\\n")),
        format!("a = {}", fill("1")),
        format!("[{}]", fill("\n")),
        format!("a: >\n{}", fill("  x\n\n")),
        format!("{{{}}}", keys(":").join(",\n")),
        format!("{{{}}}", keys(": ").join(",\n")),
        keys(" = ").join("\n"),
        keys(": ").join("\n"),
        format!("{}.z = 1\n", ["a"; 79].join(".")).repeat(6_000),
        lines(6_000, |at| format!("{}.z{at} = 1", ["a"; 75].join("."))),
        lines(80_000, |at| format!("[a.b{at}]")),
        lines(80_000, |at| format!("[b{at}.c]\n[b{at}]")),
        [
            lines(80_000, |at| format!("[b{at}.c]")),
            lines(80_000, |at| format!("[b{at}]")),
        ]
        .concat(),
        [
            lines(2_000, |at| format!("[b{at}.c]")),
            lines(2_000, |at| format!("[b{at}]")),
        ]
        .concat(),
        [
            lines(4_000, |at| format!("b{at} = 1")),
            lines(4_000, |at| format!("[b{at}]")),
        ]
        .concat(),
        format!(
            "a = [}}\n{}",
            lines(80_000, |at| format!("k{at}=1\n[k{at}]"))
        ),
        "[[a]]\n[a.b]\n".repeat(60_000),
        format!("a: &a x\nb: [{}]", "*a,".repeat(90_000)),
    ];
    for text in &texts {
        for (name, read) in FORMATS {
            let _ = assert_quick(name, read, text);
        }
    }
}

#[test]
fn oversized_text_is_refused() {
    let text = " ".repeat((32 << 20) + 1);
    for (name, read) in FORMATS {
        assert_eq!(
            read(&text, 7).unwrap_err().message,
            "line 1: larger than 32 MiB",
            "{name}"
        );
    }
}
