//! What scripts say, as it is shown: on one line.

/// Returns the characters of a text, blanks in the place of line ends and of whatever else drives a terminal.
pub(crate) fn one_line(text: &str) -> impl Iterator<Item = char> {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown)
}
