//! JSON that is safe to print in a terminal and in a CI job: control characters, invisible characters, and the marks of
//! commands for CI runners are escaped. Parsing the JSON yields the original value.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use skillc_core::clean::is_unseen;

/// Pretty-prints a value, without a final line break.
///
/// # Errors
/// I/O errors of the writer.
pub(crate) fn write_pretty(
    value: &(impl Serialize + ?Sized),
    out: &mut dyn Write,
) -> serde_json::Result<()> {
    let formatter = Escaping(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(out, formatter))
}

/// Returns a value as JSON on one line.
///
/// # Errors
/// Errors of serializing the value.
pub(crate) fn line(value: &(impl Serialize + ?Sized)) -> serde_json::Result<String> {
    let mut line = Vec::with_capacity(128);
    let formatter = Escaping(CompactFormatter);
    value.serialize(&mut Serializer::with_formatter(&mut line, formatter))?;
    // The output is valid UTF-8.
    Ok(String::from_utf8(line).unwrap_or_default())
}

/// A JSON formatter that escapes strings.
struct Escaping<F>(F);

/// Delegates calls to the inner formatter.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $of:ty),*);)*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, out: &mut W, $($argument: $of),*) -> io::Result<()> {
            self.0.$name(out, $($argument),*)
        })*
    };
}

impl<F: Formatter> Formatter for Escaping<F> {
    pass_on! {
        begin_array();
        end_array();
        begin_array_value(is_first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(is_first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut from = 0;
        for (at, c) in text.char_indices() {
            // CI runners execute commands that begin with `##[` or `##vso[` anywhere in a line of output.
            let before = &text[from..at];
            let is_mark = c == '[' && (before.ends_with("##") || before.ends_with("##vso"));
            if !is_mark && !is_unseen(c) {
                continue;
            }
            out.write_all(before.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        out.write_all(&text.as_bytes()[from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped_losslessly() {
        let value = [
            "a\u{9b}31m",
            "\u{7f}é\u{a0}",
            "a\u{202e}b\u{2066}",
            "\u{e0041}漢",
            "\"\n\\",
        ];
        let text = line(&value).unwrap();
        assert_eq!(
            text,
            "[\"a\\u009b31m\",\"\\u007fé\u{a0}\",\"a\\u202eb\\u2066\",\"\\udb40\\udc41漢\",\"\\\"\\n\\\\\"]"
        );
        let read: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, value);
    }

    /// Azure Pipelines executes `##vso[…]` in any line that a step prints; GitHub Actions executes `##[…]`.
    #[test]
    fn marks_of_commands_are_escaped_losslessly() {
        let value = [
            "##vso[task.prependpath]bin",
            "a ##[group]",
            "## A",
            "[###[]",
        ];
        let text = line(&value).unwrap();
        assert!(!text.contains("##[") && !text.contains("##vso["), "{text}");
        assert!(text.contains("\"## A\""), "{text}");
        let read: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, value);
    }

    #[test]
    fn the_layout_matches_serde_json() {
        let value = serde_json::json!({ "a": [1, { "b": null }], "c": [], "d": {} });
        let mut out = Vec::new();
        write_pretty(&value, &mut out).unwrap();
        assert_eq!(out, serde_json::to_vec_pretty(&value).unwrap());
        assert_eq!(line(&value).unwrap(), value.to_string());
    }
}
