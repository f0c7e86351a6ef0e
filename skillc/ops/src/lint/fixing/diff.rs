//! The changes of a file as a unified diff for `patch -p0`. It consists of whole lines with their original line
//! endings.

use skillc_core::secrets;

use crate::unified_diff::{Change, Diff};

/// How many lines ahead to search for the point where both sides agree again. This bounds the quadratic search.
const MAX_SEARCH: usize = 500;

/// Creates a unified diff with secrets masked; empty if both versions are equal. `path`: the name on both sides.
pub(super) fn unified(path: &str, old: &str, new: &str) -> String {
    let changes = changes(&lines(old), &lines(new));
    // Masking keeps the number of lines, so the changes found in the unmasked versions still apply.
    let masked = |text: &str| {
        let mut text = text.to_owned();
        secrets::mask_in_place(&mut text);
        text
    };
    let (old, new) = (masked(old), masked(new));
    let diff = Diff {
        path,
        is_new: false,
        old: &lines(&old),
        new: &lines(&new),
    };
    diff.render(&changes, |diff, line, _| *diff += line)
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Finds the differences. The result is always correct, and is short if the versions differ in few places.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut at, mut by) = (0, 0);
    while at < old.len() || by < new.len() {
        if at < old.len() && by < new.len() && old[at] == new[by] {
            at += 1;
            by += 1;
            continue;
        }
        let (gone, come) = agree_again(&old[at..], &new[by..]);
        changes.push(Change {
            old: (at, at + gone),
            new: (by, by + come),
        });
        at += gone;
        by += come;
    }
    changes
}

/// Returns the smallest numbers of old and new lines to skip until both sides agree again.
fn agree_again(old: &[&str], new: &[&str]) -> (usize, usize) {
    for both in 1..=MAX_SEARCH.min(old.len() + new.len()) {
        for gone in 0..=both.min(old.len()) {
            let come = both - gone;
            let agree = match (old.get(gone), new.get(come)) {
                (Some(one), Some(other)) => one == other,
                (None, None) => come == new.len(),
                _ => false,
            };
            if agree {
                return (gone, come);
            }
        }
    }
    (old.len(), new.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn a_change_has_three_lines_of_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected = "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("f", old, new), expected);
        assert_eq!(unified("f", old, old), "");
    }

    #[test]
    fn secrets_around_a_change_are_masked() {
        let token = format!("gh{}_{}", "p", "k3JxQ9mZ7vLp2RwT8sYbN4cHd6FgUaWe5oXi");
        let old = format!("a\ntoken: {token}\n");
        let diff = unified("f", &old, &old.replace('a', "b"));
        assert!(diff.contains("ghp_***") && !diff.contains("k3J"), "{diff}");
    }

    #[test]
    fn distant_changes_have_separate_hunks() {
        let old: String = (1..=20).fold(String::new(), |all, n| all + format!("{n}\n").as_str());
        let new = old.replace("2\n3\n", "2\nnew\n3\n").replace("19\n", "");
        let heads = unified("f", &old, &new);
        let heads: Vec<&str> = heads
            .lines()
            .filter(|line| line.starts_with("@@"))
            .collect();
        assert_eq!(heads, ["@@ -1,5 +1,6 @@", "@@ -16,5 +17,4 @@"]);
    }

    #[test]
    fn line_endings_are_kept_and_a_missing_one_is_marked() {
        assert_eq!(
            unified("f", "a\r\nb", "a\r\nc"),
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\r\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
        );
    }

    proptest! {
        #[test]
        fn applying_the_changes_gives_the_other_text(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
            let old: Vec<&str> = old.split_inclusive('\n').collect();
            let new: Vec<&str> = new.split_inclusive('\n').collect();
            let (mut made, mut at) = (Vec::new(), 0);
            for change in changes(&old, &new) {
                made.extend_from_slice(&old[at..change.old.0]);
                prop_assert_eq!(made.len(), change.new.0);
                made.extend_from_slice(&new[change.new.0..change.new.1]);
                at = change.old.1;
            }
            made.extend_from_slice(&old[at..]);
            prop_assert_eq!(made, new);
        }
    }
}
