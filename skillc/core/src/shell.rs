//! Words of commands that are shown to be copied into a shell.

/// Quotes a word for a shell where it needs that. The result is one line: a line break in a directory's name would
/// otherwise be one in the stub.
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

/// Writes a character for the `$'…'` quotes of a shell.
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
    fn a_word_is_one_word_for_a_shell() {
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
