//! Sanitizes messages from scripts for display on one line.

/// Returns the characters of a string, with line ends and other control characters replaced by spaces.
pub(crate) fn one_line(text: &str) -> impl Iterator<Item = char> {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown)
}
