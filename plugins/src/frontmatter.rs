//! How rules read and repeat the fields of `SKILL.md`.

use skillc_core::{Document, Field, Span, Value};

/// The most characters that a message repeats.
const MAX_SHOWN_CHARS: usize = 100;

/// Returns a field of the frontmatter; of a faulty one, if it was recovered.
pub(crate) fn field<'a>(main: &'a Document, key: &str) -> Option<&'a Field> {
    main.frontmatter.fields()?.get(key)
}

/// Returns where a value is, or its key if nothing is written there.
pub(crate) fn place(field: &Field) -> Span {
    if field.value_span.start == field.value_span.end {
        field.key_span
    } else {
        field.value_span
    }
}

/// Names a value that is a list or a map; `None` for any other.
pub(crate) const fn structure(value: &Value) -> Option<&'static str> {
    match value {
        Value::List(_) => Some("a list"),
        Value::Map(_) => Some("a map"),
        _ => None,
    }
}

/// Returns a text as messages repeat it: on one line, and what is too long ends with `…`.
pub(crate) fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_on_a_character_and_shown_on_one_line() {
        assert_eq!(shown(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
        assert_eq!(shown(" a\r\n  b "), "a b");
    }
}
