//! Texts that are too long for a line.

/// How wide what is printed for people may be, in characters.
pub(super) const WIDTH: usize = 80;

/// Breaks a text at blanks into lines of at most `width` characters; a word that is longer has a line of its own.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if used + 1 + length <= width => {
                line.push(' ');
                line.push_str(word);
                used += 1 + length;
            }
            _ => {
                lines.push(word.to_owned());
                used = length;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_and_never_within_a_word() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("表格 ab longword c", 5),
            ["表格 ab", "longword", "c"]
        );
        assert_eq!(wrapped("  ", 5), [""; 0]);
    }
}
