//! Formats a single change to a file as a unified diff.
//!
//! An edit touches one place, so there is one hunk. Very long lines are shortened to the difference.

use crate::unified_diff::{Change, Diff};

/// The maximum length of a line shown in full, in characters.
const MAX_CHARS: usize = 200;

/// The context shown around a difference in a longer line, in characters.
const AROUND: usize = 60;

/// Creates a unified diff; empty if both versions are equal.
///
/// `path`: the file name shown on both sides. `old`: `None` if there was no file.
pub(crate) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    let is_new = old.is_none();
    let old = old.unwrap_or_default();
    if old == new {
        return String::new();
    }
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let before = common(old.iter(), new.iter());
    let after = common(old[before..].iter().rev(), new[before..].iter().rev());
    let change = Change {
        old: (before, old.len() - after),
        new: (before, new.len() - after),
    };
    let diff = Diff {
        path,
        is_new,
        old: &old,
        new: &new,
    };
    diff.render(&[change], |diff, line, other| {
        let text = line.trim_end_matches(['\r', '\n']);
        *diff += &shortened(text, other.unwrap_or_default());
        if line.ends_with('\n') {
            diff.push('\n');
        }
    })
}

/// Counts the leading items that two sequences share.
fn common<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

/// Shortens a long line to the part that is not in `other`, with some context.
fn shortened(line: &str, other: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    if chars.len() <= MAX_CHARS {
        return line.to_owned();
    }
    let other: Vec<char> = other.trim_end_matches(['\r', '\n']).chars().collect();
    let before = common(chars.iter(), other.iter());
    let after = common(chars[before..].iter().rev(), other[before..].iter().rev());
    let start = before.saturating_sub(AROUND);
    let end = (chars.len() - after + AROUND).min(chars.len());
    let end = end.min(start + MAX_CHARS + AROUND);
    let middle: String = chars[start..end].iter().collect();
    let mark = |is_cut: bool| if is_cut { "\u{2026}" } else { "" };
    format!("{}{middle}{}", mark(start > 0), mark(end < chars.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_three_lines_of_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n5b\n6\n7\n8\n9\n";
        let expected = "--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+5b\n 6\n 7\n 8\n";
        assert_eq!(unified("f", Some(old), new), expected);
        assert_eq!(unified("f", Some(old), old), "");
    }

    #[test]
    fn a_new_file_is_diffed_against_nothing() {
        assert_eq!(
            unified("f", None, "a\nb\n"),
            "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"
        );
    }

    #[test]
    fn a_missing_final_newline_is_marked() {
        let expected = "--- f\n+++ f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n";
        assert_eq!(unified("f", Some("a"), "a\nb"), expected);
    }

    #[test]
    fn a_long_line_is_truncated_around_the_difference() {
        let (head, tail) = ("x".repeat(5000), "y".repeat(5000));
        let diff = unified(
            "f",
            Some(&format!("{head}{tail}\n")),
            &format!("{head}, new{tail}\n"),
        );
        let lines: Vec<&str> = diff.lines().collect();
        let (x, y) = ("x".repeat(60), "y".repeat(60));
        assert_eq!(lines[3], format!("-\u{2026}{x}{y}\u{2026}"));
        assert_eq!(lines[4], format!("+\u{2026}{x}, new{y}\u{2026}"));
    }
}
