//! Escapes text from skills and scripts before editors show it, or editor plug-ins pass it to models.

use skillc_core::clean::clean;

/// Escapes the characters of a string that are invisible or misleading, except line ends.
pub(crate) fn visible(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(clean).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_ends_are_kept() {
        assert_eq!(visible("a é\nb\n"), "a é\nb\n");
        assert_eq!(
            visible("\u{1b}[31m\u{202e}a\n\u{200b}\u{e0041}"),
            "\\u{1b}[31m\\u{202e}a\n\\u{200b}\\u{e0041}"
        );
    }
}
