//! Quoting for commands that are displayed for copying into a shell.

/// Quotes a word for a shell if necessary. The result is always one line: a line break in a directory's name could
/// otherwise inject a line into the stub.
pub fn shell_word(word: &str) -> String {
    if word.chars().any(char::is_control) {
        let escaped: String = word.chars().map(ansi_escaped).collect();
        return format!("$'{escaped}'");
    }
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '@' | '/');
    if word.chars().all(is_plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Escapes a character for a shell's `$'…'` quoting.
fn ansi_escaped(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_one_word_for_a_shell() {
        for (word, quoted) in [
            ("pdf-forms", "pdf-forms"),
            ("a b", "'a b'"),
            ("$(touch x)", "'$(touch x)'"),
            ("it's", r"'it'\''s'"),
            ("-rf", "'-rf'"),
            ("a\nb", "$'a\\u000ab'"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
