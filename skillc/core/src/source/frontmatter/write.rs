//! Writes YAML scalars that every parser reads as the same string.
//!
//! Design: C-STUB, D-STUB-NAME.

/// Writes a string as a one-line YAML scalar that every parser reads as the same string.
///
/// A string of letters of any script, digits, `-`, `_` and `.` stays unquoted if no parser can read it as another type.
/// Any other string is double-quoted, with non-printable characters escaped.
pub fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Writes a string as a one-line, double-quoted YAML scalar.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unprintable(c) => out.push_str(&escaped(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns whether a string needs no quotes: it begins with a letter and is not a keyword of YAML 1.1 or 1.2.
fn is_plain(text: &str) -> bool {
    let words = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(char::is_alphabetic)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !words.contains(&text.to_ascii_lowercase().as_str())
}

/// Returns whether some YAML parsers reject a character, fold it or treat it as a line end.
pub(super) const fn is_unprintable(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(c: char) -> String {
    let code = u32::from(c);
    if code <= 0xff {
        format!("\\x{code:02x}")
    } else {
        format!("\\u{code:04x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::frontmatter::Frontmatter;

    #[test]
    fn written_scalars_round_trip() {
        for text in [
            "my-skill",
            "null",
            "3d",
            "a: b",
            "#x",
            "q\"\\ \n\t\u{1b}\u{2028}\u{feff}é😀 ",
            "",
            " x",
            "-",
            "yes",
        ] {
            let (read, _) = Frontmatter::split(&format!("---\na: {}\n---\n", scalar(text)));
            let Frontmatter::Valid(fields) = read else {
                panic!("{read:?}")
            };
            assert_eq!(fields.text("a"), Some(text));
        }
        assert_eq!(scalar("my-skill.v2_x"), "my-skill.v2_x");
    }
}
